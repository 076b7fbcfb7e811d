import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { GateResult } from '../../shared/domain.ts';
import { later } from '../../shared/later.ts';
import type { BaseVerdict, BaseVerdicts, JobPorts, JudgedBase } from '../jobs/ports.ts';

const MAX_KEPT = 500;
const verdictSchema = later(() =>
  z.union([
    z.object({ green: z.literal(true) }),
    z.object({ green: z.literal(false), step: z.string(), why: z.string() }),
  ]),
);
const documentSchema = later(() => z.array(z.object({ key: z.string(), verdict: verdictSchema })));

/** Only what a step found, or a step that can't run, is the base's own fault; a gate that proves nothing may get its test by a job. */
function verdictOf({ verdict, steps, reason }: GateResult): BaseVerdict {
  if (verdict !== 'red' && verdict !== 'broken') return { green: true };
  const last = steps.at(-1);
  return { green: false, step: last?.name ?? 'gate', why: last?.reason ?? reason };
}

function keyOf({ repository, commit, policyHash, override }: JudgedBase): string {
  const facts = [repository.id, commit, policyHash, ...(override ?? [])];
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex');
}

/** Remembers by repository, commit and gate what the gate said of a base; those who ask meanwhile share one run. */
export function createBaseVerdicts(ports: () => JobPorts): BaseVerdicts {
  const running = new Map<string, Promise<BaseVerdict>>();
  const known = async (key: string): Promise<BaseVerdict | undefined> =>
    read(await ports().store.shared('base verdicts').read()).find((each) => each.key === key)?.verdict;
  const remember = (key: string, verdict: BaseVerdict): Promise<void> =>
    ports()
      .store.shared('base verdicts')
      .change((stored) => ({
        document: [...read(stored).filter((each) => each.key !== key), { key, verdict }].slice(-MAX_KEPT),
        result: undefined,
      }));

  return {
    known: (judged) => known(keyOf(judged)),
    remember: (judged, verdict) => remember(keyOf(judged), verdict),
    async of(judged, { signal, onWait }) {
      const { repository, base, commit, override } = judged;
      const key = keyOf(judged);
      for (;;) {
        signal.throwIfAborted();
        const before = await known(key);
        if (before) return before;
        const other = running.get(key);
        if (!other) break;
        onWait();
        // Where the one who runs it is stopped, another takes its place.
        const found = await untilAborted(
          other.catch(() => undefined),
          signal,
        );
        if (found) return found;
      }
      onWait();
      const mine = (async () => {
        const { gateRun } = await import('./gate-run.ts');
        const result = await gateRun(ports(), {
          repository: { ...repository, base },
          ref: commit,
          ...(override ? { override } : {}),
          signal,
        });
        signal.throwIfAborted();
        const verdict = verdictOf(result);
        await remember(key, verdict);
        return verdict;
      })().finally(() => running.delete(key));
      running.set(key, mine);
      return mine;
    },
  };
}

const read = (stored: unknown): { key: string; verdict: BaseVerdict }[] => {
  const parsed = documentSchema.safeParse(stored);
  return parsed.success ? parsed.data : [];
};

function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
