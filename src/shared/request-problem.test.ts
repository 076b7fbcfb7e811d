import { describe, expect, it } from 'vitest';
import { settingsSchema } from './domain.ts';
import { parseRequest } from './rpc/server.ts';

describe('a setting that is refused', () => {
  it.each([
    [{ maxJobs: 0 }, 'maxJobs must be a whole number from 1 to 64; it was 0'],
    [{ maxJobs: 1.5 }, 'maxJobs must be a whole number from 1 to 64; it was 1.5'],
    [{ maxJobsPerUser: 65 }, 'maxJobsPerUser must be a whole number from 1 to 64, or none; it was 65'],
    [
      { agentTimeoutMs: 5 },
      'agentTimeoutMs must be a whole number of milliseconds, 1000 or more (the command line also takes 30s or 1.5h); it was 5',
    ],
    [
      { slotDiskBytes: 'much' },
      'slotDiskBytes must be a whole number of bytes, 0 or more (the command line also takes 512MB or 40GB); it was "much"',
    ],
    [{ transcriptDays: 0 }, 'transcriptDays must be a whole number of days from 1 to 3650; it was 0'],
    [{ copyOnSelect: 1 }, 'copyOnSelect must be true or false; it was 1'],
    [{ editor: 1 }, 'editor must be a text; it was 1'],
    [{ maxjobs: 3 }, 'there is no setting maxjobs; did you mean maxJobs?'],
    [[], 'the change must be an object of settings with their values'],
  ])('%j is named with what it may be', (change, message) => {
    expect(() => parseRequest('settings.set', change)).toThrow(
      expect.objectContaining({ code: 'bad-input', message }),
    );
  });

  it('is never told in the words of the schema, whichever it is', () => {
    for (const name of Object.keys(settingsSchema.shape)) {
      expect(() => parseRequest('settings.set', { [name]: {} })).toThrow(
        new RegExp(`^${name} must be (a whole number|true or false|a text)`),
      );
    }
  });
});
