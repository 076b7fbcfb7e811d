import { describe, expect, it } from 'vitest';
import { known } from './answer.ts';
import {
  defenderAnswer,
  hresultOf,
  otherScanners,
  parseCheckExclusion,
  parseFsutil,
  parseProbe,
  parseVolumeState,
  type WindowsProbe,
  windowsFacts,
} from './parse-windows.ts';
import {
  FSUTIL,
  FSUTIL_GUESSES,
  NOT_RUNNING_ERRORS,
  PLACEHOLDERS,
  PROBES,
  VOLUME_STATE,
} from './testing/recorded-outputs.ts';

const facts = (probe: string, root = 'D:\\slots') => windowsFacts(parseProbe(probe), root, known(true));
const probeWith = (change: object): WindowsProbe =>
  parseProbe(JSON.stringify({ ...JSON.parse(PROBES.user), ...change })) as WindowsProbe;

describe('parseFsutil', () => {
  it.each(['trustedByPolicy', 'trustedBare', 'trustedScanned'] as const)('is sure of %s', (name) => {
    expect(parseFsutil(FSUTIL[name])).toEqual(known('trusted'));
  });

  it('is sure of an ordinary volume', () => {
    expect(parseFsutil(FSUTIL.ordinary)).toEqual(known('no'));
  });

  it.each([
    FSUTIL.enabled,
    FSUTIL.enabledByPolicy,
    FSUTIL.refused,
    FSUTIL.refusedChinese,
    FSUTIL.unsupported,
    FSUTIL.trustedGerman,
    '',
    ...FSUTIL_GUESSES,
  ])('takes anything else for unknown: %s', (text) => {
    expect(parseFsutil(text).known).toBe(false);
  });
});

describe('parseVolumeState', () => {
  it.each([
    [VOLUME_STATE.trusted, known('trusted')],
    [VOLUME_STATE.untrusted, known('untrusted')],
    [VOLUME_STATE.ordinary, known('no')],
    ['00600000', known('unsupported')],
    ['error 1', known('unsupported')],
    ['error 87', known('unsupported')],
  ])('reads %s', (reply, expected) => {
    expect(parseVolumeState(reply)).toEqual(expected);
  });

  it.each(['error 5', 'error 21', 'error 31', 'nonsense', '', null])('does not guess from %s', (reply) => {
    expect(parseVolumeState(reply).known).toBe(false);
  });
});

describe('the probe', () => {
  it('tells a user that the list is not for him', () => {
    expect(facts(PROBES.user)).toMatchObject({
      defender: known(true),
      excluded: { known: false, why: expect.stringContaining('administrators only') },
      performanceMode: known(true),
      elevated: known(false),
      otherScanners: [],
    });
  });

  it('reads the list for an administrator', () => {
    expect(facts(PROBES.administrator).excluded).toEqual(known(true));
    expect(facts(PROBES.administrator, 'D:\\slots2').excluded).toEqual(known(false));
    // Only for one process; and a user's variable, which the system reads as its own.
    expect(facts(PROBES.administrator, 'C:\\Users\\ada\\AppData\\Local\\x').excluded).toEqual(known(false));
    expect(facts(PROBES.administrator, 'C:\\Users\\ada\\src').excluded).toEqual(known(false));
  });

  it('finds another product in charge', () => {
    expect(facts(PROBES.otherProduct)).toMatchObject({
      defender: { known: false, why: expect.stringContaining('0x800106ba') },
      excluded: { known: false },
      otherScanners: ['Norton Security'],
    });
  });

  it('is unknown throughout where nothing can be asked', () => {
    expect(facts(PROBES.none)).toMatchObject({
      defender: { known: false, why: expect.stringContaining('CommandNotFoundException') },
      excluded: { known: false },
      devDrive: { known: false },
      longPaths: { known: false },
      performanceMode: { known: false },
    });
    for (const text of ['', 'Windows PowerShell', '{"v":2}', '{"v":1', '[]']) {
      expect(parseProbe(text)).toBeUndefined();
      expect(facts(text).defender.known).toBe(false);
    }
  });

  it('passes over what a profile prints before it, and a list of one that became the one', () => {
    const pref = { ok: true, hide: false, perf: null, paths: 'D:\\slots' };
    const probe = `\ufeffHello\r\n${JSON.stringify({ v: 1, pref, elevated: true })}\r\n`;
    expect(facts(probe).excluded).toEqual(known(true));
    const none = { ...pref, paths: null };
    expect(facts(JSON.stringify({ v: 1, pref: none, elevated: true })).excluded).toEqual(known(false));
    const hidden = { ...none, hide: true };
    expect(facts(JSON.stringify({ v: 1, pref: hidden, elevated: false })).excluded.known).toBe(false);
  });

  it.each(PLACEHOLDERS)('knows "%s" in either hand', (placeholder) => {
    for (const elevated of [false, true]) {
      const pref = { ok: true, hide: true, perf: 1, paths: [placeholder] };
      expect(facts(JSON.stringify({ v: 1, pref, elevated })).excluded.known).toBe(false);
    }
  });

  it.each([
    ['Normal', known(true)],
    ['EDR Block Mode', known(true)],
    ['Passive', known(false)],
    ['Passive Mode', known(false)],
    ['SxS Passive Mode', known(false)],
    ['Not running', known(false)],
    ['', known(false)],
  ])('reads the mode %s', (mode, expected) => {
    expect(defenderAnswer(probeWith({ mp: { ok: true, mode, av: true, rtp: true } }))).toEqual(expected);
  });

  it('does not guess from a mode of the future, and believes a switch that is off', () => {
    expect(defenderAnswer(probeWith({ mp: { ok: true, mode: 'Turbo' } })).known).toBe(false);
    expect(defenderAnswer(probeWith({ mp: { ok: true, mode: 'Normal', rtp: false } }))).toEqual(known(false));
  });

  it('counts only products that are on', () => {
    const av = [
      { name: 'Norton Security', state: 262144 },
      { name: 'Windows Defender', state: 397568 },
    ];
    expect(otherScanners(probeWith({ av }))).toEqual([]);
  });
});

it('reads the number of an error, whatever its sentence', () => {
  expect(NOT_RUNNING_ERRORS.map(hresultOf)).toEqual(['0x800106ba', '0x800106ba', '0x800106ba']);
  expect(hresultOf('InvalidOperationException,Microsoft.PowerShell.Commands.StartProcessCommand')).toBe(
    undefined,
  );
});

it('takes a "not excluded" from an administrator only', () => {
  expect(parseCheckExclusion(0, false)).toEqual(known(true));
  expect(parseCheckExclusion(1, true)).toEqual(known(false));
  for (const [exit, elevated] of [
    [1, false],
    [2, true],
    [null, true],
  ] as const) {
    expect(parseCheckExclusion(exit, elevated).known).toBe(false);
  }
});
