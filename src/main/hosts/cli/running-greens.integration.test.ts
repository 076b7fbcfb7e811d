import { describe, expect, it } from 'vitest';
import { pidNamespace } from '../../processes/pid-namespace.ts';
import { RUNNING_GREENS, RUNNING_REALS } from './testing/running-greens.ts';
import { tryRunning } from './testing/try-running-greens.ts';

const TIMEOUT_MS = 900_000;

describe.runIf(process.platform === 'linux')('ways to look green while the gate runs', () => {
  it(
    'get through in no case, and sound work in every case',
    async () => {
      const wrong: string[] = [];
      // Where there are no process namespaces, all of them are tried without.
      const confined = (await pidNamespace()) !== undefined;
      const cases = [...RUNNING_GREENS, ...RUNNING_REALS].filter(({ without }) => confined || !without);
      await tryRunning(cases, ({ name, sound }, { merged, verdict, reason }) => {
        if (merged !== (sound ?? false)) wrong.push(`${name}: ${verdict} ${reason}`);
      });
      expect(wrong).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
