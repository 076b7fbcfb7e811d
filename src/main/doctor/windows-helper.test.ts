import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { launchProblem, readResult, runHelper } from './windows-helper.ts';
import { helperScript } from './windows-scripts.ts';

const path = 'D:\\hw\\slots';
const result = (change: object): string =>
  JSON.stringify({ v: 1, elevated: true, added: true, before: [], after: [path], check: null, ...change });

/** The script inside `-EncodedCommand`. */
const decode = (args: readonly string[]): string =>
  Buffer.from(args.at(-1) ?? '', 'base64').toString('utf16le');
const requestIn = (script: string): { exclude?: string; result: string } => {
  const data = /FromBase64String\('([^']+)'\)/.exec(script)?.[1] ?? '';
  return JSON.parse(Buffer.from(data, 'base64').toString('utf8'));
};

describe('the elevated helper', () => {
  it.each([
    [{}, true, /is excluded$/],
    [{ added: false, before: [path] }, true, /and was before/],
    [{ before: null, after: { value: [path], Count: 1 } }, true, /is excluded/],
    [{ after: ['d:\\HW\\'] }, true, /is excluded/],
    [{ after: [] }, false, /did not keep it: .*policy/],
    [{ after: ['D:\\other'] }, false, /did not keep it/],
    [{ after: [], error: 'HRESULT 0x800106ba,Add-MpPreference' }, false, /refused \(0x800106ba\)/],
    [{ after: ['N/A: Must be an administrator to view exclusions'], check: 0 }, true, /is excluded/],
    [{ after: ['N/A: Must be an administrator to view exclusions'], check: 1 }, false, /did not keep it/],
    [{ after: ['N/A: Must be an administrator to view exclusions'] }, false, /hides the list/],
    [{ after: null, elevated: false }, false, /looks empty/],
  ])('believes only what was read back: %o', (change, done, text) => {
    expect(readResult(result(change), { exclude: path })).toEqual({
      done,
      text: expect.stringMatching(text),
    });
  });

  it('reads long paths back as well, and takes no result for none', () => {
    expect(readResult(result({ long: 1 }), { longPaths: true }).done).toBe(true);
    expect(readResult(result({ long: 0 }), { longPaths: true }).done).toBe(false);
    for (const text of ['', '{}', 'garbage']) {
      expect(readResult(text, { exclude: path })).toMatchObject({ done: false });
    }
  });

  it('knows a refused prompt by its number', () => {
    expect(launchProblem('{"launched":true,"exit":0}')).toBeUndefined();
    expect(launchProblem('{"launched":false,"native":1223}')).toMatch(/you said no/);
    expect(launchProblem('{"launched":false,"native":5}')).toMatch(/error 5/);
    expect(launchProblem('Der Vorgang wurde durch den Benutzer abgebrochen.')).toMatch(/did not start/);
    expect(launchProblem(undefined)).toMatch(/did not start/);
  });

  it('tells the script its folder as data, so that no name can become a command', () => {
    const hostile = "D:\\hw'; Remove-Item C:\\ -Recurse; '";
    const script = helperScript({ exclude: hostile, result: 'C:\\r.json' });
    expect(script).not.toContain('Remove-Item');
    expect(requestIn(script)).toEqual({ exclude: hostile, result: 'C:\\r.json' });
  });

  it('is started once, and its result is taken from the file that it names', async () => {
    const calls: string[] = [];
    const outcome = await runHelper({ exclude: path }, async (file, args) => {
      calls.push(file);
      const inner = /-EncodedCommand ([A-Za-z0-9+/=]+)'/.exec(decode(args))?.[1] ?? '';
      await writeFile(requestIn(decode([inner])).result, result({}));
      return { exit: 0, stdout: '{"launched":true,"exit":0}\r\n', stderr: '' };
    });
    expect(outcome).toEqual({ done: true, text: `${path} is excluded` });
    expect(calls).toHaveLength(1);
  });

  it('asks for nothing where the folder must not be excluded', async () => {
    const never = (): never => {
      throw new Error('started');
    };
    expect(await runHelper({ exclude: 'C:\\Users\\ada' }, never)).toMatchObject({
      done: false,
      text: expect.stringContaining('whole home'),
    });
  });
});
