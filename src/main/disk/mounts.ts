import { readFile } from 'node:fs/promises';

/** Mount points below a directory, by the kernel's own list. */
export function mountsBelow(mountInfo: string, directory: string): string[] {
  return mountInfo.split('\n').flatMap((line) => {
    const escaped = line.split(' ')[4];
    if (escaped === undefined) return [];
    // Bytes that would end the field are written in octal.
    const bytes = escaped.replace(/\\([0-7]{3})/g, (_, octal: string) =>
      String.fromCharCode(Number.parseInt(octal, 8)),
    );
    return bytes.startsWith(`${directory}/`) ? [bytes] : [];
  });
}

/**
 * What is mounted somewhere below a directory (a job may have a network drive or a directory from elsewhere there). A bind
 * mount of the same volume shows in nothing else. Empty also where there is no such list.
 */
export async function findMounts(directory: string): Promise<string[]> {
  if (process.platform !== 'linux') return [];
  return mountsBelow(await readFile('/proc/self/mountinfo', 'utf8').catch(() => ''), directory);
}
