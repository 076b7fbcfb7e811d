import type { Verdict } from '../../../shared/domain.ts';
import { HeadwayError } from '../../../shared/errors.ts';
import { gateRun } from '../../gate-runs/gate-run.ts';
import { EXIT } from './exit-codes.ts';
import { gateData, gateLines } from './gate-lines.ts';
import { looking } from './looking.ts';
import type { Output } from './output.ts';

/** Each verdict has a code of its own, apart from 2 (bad usage). */
const VERDICT_EXIT: Readonly<Record<Verdict, number>> = {
  green: 0,
  red: 1,
  ungated: 3,
  vacuous: 4,
  broken: 5,
  tampered: 6,
};

/** What did not come to a verdict: the caller's fault, or a gate that could not run. Never the code of a verdict `red`. */
async function withoutRed(output: Output, body: () => Promise<number>): Promise<number> {
  try {
    return await body();
  } catch (thrown) {
    if (!(thrown instanceof HeadwayError) || thrown.code === 'internal') {
      output.data({ type: 'error', code: 'internal', message: String(thrown) });
      process.stderr.write(`headway: ${thrown instanceof Error ? thrown.message : String(thrown)}\n`);
      return VERDICT_EXIT.broken;
    }
    if (thrown.code === 'cancelled') return EXIT.interrupted;
    if (thrown.code !== 'not-allowed') throw thrown;
    output.data({ type: 'error', code: thrown.code, message: thrown.message });
    process.stderr.write(`headway: ${thrown.message}\n`);
    return EXIT.usage;
  }
}

export type GateRunOptions = { repo: string; ref?: string; gate?: string[]; base?: string; trust?: boolean };

/** `headway gate run`: the steps' own output goes to standard error, the verdict to standard output. */
export function gateRunCommand(
  options: GateRunOptions,
  output: Output,
  signal: AbortSignal,
): Promise<number> {
  return withoutRed(output, () =>
    looking(async (engine) => {
      const repository = await engine.parts.repositories.add(options.repo, options.base);
      const result = await gateRun(engine.parts.jobPorts, {
        repository,
        signal,
        ...(options.ref === undefined ? {} : { ref: options.ref }),
        ...(options.gate ? { override: options.gate } : {}),
        ...(options.trust ? { trust: true } : {}),
        ...(output.json ? {} : { output: (bytes: Uint8Array) => void process.stderr.write(bytes) }),
        onWait: (why) => output.say(`waits: ${why}`),
      });
      output.data({ type: 'gate', ...gateData(result) });
      for (const line of gateLines(result)) output.say(line);
      return VERDICT_EXIT[result.verdict];
    }),
  );
}
