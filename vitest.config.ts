import { defineConfig } from 'vitest/config';
import { GIT_IDENTITY } from './src/main/testing/git-identity.ts';

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          // What is pure ends by itself: the limit is for a test that hangs, not for a slow or busy machine.
          testTimeout: 60_000,
          include: ['src/**/*.test.{ts,tsx}', 'scripts/**/*.test.ts'],
          exclude: ['src/**/*.integration.test.ts'],
          environment: 'node',
          env: GIT_IDENTITY,
          // Tests of pure code share what they load: a process and a module graph for each file cost two thirds of the time.
          pool: 'threads',
          isolate: false,
        },
      },
      {
        test: {
          name: 'integration',
          include: ['src/**/*.integration.test.ts'],
          environment: 'node',
          env: GIT_IDENTITY,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
