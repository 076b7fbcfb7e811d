import { cp, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkScript } from '../agents/script.ts';
import { scriptedAgent } from '../agents/scripted.ts';
import { git, gitLine, gitList } from '../git/git.ts';
import { childEnvironment } from '../processes/environment.ts';
import { run } from '../processes/run.ts';
import { claimOf } from '../tickets/claim-of.ts';
import { parseTickets } from '../tickets/parse-tickets.ts';
import { sampleResources } from './sample-files.ts';
import { vendorTypescript } from './vendor-typescript.ts';
import { readSampleTickets, writeSample } from './write-sample.ts';

/** No registry can be reached: the sample installs from itself alone. */
const env = childEnvironment({
  npm_config_offline: 'true',
  npm_config_registry: 'http://127.0.0.1:9/',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_update_notifier: 'false',
});

let dir: string;
let repository: string;
const tickets = new Map<string, string>();

const npm = async (...args: string[]): Promise<{ exit: number; output: string }> => {
  const { exit, stdout, stderr } = await run({
    command: { shell: `npm ${args.join(' ')}` },
    cwd: repository,
    env,
  });
  return { exit, output: stdout + stderr };
};

async function expectGreen(scripts = ['lint', 'typecheck', 'test', 'build']): Promise<string> {
  let output = '';
  for (const script of scripts) {
    const result = await npm('run', script);
    expect(result.exit, `${script}: ${result.output}`).toBe(0);
    output += result.output;
  }
  return output;
}

/** Does what the ticket's agent does, without its pauses and commands: the gate's scripts run afterwards anyway. */
async function apply(name: string): Promise<void> {
  const text = tickets.get(name) ?? '';
  const outcome = await scriptedAgent.run({
    ticket: {
      id: name,
      title: name,
      text: text.replace(/^- (pause|run): .*\n/gm, ''),
      dependsOn: [],
      related: [],
      priority: 'batch',
    },
    prompt: '',
    dir: repository,
    tempDir: dir,
    env,
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    output: () => undefined,
    redact: (text) => text,
    onUsage: () => undefined,
  });
  expect(outcome, name).toEqual({ kind: 'finished' });
}

beforeAll(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), 'headway-sample-')));
  const written = await writeSample(join(dir, 'new'));
  repository = written.repository;
  for (const { file, text } of await readSampleTickets(written.tickets)) {
    tickets.set(file.replace(/^\d-|\.md$/g, ''), text);
  }
  const installed = await npm('ci', '--offline');
  expect(installed).toMatchObject({ exit: 0 });
});

afterAll(async () => {
  await rm(dir, { recursive: true, force: true });
});

const backToStart = async (): Promise<void> => {
  await git(['reset', '--quiet', '--hard', 'HEAD'], { cwd: repository });
  await git(['checkout', '--quiet', '--detach', 'main'], { cwd: repository });
  await git(['clean', '-ffdq'], { cwd: repository });
};

describe('the sample as written', () => {
  test('is one commit on main, with nothing uncommitted, also after the install', async () => {
    expect(await gitLine(['log', '--format=%D'], { cwd: repository })).toBe('HEAD -> main');
    expect(await gitLine(['status', '--porcelain'], { cwd: repository })).toBe('');
  });

  test('passes its own lint, typecheck, tests and build without a network', async () => {
    expect(await expectGreen()).toMatch(/pass 1[0-9]\b/);
    expect(await gitLine(['status', '--porcelain'], { cwd: repository })).toBe('');
  });

  test('its lint finds what it says it finds', async () => {
    await writeFile(
      join(repository, 'src', 'bad.ts'),
      "import { parseCsv } from './csv.js';\nvar a = 1 as any; \nconsole.log(a == 1);\n",
    );
    const { exit, output } = await npm('run', 'lint');
    await backToStart();
    expect(exit).toBe(1);
    for (const rule of ['no-unused-imports', 'no-var', 'no-any', 'no-console', 'no-loose-equality']) {
      expect(output).toContain(rule);
    }
    expect(output).toContain('no-trailing-spaces');
  });
});

describe('the tickets of the sample', () => {
  test('are six without a problem, all but one with paths of their own', async () => {
    const tracked = new Set(await gitList(['ls-files', '-z'], { cwd: repository }));
    const files = [...tickets].map(([name, bytes]) => ({ name, bytes }));
    const parsed = parseTickets(files, { root: repository });
    expect(parsed.problems).toEqual([]);
    for (const { text } of parsed.tickets) expect(checkScript(text)).toEqual([]);
    expect(parsed.tickets.map((ticket) => ticket.agent)).toEqual(Array(6).fill('scripted'));
    const claims = parsed.tickets.map((ticket) => [
      ticket.id,
      claimOf(ticket, { root: repository, tracked }).kind,
    ]);
    expect(Object.fromEntries(claims)).toEqual({
      'CSV-1': 'paths',
      'CSV-2': 'paths',
      'INI-1': 'paths',
      'TIME-1': 'paths',
      'SIZE-1': 'paths',
      'TEXT-1': 'everything',
    });
  });

  test.each([
    [['csv-quotes']],
    [['csv-quotes', 'csv-write']],
    [['ini-comments']],
    [['duration-days']],
    [['bytes-read']],
    [['byte-order-mark']],
    [['byte-order-mark', 'bytes-read', 'duration-days', 'ini-comments', 'csv-quotes', 'csv-write']],
    [['csv-quotes', 'ini-comments', 'duration-days', 'csv-write', 'bytes-read', 'byte-order-mark']],
  ])('%j leave the gate green', async (names) => {
    await backToStart();
    for (const name of names) await apply(name);
    await expectGreen(['lint', 'test']); // the tests compile everything first
    await backToStart();
  });
});

describe('a packaged application', () => {
  test('finds the sample and the compiler beside its archive', async () => {
    const resources = join(dir, 'packaged');
    await cp(sampleResources(), join(resources, 'sample'), { recursive: true });
    await cp(join(repository, 'vendor', 'typescript'), join(resources, 'typescript'), { recursive: true });
    const compiler = join(resources, 'typescript', 'package.json');
    await writeFile(
      compiler,
      (await readFile(compiler, 'utf8')).replace(/"version": ".*"/, '"version": "0.0.1"'),
    );
    Object.assign(process, { resourcesPath: resources });
    try {
      expect(sampleResources(tmpdir())).toBe(join(resources, 'sample'));
      expect(await vendorTypescript(join(dir, 'vendored'))).toBe('0.0.1');
    } finally {
      Reflect.deleteProperty(process, 'resourcesPath');
    }
  });

  test('that lacks the sample says so', () => {
    expect(() => sampleResources(tmpdir())).toThrow(/not part of this installation/);
  });
});

describe('a directory that can not take the sample', () => {
  test('is refused where it is not empty, and is left as it is', async () => {
    await writeFile(join(dir, 'mine.txt'), 'mine');
    await expect(writeSample(dir)).rejects.toMatchObject({
      code: 'bad-input',
      message: expect.stringContaining('is not empty'),
    });
    expect(await readFile(join(dir, 'mine.txt'), 'utf8')).toBe('mine');
  });

  test('is refused where it is a file', async () => {
    const path = join(dir, 'file.txt');
    await writeFile(path, '');
    await expect(writeSample(path)).rejects.toMatchObject({
      code: 'bad-input',
      message: expect.stringContaining('is a file'),
    });
  });
});
