import type { Gauges } from '../../src/shared/domain.ts';
import { behind, job, merged, REPOSITORY, running, session, slot } from './mock-data.ts';
import { MockEngine } from './mock-engine.ts';

const GB = 1024 ** 3;

const OUTPUT = [
  '\x1b[2m$ claude -p … --output-format stream-json\x1b[0m',
  'I will read the parser first, then write a failing test.',
  '\x1b[36m● Read\x1b[0m src/parse/quoted.ts',
  '\x1b[36m● Read\x1b[0m test/quoted.test.ts',
  'The reader stops at a line feed inside quotes. I change the loop.',
  '\x1b[33m● Edit\x1b[0m src/parse/quoted.ts \x1b[32m+4\x1b[0m \x1b[31m-1\x1b[0m',
  '\x1b[35m● Bash\x1b[0m npm test -- quoted',
  '  \x1b[32m✓\x1b[0m keeps a quoted line feed',
  '  \x1b[32m✓\x1b[0m keeps a doubled quote',
  '  \x1b[31m✗\x1b[0m keeps a quoted carriage return',
  'See https://www.rfc-editor.org/rfc/rfc4180 for the rule.',
];

/** `binds` says whether a limit is named; `beat` moves the values. */
export function gauges(beat: number, engine: MockEngine, binds: boolean): Gauges {
  const states = [...engine.jobs.values()].map((each) => each.state);
  const slots = [...engine.slots.values()].map((each) => each.state);
  const count = <T>(all: readonly T[], one: T): number => all.filter((each) => each === one).length;
  return {
    at: Date.now(),
    cpu: { usedShare: 0.38 + 0.25 * Math.sin(beat / 4) + 0.1 * Math.sin(beat * 1.7), cores: 12 },
    ram: { usedBytes: (14.2 + 3 * Math.sin(beat / 9)) * GB, totalBytes: 32 * GB },
    jobs: { running: count(states, 'running'), limit: engine.settings.maxJobs },
    queue: { depth: count(states, 'queued'), oldestWaitMs: binds ? 130_000 + beat * 1000 : 0 },
    slots: {
      ready: count(slots, 'ready'),
      warming: count(slots, 'warming'),
      claimed: count(slots, 'claimed'),
      quarantined: count(slots, 'quarantined'),
    },
    sessions: { live: [...engine.sessions.values()].filter((each) => each.state === 'live').length },
    ...(binds
      ? { binds: { name: 'policy' as const, why: '4 at once on this machine; 2 jobs could run beside them' } }
      : {}),
  };
}

export function emptyScene(): MockEngine {
  const engine = new MockEngine();
  engine.gauges = gauges(0, engine, false);
  return engine;
}

/** A repository, some jobs in every state, four panes. `extraDone` and `extraWaiting` make the queue long. */
export function busyScene(
  options: { running?: number; extraDone?: number; extraWaiting?: number } = {},
): MockEngine {
  const engine = new MockEngine();
  engine.repositories.set(REPOSITORY.id, REPOSITORY);
  const add = (each: ReturnType<typeof job>): void => void engine.jobs.set(each.id, each);
  add(
    job(9, {
      state: 'held',
      attempts: 2,
      createdAt: Date.now() - 430_000,
      startedAt: Date.now() - 400_000,
      cause: { code: 'uncommitted-work', path: REPOSITORY.path, files: ['src/index.ts', 'README.md'] },
      verdict: 'green',
      files: ['src/part-9/index.ts', 'src/shared/errors.ts'],
      strayed: ['src/shared/errors.ts'],
      stages: { slot: 41, checkout: 200, install: 0, agent: 188_000, gate: 20_100 },
    }),
  );
  const stages = [
    'agent',
    'agent',
    'gate',
    'agent',
    'checkout',
    'agent',
    'gate',
    'agent',
    'agent',
    'merge',
  ] as const;
  for (let index = 0; index < (options.running ?? 4); index += 1) {
    const one = running(12 + index, stages[index % stages.length] ?? 'agent', {
      files: ['src/parse/quoted.ts', 'test/quoted.test.ts', 'src/errors.ts'],
      strayed: ['src/errors.ts'],
    });
    add(one);
    engine.sessions.set(`session-${12 + index}`, session(one));
    engine.output.set(`session-${12 + index}`, `${OUTPUT.slice(0, 4 + ((index * 3) % 8)).join('\r\n')}\r\n`);
    engine.slots.set(
      `slot-${12 + index}`,
      slot(12 + index, { state: 'claimed', jobId: one.id, usedAt: Date.now() }),
    );
  }
  const holder = engine.jobs.get('job-12');
  if (holder) for (const number of [31, 32]) add(behind(number, holder));
  add(job(33, { cause: { code: 'cap', scope: 'repository', limit: 4 } }));
  add(
    job(34, {
      cause: { code: 'depends-on', jobId: 'job-31', ticketId: 'T31', state: 'queued' },
    }),
  );
  for (let index = 0; index < (options.extraWaiting ?? 0); index += 1) {
    add(job(20_000 + index, { cause: { code: 'cap', scope: 'repository', limit: 4 } }));
  }
  for (let index = 0; index < 6 + (options.extraDone ?? 0); index += 1) add(merged(40 + index));
  engine.slots.set('slot-1', slot(1, { sizeBytes: 1.4 * GB, measuredAt: Date.now() - 600_000 }));
  engine.slots.set('slot-2', slot(2, { state: 'warming', reason: 'installs dependencies' }));
  engine.slots.set(
    'slot-3',
    slot(3, { state: 'quarantined', reason: 'a process of the last job would not end' }),
  );
  engine.gauges = gauges(0, engine, true);
  return engine;
}
