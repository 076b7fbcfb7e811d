import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Place } from './headway.ts';

export type FakePullRequest = {
  url: string;
  state: string;
  headRefName: string;
  headRefOid: string;
  isCrossRepository: boolean;
  mergeCommit: { oid: string } | null;
  title: string;
  body: string;
  base: string;
  comments: { body: string }[];
};
type State = {
  prs: FakePullRequest[];
  /** `atMs`: milliseconds since 1970. */
  calls: { args: string[]; atMs: number; pid: number; askedBy: number }[];
  plan: string[];
};

/**
 * A `gh` on the PATH that keeps pull requests in a file. A step of its plan goes to the next call that changes
 * something, or to `look` calls where it begins so: `limit` refuses with a limit, `die` does what was asked and is
 * killed, `hang` does it and never ends. `stay` is a `hang` that goes on when who asked is gone, as a real one may.
 */
export class FakeForge {
  readonly #file: string;
  readonly origin: string;

  constructor(place: Place, repo: string) {
    this.#file = join(place.root, 'forge.json');
    this.origin = join(place.root, 'origin.git');
    place.git(place.root, 'init', '-q', '--bare', '-b', 'main', this.origin);
    place.git(repo, 'remote', 'add', 'origin', this.origin);
    place.git(repo, 'push', '-q', 'origin', 'main');
    place.git(repo, 'fetch', '-q', 'origin');
    this.change({ prs: [], calls: [], plan: [] });
    const program = place.write('bin/gh', `#!${process.execPath}\n${PROGRAM(this.#file, this.origin)}`);
    chmodSync(program, 0o755);
    place.env.PATH = `${join(place.root, 'bin')}${delimiter}${process.env.PATH}`;
  }

  get state(): State {
    return JSON.parse(readFileSync(this.#file, 'utf8')) as State;
  }

  change(change: Partial<State>): void {
    const before = existsSync(this.#file) ? this.state : {};
    writeFileSync(`${this.#file}.new`, JSON.stringify({ ...before, ...change }));
    renameSync(`${this.#file}.new`, this.#file);
  }

  /** How often something was asked for, such as `pr create`. */
  count(words: string): number {
    return this.state.calls.filter(({ args }) => args.join(' ').startsWith(words)).length;
  }
}

const PROGRAM = (file: string, origin: string): string => `
const { mkdirSync, readFileSync, renameSync, rmdirSync, writeFileSync } = require('node:fs');
const { execFileSync } = require('node:child_process');
const file = ${JSON.stringify(file)};
const sleeper = new Int32Array(new SharedArrayBuffer(4));
// One at a time: two at once would each forget what the other had done.
for (;;) {
  try {
    mkdirSync(file + '.lock');
    break;
  } catch {
    Atomics.wait(sleeper, 0, 0, 5);
  }
}
const state = JSON.parse(readFileSync(file, 'utf8'));
const args = process.argv.slice(2);
const option = (name) => args.find((arg) => arg.startsWith('--' + name + '='))?.slice(name.length + 3);
const changes = args[1] === 'create' || args[1] === 'comment';
state.calls.push({ args, atMs: performance.timeOrigin, pid: process.pid, askedBy: process.ppid });
const next = state.plan.findIndex((step) => changes !== step.startsWith('look '));
const step = next < 0 ? '' : state.plan.splice(next, 1)[0].replace('look ', '');
const save = () => {
  writeFileSync(file + '.saved', JSON.stringify(state));
  renameSync(file + '.saved', file);
  rmdirSync(file + '.lock');
};
if (step === 'limit') {
  save();
  process.stderr.write('HTTP 429: too many requests (https://forge.test/)\\nRetry-After: 1\\n');
  process.exit(1);
}
if (args[1] === 'create') {
  const headRefName = option('head');
  const headRefOid = execFileSync('git', ['-C', ${JSON.stringify(origin)}, 'rev-parse', 'refs/heads/' + headRefName], { encoding: 'utf8' }).trim();
  const url = 'https://forge.test/lib/pull/' + (state.prs.length + 1);
  state.prs.push({ url, state: 'OPEN', headRefName, headRefOid, isCrossRepository: false, mergeCommit: null,
    title: option('title'), base: option('base'), body: readFileSync(0, 'utf8'), comments: [] });
  console.log(url);
} else if (args[1] === 'comment') {
  state.prs.find(({ url }) => url === args[2]).comments.push({ body: readFileSync(0, 'utf8') });
} else if (args[1] === 'view') {
  console.log(JSON.stringify({ comments: state.prs.find(({ url }) => url === args[2]).comments }));
} else {
  console.log(JSON.stringify(state.prs.filter(({ headRefName }) => headRefName === option('head'))));
}
save();
if (step === 'die') process.kill(process.pid, 'SIGKILL');
// It never answers; who asked may be killed meanwhile, and then it goes, too.
const asker = process.ppid;
if (step === 'hang') setInterval(() => process.ppid === asker || process.exit(1), 50);
if (step === 'stay') setInterval(() => undefined, 1000);
`;
