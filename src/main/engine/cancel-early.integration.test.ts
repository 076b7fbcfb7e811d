import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Job, Stage } from '../../shared/domain.ts';
import { processesWithVariable } from '../processes/process-table.ts';
import { resolveHome } from '../settings/home.ts';
import { Scratch } from '../testing/scratch.ts';
import { type Engine, openEngine } from './engine.ts';

let scratch: Scratch;
let engine: Engine;
beforeEach(async () => {
  scratch = new Scratch('headway-early');
  engine = await openEngine({ home: resolveHome({ HEADWAY_HOME: scratch.home }) });
});
afterEach(async () => {
  await engine.stop();
  scratch.remove();
});

const TICKET = (go: string) =>
  `---\nid: T\nagent: scripted\npaths: [a.txt]\n---\nDo it.\n\n\`\`\`headway\n- run: while ! test -e ${go}; do sleep 0.05; done\n- append: { path: a.txt, content: "T\\n" }\n\`\`\`\n`;

/** Settles with the first change of a job that fits; `then` is called in the step of the change itself. */
function seen(fits: (job: Job) => boolean, then: (job: Job) => void = () => undefined): Promise<Job> {
  return new Promise((resolve) => {
    const stop = engine.parts.bus.listen((event) => {
      if (event.name !== 'job.changed' || !fits(event.payload)) return;
      stop();
      then(event.payload);
      resolve(event.payload);
    });
  });
}

/** Slots are reset after the end was recorded. */
async function atRest(): Promise<string[]> {
  for (;;) {
    const states = (await engine.parts.store.slots.list()).map(({ state }) => state);
    if (states.every((state) => state === 'ready' || state === 'quarantined')) return states;
    await delay(20);
  }
}

describe.runIf(process.platform === 'linux')('a job that is cancelled as soon as it is seen', () => {
  it.each(['slot', 'checkout'] as const satisfies Stage[])(
    'in %s leaves nothing behind, and merges once when it is reopened',
    async (stage) => {
      const path = scratch.repository('repo', {
        'a.txt': 'a\n',
        'headway.yaml': 'gate: ["test -e a.txt && echo there"]\n',
      });
      const go = join(scratch.root, 'go');
      const { handlers } = engine.api;
      const caller = { kind: 'in-process' } as const;
      const { id: repoId } = await handlers['repository.add']({ path }, caller);

      let asked: Promise<unknown> = Promise.resolve();
      const cancelling = seen(
        (job) => job.stage === stage,
        ({ id: jobId }) => {
          asked = Promise.resolve(handlers['job.cancel']({ jobId }, caller));
        },
      );
      const over = seen(({ state }) => state === 'cancelled');
      const { jobs } = await handlers['tickets.submit'](
        { repoId, files: [{ name: 'T.md', text: TICKET(go) }] },
        caller,
      );
      const jobId = jobs[0]?.id ?? '';
      await cancelling;
      await asked;
      await over;
      await engine.parts.scheduler.drained((job) => job.id === jobId);
      expect((await engine.parts.store.jobs.get(jobId))?.state).toBe('cancelled');
      expect((await atRest()).filter((state) => state !== 'ready')).toEqual([]);
      expect(await processesWithVariable('HEADWAY_JOB', jobId)).toEqual([]);
      expect(existsSync(join(engine.home.temp, engine.parts.runner.id.slice(0, 8), `${jobId}-1`))).toBe(
        false,
      );
      expect(scratch.git(path, 'show', 'main:a.txt')).toBe('a');

      scratch.write('go', '');
      const merged = seen(({ state }) => state === 'merged');
      await handlers['job.reopen']({ jobId }, caller);
      expect(await merged).toMatchObject({ attempts: 2 });
      expect(scratch.git(path, 'show', 'main:a.txt')).toBe('a\nT');
      expect(scratch.git(path, 'rev-list', '--count', 'main')).toBe('2');
    },
  );
});
