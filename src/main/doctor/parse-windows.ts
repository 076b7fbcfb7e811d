import { z } from 'zod';
import { type Answer, known, unknown } from './answer.ts';
import { exclusionAnswer } from './windows-exclusions.ts';
import type { DevDrive, WindowsFacts } from './windows-facts.ts';

const flag = z.boolean().nullish().catch(undefined);
const number = z.number().nullish().catch(undefined);
const text = z.string().nullish().catch(undefined);
/** PowerShell 5 may turn a list of one into the one, none into null, and any into an object around it. */
export const texts = z
  .union([
    z.array(z.string()),
    z.string().transform((one) => [one]),
    z.object({ value: z.array(z.string()) }).transform(({ value }) => value),
  ])
  .nullish()
  .catch(undefined)
  .transform((list) => list ?? []);

const probeSchema = z.object({
  v: z.literal(1),
  mp: z
    .object({ ok: z.boolean(), mode: text, av: flag, rtp: flag, hr: text, id: text, err: text })
    .nullish()
    .catch(undefined),
  pref: z
    .object({ ok: z.boolean(), hide: flag, perf: number, paths: texts, hr: text, id: text, err: text })
    .nullish()
    .catch(undefined),
  av: z
    .array(z.object({ name: z.string(), state: z.number() }))
    .nullish()
    .catch(undefined),
  vol: z.object({ fs: text, driveType: number }).nullish().catch(undefined),
  dev: text,
  long: number,
  tp: number,
  elevated: flag,
});
export type WindowsProbe = z.infer<typeof probeSchema>;

/** Pure: what the probe printed; undefined where that is not it. Lines before it (a profile, a warning) are passed over. */
export function parseProbe(stdout: string): WindowsProbe | undefined {
  const line = stdout
    .split(/\r?\n/)
    .map((each) => each.trim().replace(/^\ufeff/, ''))
    .findLast((each) => each.startsWith('{'));
  if (line === undefined) return undefined;
  try {
    return probeSchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

/** Pure: the number in PowerShell's id of an error. The sentence beside it is translated, wrapped, or broken. */
export function hresultOf(errorId: string | null | undefined): string | undefined {
  return /\bHRESULT (0x[0-9a-f]{8})\b/i.exec(errorId ?? '')?.[1]?.toLowerCase();
}

/** Defender is off, or was replaced by another product. */
const NOT_RUNNING = '0x800106ba';

const INACTIVE = new Set(['passive', 'passive mode', 'sxs passive mode', 'not running', '']);
const ACTIVE = new Set(['normal', 'edr block mode']);

type Failure = { hr?: string | null; id?: string | null; err?: string | null };
const failureText = (failure: Failure): string => {
  const code = failure.hr?.toLowerCase() ?? hresultOf(failure.id);
  if (code === NOT_RUNNING) return 'Microsoft Defender does not answer (0x800106ba): off, or replaced';
  return `Microsoft Defender can't be asked (${code ?? failure.err ?? failure.id ?? 'no reason given'})`;
};

/** Pure: whether Defender scans on opening. */
export function defenderAnswer(probe: WindowsProbe): Answer<boolean> {
  const { mp } = probe;
  if (!mp) return unknown('Microsoft Defender was not asked');
  if (!mp.ok) return unknown(failureText(mp));
  const mode = (mp.mode ?? '').trim().toLowerCase();
  if (INACTIVE.has(mode)) return known(false);
  if (!ACTIVE.has(mode))
    return unknown(`Microsoft Defender is in a mode that is not known here (${mp.mode})`);
  if (mp.av === false || mp.rtp === false) return known(false);
  return known(true);
}

/** Pure: other products that are switched on. */
export function otherScanners(probe: WindowsProbe): string[] {
  const on = (probe.av ?? []).filter(({ state }) => (state & 0x1000) !== 0);
  return on.map(({ name }) => name).filter((name) => !/^(windows|microsoft) defender/i.test(name));
}

const DEV_VOLUME = 0x2000;
const TRUSTED_VOLUME = 0x4000;

/**
 * Pure: the volume's own answer, 16 bytes in hexadecimal (flags first, little-endian), or `error N`. The same in every language.
 */
export function parseVolumeState(reply: string | null | undefined): Answer<DevDrive> {
  const trimmed = (reply ?? '').replaceAll(/\s/g, '').toLowerCase();
  if (trimmed === '') return unknown('the volume was not asked whether it is a Dev Drive');
  const error = /^error(\d+)$/.exec(trimmed)?.[1];
  if (error === '1' || error === '87') return known('unsupported');
  if (error !== undefined)
    return unknown(`the volume does not say whether it is a Dev Drive (error ${error})`);
  if (!/^[0-9a-f]+$/.test(trimmed)) return unknown('the answer of the volume can not be read');
  if (trimmed.length < 32) return known('unsupported');
  const flags = Buffer.from(trimmed.slice(0, 8), 'hex').readUInt32LE(0);
  if ((flags & DEV_VOLUME) === 0) return known('no');
  return known((flags & TRUSTED_VOLUME) === 0 ? 'untrusted' : 'trusted');
}

/**
 * Pure: what `fsutil devdrv query X:` printed. Only two whole sentences of its English are sure; its exit code says nothing, and
 * "untrusted" and "not a trusted" hold "trusted" as well.
 */
export function parseFsutil(stdout: string): Answer<DevDrive> {
  const [first = ''] = stdout.split(/\r?\n/).map((line) => line.trim());
  if (first === 'This is a trusted developer volume.') return known('trusted');
  if (first === 'This is not a developer volume.') return known('no');
  return unknown('fsutil answers in words that are not known here');
}

/** Pure: the exit code of `MpCmdRun -CheckExclusion`; undefined where it did not run. */
export function parseCheckExclusion(exit: number | null | undefined, elevated: boolean): Answer<boolean> {
  if (exit === 0) return known(true);
  // Without an administrator a "no" may only mean that it was not allowed to look.
  if (exit === 1 && elevated) return known(false);
  return unknown('Defender did not say whether the folder is excluded');
}

/** Pure: the probe as facts. `gitLongPaths` is asked for elsewhere. */
export function windowsFacts(
  probe: WindowsProbe | undefined,
  root: string,
  gitLongPaths: Answer<boolean>,
): WindowsFacts {
  if (!probe) {
    const none = unknown('PowerShell gave no answer in time, or may not run here');
    return {
      elevated: none,
      devDrive: none,
      defender: none,
      otherScanners: [],
      excluded: none,
      managed: false,
      performanceMode: none,
      longPaths: none,
      gitLongPaths,
    };
  }
  const { pref } = probe;
  const elevated = probe.elevated === true;
  return {
    elevated: typeof probe.elevated === 'boolean' ? known(probe.elevated) : unknown('it was not told'),
    devDrive: parseVolumeState(probe.dev),
    defender: defenderAnswer(probe),
    otherScanners: otherScanners(probe),
    excluded: !pref
      ? unknown('Microsoft Defender was not asked')
      : pref.ok
        ? exclusionAnswer(pref.paths, root, { elevated, hidden: pref.hide ?? undefined })
        : unknown(failureText(pref)),
    managed: probe.tp === 1,
    performanceMode:
      pref?.ok && (pref.perf === 0 || pref.perf === 1) ? known(pref.perf === 1) : unknown('it was not told'),
    longPaths:
      typeof probe.long === 'number' ? known(probe.long === 1) : unknown("Windows' setting can't be read"),
    gitLongPaths,
  };
}
