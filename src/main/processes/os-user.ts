import { userInfo } from 'node:os';

/** Name of the user that this process runs as; undefined where the system has none for it (some containers). */
export function osUser(): string | undefined {
  try {
    return userInfo().username || undefined;
  } catch {
    return process.env.USER ?? process.env.USERNAME; // the id has no entry in the system's list of users
  }
}
