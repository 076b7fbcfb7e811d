import { afterEach, beforeEach, expect, it } from 'vitest';
import { Place } from './testing/headway.ts';

let place: Place;
beforeEach(() => {
  place = new Place();
});
afterEach(async () => {
  await place.close();
});

it('settings are listed, read and set from the command line, and refused in the words of the API', async () => {
  const one = async (...args: string[]) => (await place.run('settings', ...args)).lines[0];
  expect(await one('set', 'maxJobsPerUser', '3')).toEqual({
    ...{ type: 'setting', name: 'maxJobsPerUser', value: 3, default: null },
  });
  expect(await one('set', 'agentTimeoutMs', '30m')).toMatchObject({ value: 1_800_000, default: 3_600_000 });
  expect(await one()).toMatchObject({
    settings: { maxJobsPerUser: 3, agentTimeoutMs: 1_800_000, maxJobs: 4 },
  });
  expect(await one('set', 'maxJobsPerUser', 'none')).toMatchObject({ value: null });
  const { ask, stop } = await place.serve();
  const api = (await (await ask('settings.set', { maxJobs: 0 })).json()) as { error: object };
  const cli = await place.run('settings', 'set', 'maxJobs', '0');
  expect(cli.exit).toBe(2);
  expect(cli.error).toEqual({ type: 'error', ...api.error });
  expect((await ask('settings.set', { maxjobs: 3 })).status).toBe(400);
  const agent = await (await ask('settings.set', { defaultAgent: 'cluade' })).json();
  const said = await place.run('settings', 'set', 'defaultAgent', 'cluade');
  expect([said.exit, said.error?.message]).toEqual([2, expect.stringMatching(/did you mean 'claude'/)]);
  expect(said.error).toEqual({ type: 'error', ...(agent as { error: object }).error });
  expect(await one('get', 'defaultAgent')).toMatchObject({ value: 'claude-code' });
  // Nothing of a refused one is kept.
  expect(await one('get', 'maxJobs')).toMatchObject({ value: 4 });
  await stop();
});
