import { join, resolve } from 'node:path';
import envPaths from 'env-paths';
import { makeDirectory } from '../processes/make-directory.ts';

/** Where everything lies: `HEADWAY_HOME`, or the platform's own place for application data. */
export type Home = {
  root: string;
  database: string;
  /** Mirrors, slots and their trash: one volume. */
  slots: string;
  transcripts: string;
  /** The user's own policies, `<repository id>.yaml`. */
  policies: string;
  samples: string;
  /** A directory per attempt, removed with it. */
  temp: string;
};

export function resolveHome(env: NodeJS.ProcessEnv = process.env): Home {
  const root = env.HEADWAY_HOME ? resolve(env.HEADWAY_HOME) : envPaths('headway', { suffix: '' }).data;
  return {
    root,
    database: join(root, 'headway.db'),
    slots: join(root, 'slots'),
    transcripts: join(root, 'transcripts'),
    policies: join(root, 'policies'),
    samples: join(root, 'samples'),
    temp: join(root, 'tmp'),
  };
}

/** Makes the directories. The database's own directory is checked by the store, which explains what is wrong. */
export function prepareHome(home: Home): void {
  for (const path of [home.slots, home.transcripts, home.policies, home.temp]) makeDirectory(path);
}
