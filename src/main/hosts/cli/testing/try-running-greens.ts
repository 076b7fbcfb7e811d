import { Place, scripted } from './headway.ts';
import { DAEMON, RUNNING_FILES, type RunningGreen } from './running-greens.ts';

export type RunningOutcome = { merged: boolean; verdict: string; reason: string };

/** Runs all of them as jobs of one repository, four at a time, each group with a data directory and a home of its own. */
export async function tryRunning(
  cases: readonly RunningGreen[],
  each: (running: RunningGreen, outcome: RunningOutcome) => void,
): Promise<void> {
  for (const without of [false, true]) {
    const group = cases.filter((one) => (one.without ?? false) === without);
    if (group.length > 0) await tryGroup(group, without, each);
  }
}

async function tryGroup(
  group: readonly RunningGreen[],
  without: boolean,
  each: (running: RunningGreen, outcome: RunningOutcome) => void,
): Promise<void> {
  const place = new Place();
  // The data directory lies in the person's home, as it does by default.
  Object.assign(place.env, { HOME: place.root, ...(without ? { HEADWAY_PID_NAMESPACE: 'off' } : {}) });
  try {
    const daemon = place.write('daemon.sh', DAEMON);
    const repo = place.repository('repo', { ...RUNNING_FILES });
    const tickets: Record<string, string> = {};
    for (const [index, { agent }] of group.entries()) {
      const id = `T${index}`;
      const script = place.write(`agents/${id}.sh`, `set -e\nID=${id}\nDAEMON=${daemon}\n${agent}\n`);
      const paths = [
        `src/${id}.js`,
        `test/${id}.test.js`,
        `test/${id}.test.cjs`,
        `test/a-${id}.test.js`,
        `test/z-${id}.test.js`,
      ];
      tickets[id] = scripted({ id, title: id, paths }, [{ run: `sh ${script}` }]);
    }
    const done = await place.run(
      'run',
      '--repo',
      repo,
      '--tickets',
      place.tickets('tickets', tickets),
      '--max',
      '4',
      '--trust',
    );
    if (done.error) throw new Error(done.error.message);
    for (const [index, running] of group.entries()) {
      const job = done.summary[`T${index}`];
      if (!job) throw new Error(`${running.name}: no outcome\n${done.stderr}`);
      each(running, {
        merged: job.state === 'merged',
        verdict: job.verdict ?? job.state,
        reason: job.reason ?? '',
      });
    }
  } finally {
    await place.close();
  }
}
