import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { secretSamples } from '../../redaction/testing/secret-samples.ts';
import { type JobLine, Place } from './testing/headway.ts';

let place: Place;
beforeEach(() => {
  place = new Place();
});
afterEach(async () => {
  await place.close();
});

/** Of no known kind: Headway knows it because it stands in its own environment. */
const OWN = `odd${'Zq9w'.repeat(6)}`;
const samples = secretSamples();
const bodies = [...samples.flatMap(({ body }) => body.split('\n')), OWN].filter((body) => body.length >= 12);
const lines = [
  ...samples.map(({ line }) => line),
  `own ${OWN} and ${Buffer.from(`x:${OWN}`).toString('base64')}`,
];

/** Prints everything whole and cut at every place of its middle, on both streams. */
const PRINTER = `
const lines = ${JSON.stringify(lines)};
const out = process.argv[2] === 'err' ? process.stderr : process.stdout;
for (const line of lines) {
  out.write(line + '\\n');
  for (let at = 4; at < Math.min(line.length, 60); at += 9) {
    out.write(line.slice(0, at));
    out.write(line.slice(at) + '\\n');
  }
}
out.write(lines.join(' '));
// Not at once: what a full pipe has not taken would be lost.
process.exitCode = Number(process.argv[3] ?? 0);
`;

function* filesBelow(dir: string): Iterable<string> {
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else if (entry.isFile()) yield path;
  }
}

function leaks(text: string | Buffer): string[] {
  const bytes = Buffer.from(text);
  return bodies.filter((body) => bytes.includes(body));
}

it('tokens that agent and gate print are nowhere in what Headway stores or says', async () => {
  place.env.GITHUB_TOKEN = OWN;
  const printer = place.write('printer.cjs', PRINTER);
  expect(leaks(lines.join('\n'))).toEqual(bodies);
  const repo = place.repository('repo', { 'README.md': 'x\n' });
  place.git(repo, 'remote', 'add', 'origin', `https://x:${OWN}@127.0.0.1:1/x.git`);
  const node = JSON.stringify(process.execPath);
  const agent = (stream: string, exit: number) =>
    `agent: ${JSON.stringify(`command: echo y >> README.md; ${node} ${printer} ${stream} ${exit}`)}`;
  const tickets = place.tickets('tickets', {
    RED: `---\npaths: [README.md]\n${agent('out', 0)}\n---\nRed at the gate.`,
    FAILS: `---\npaths: [README.md]\n${agent('err', 3)}\n---\nThe agent fails.`,
    KILLED: `---\npaths: [other]\ntimeout: 3s\n${agent('out', 0).slice(0, -1)}; sleep 300"\n---\nIt is cut.`,
  });
  const gate = `${node} ${printer} err 1`;
  const done = await place.run('run', '--repo', repo, '--tickets', tickets, '--gate', gate, '--no-wait');
  expect(done.exit).toBe(1);
  // The base prints them as well, and its verdict is remembered.
  expect(done.summary.RED).toMatchObject({ state: 'held', cause: { code: 'base-red' } });
  expect(done.summary.FAILS).toMatchObject({ state: 'failed', cause: { code: 'agent-failed' } });
  expect(done.summary.KILLED).toMatchObject({ state: 'failed', cause: { code: 'timeout' } });
  expect((done.summary.FAILS as JobLine | undefined)?.reason).toContain('[redacted]');
  expect(leaks(JSON.stringify(done.lines) + done.stderr)).toEqual([]);
  const said = await Promise.all([
    place.run('jobs'),
    place.run('why', 'FAILS'),
    place.run('slots'),
    place.run('audit-log'),
  ]);
  expect(leaks(JSON.stringify(said.map((one) => one.lines)))).toEqual([]);
  const found = [...filesBelow(place.home)].flatMap((path) => {
    const bodiesIn = leaks(readFileSync(path));
    return bodiesIn.length > 0 ? [{ path, bodiesIn }] : [];
  });
  expect(found).toEqual([]);
  const transcripts = [...filesBelow(join(place.home, 'transcripts'))].map((path) =>
    readFileSync(path, 'utf8'),
  );
  for (const { expected } of samples.slice(0, 8)) expect(transcripts.join('\n')).toContain(expected);
});

it('a secret in a ticket reaches its agent, and nobody else', async () => {
  place.env.GITHUB_TOKEN = OWN;
  const repo = place.repository('repo', { 'README.md': 'x\n' });
  const got = join(place.root, 'got');
  const tickets = place.tickets('tickets', {
    T: `---\ntitle: Use ${OWN} for it\npaths: [README.md, docs/${OWN}.md]\n---\nThe key is ${OWN}, do it.`,
  });
  const agent = `command: cp "$HEADWAY_PROMPT_FILE" '${got}'; echo y >> README.md; mkdir docs; echo z > docs/'${OWN}'.md`;
  const args = ['run', '--repo', repo, '--tickets', tickets, '--agent', agent];
  const done = await place.run(...args, '--gate', "node -e 'console.log(1)'");
  expect(done.summary.T?.state).toBe('merged');
  expect(readFileSync(got, 'utf8')).toContain(`The key is ${OWN}, do it.`);
  expect(place.git(repo, 'log', '-1', '--format=%s', 'main')).toBe('T: Use odd[redacted] for it');
  const said = await Promise.all([place.run('jobs'), place.run('why', 'T'), place.run('audit-log')]);
  expect(leaks(JSON.stringify([done.lines, said.map((one) => one.lines)]) + done.stderr)).toEqual([]);
  const holding = [...filesBelow(place.home)].filter((path) => leaks(readFileSync(path)).length > 0);
  // The ticket itself, and the tree of the repository, where the agent wrote it into a name.
  expect(holding.filter((path) => !/headway\.db|\/slots\//.test(path))).toEqual([]);
});
