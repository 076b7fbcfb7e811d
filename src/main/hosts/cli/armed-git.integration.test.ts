import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Place, scripted } from './testing/headway.ts';

let place: Place;
let out: string;
beforeEach(() => {
  place = new Place();
  out = join(place.root, 'out');
  mkdirSync(out);
});
afterEach(async () => {
  await place.close();
});

/** Leaves a file that names what ran; prints its input, as a filter or a driver would. */
const trap = (name: string): string => `touch '${out}/${name}'; cat`;

/** Settings that make git run a program, by what they are called in git's documentation. */
const PROGRAMS = [
  ...['clean', 'smudge', 'process'].map((kind) => `filter.trap.${kind}`),
  ...['command', 'textconv'].map((kind) => `diff.trap.${kind}`),
  ...['diff.external', 'interactive.diffFilter', 'merge.trap.driver', 'trailer.Headway-Job.command'],
  ...[
    'trailer.Headway-Job.cmd',
    'trailer.headway-ticket.command',
    'core.fsmonitor',
    'core.alternateRefsCommand',
  ],
  ...[
    'core.askPass',
    'core.editor',
    'sequence.editor',
    'core.pager',
    'pager.log',
    'pager.status',
    'pager.diff',
  ],
  ...['core.sshCommand', 'core.gitProxy', 'credential.helper', 'gpg.program', 'gpg.ssh.program'],
  ...[
    'gpg.ssh.defaultKeyCommand',
    'uploadpack.packObjectsHook',
    'submodule.vendor.update',
    'tar.trap.command',
  ],
  ...['alias.add', 'alias.status', 'alias.push', 'man.trap.cmd', 'browser.trap.cmd', 'difftool.trap.cmd'],
  ...['mergetool.trap.cmd', 'guitool.trap.cmd', 'gc.recentObjectsHook'],
];

const HOOKS = [
  ...['applypatch-msg', 'pre-commit', 'prepare-commit-msg', 'commit-msg', 'post-commit', 'post-checkout'],
  ...['post-merge', 'pre-push', 'pre-auto-gc', 'post-rewrite', 'post-index-change', 'reference-transaction'],
  ...['fsmonitor-watchman', 'pre-receive', 'update', 'post-update', 'proc-receive', 'push-to-checkout'],
];

const name = (key: string): string => key.replaceAll(/[^A-Za-z]/g, '-');
const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;

/** One setting in the syntax of a git configuration. */
function setting(key: string, value: string): string {
  const [section = '', ...rest] = key.split('.');
  const last = rest.pop() ?? '';
  const sub = rest.length > 0 ? ` ${quoted(rest.join('.'))}` : '';
  return `[${section}${sub}]\n\t${last} = ${quoted(value)}\n`;
}

const HARMLESS = '[core]\n\trepositoryformatversion = 0\n\tbare = false\n';
const settings = (keys: readonly string[]): string =>
  keys.map((key) => setting(key, (key.startsWith('alias.') ? '!' : '') + trap(name(key)))).join('');

/** A script that arms the git directory `$G` of the repository it runs in. */
function arming(config: string): string {
  const file = place.write('armed/config', HARMLESS + config);
  const hook = place.write('armed/hook', `#!/bin/sh\ntouch "${out}/hook-$(basename "$0")"\n`);
  const attributes = place.write('armed/attributes', '* filter=trap diff=trap merge=trap\n');
  return [
    'set -e; G=.git; mkdir -p $G/hooks $G/info',
    `for h in ${HOOKS.join(' ')}; do rm -f $G/hooks/$h; cp ${hook} $G/hooks/$h; chmod +x $G/hooks/$h; done`,
    `cp ${attributes} $G/info/attributes`,
    `cp ${file} $G/config`,
  ].join('; ');
}

/** Every setting that the installed git knows; what has a name in it is called `trap`. */
const everySetting = (): string[] =>
  execFileSync('git', ['help', '--config'], { encoding: 'utf8' })
    .split('\n')
    .map((key) => key.replaceAll(/<[^>]+>/g, 'trap').replace(/\*$/, 'trap'))
    .filter((key) => /^[a-z][a-z0-9]*\.(.+\.)?[a-z][a-z0-9-]*$/i.test(key));

const ARMS: [string, () => string][] = [
  ['each setting that names a program', () => arming(settings(PROGRAMS))],
  ['every setting that git knows', () => arming(settings(everySetting()))],
  [
    'a file that its configuration includes',
    () => arming(setting('include.path', place.write('armed/more', settings(PROGRAMS)))),
  ],
  [
    'a second configuration of its work tree',
    () => {
      const more = place.write('armed/worktree', settings(PROGRAMS));
      return `${arming(setting('extensions.worktreeConfig', 'true'))}; cp ${more} $G/config.worktree`;
    },
  ],
  [
    'another directory for all that work trees share',
    () =>
      `${arming(settings(PROGRAMS))}; cp -r $G "${place.root}/common"; echo "${place.root}/common" > $G/commondir`,
  ],
  [
    'hooks in a directory of its own, and a work tree elsewhere',
    () =>
      `${arming(setting('core.worktree', place.root) + setting('core.bare', 'true') + setting('core.hooksPath', join(place.root, 'hooks')))}; cp -r $G/hooks "${place.root}/hooks"`,
  ],
  [
    'a repository inside it that it tracks like a submodule',
    () =>
      [
        'git config user.name a; git config user.email a@example.invalid; git init -q inner; cd inner; echo 1 > f; git add f',
        'git -c user.name=a -c user.email=a@example.invalid commit -qm inner; echo 2 > f; cd ..',
        'printf "[submodule \\"inner\\"]\\n\\tpath = inner\\n\\turl = ./inner\\n\\tignore = none\\n" > .gitmodules',
        'git add .gitmodules inner 2>/dev/null; git commit -qm link',
        `cd inner; ${arming(settings(PROGRAMS))}; cd ..; ${arming(settings(PROGRAMS))}`,
      ].join('; '),
  ],
];

const FILES = { 'src/a.ts': 'a\n', 'src/b.ts': 'b\n' };

it('runs nothing of an agent whose work is kept, not merged', async () => {
  const repo = place.repository('repo', FILES);
  const [, arms] = ARMS.at(-1) ?? ['', () => ''];
  const result = await place.run(
    'run',
    '--repo',
    repo,
    '--gate',
    `node -e "process.exit(require('fs').readFileSync('src/a.ts', 'utf8').includes('A') ? 1 : 0)"`,
    '--tickets',
    place.tickets('tickets', {
      A: scripted({ id: 'A' }, [
        { append: { path: 'src/a.ts', content: 'A\n' } },
        { run: `sh ${place.write('arm.sh', `${arms()}\n`)}` },
      ]),
    }),
  );
  expect(readdirSync(out)).toEqual([]);
  expect(result.summary.A).toMatchObject({ state: 'failed', files: expect.arrayContaining(['src/a.ts']) });
});

it.each(ARMS)('runs nothing of an agent that leaves %s', async (_, arms) => {
  const repo = place.repository('repo', FILES);
  const script = place.write('arm.sh', `${arms()}\n`);
  const again = place.write('again.sh', `${arming(settings(PROGRAMS))}\necho '1 passed'\n`);
  const result = await place.run(
    'run',
    '--repo',
    repo,
    // What the agent wrote runs in the gate as well.
    '--gate',
    `sh ${again}`,
    '--tickets',
    place.tickets('tickets', {
      A: scripted({ id: 'A' }, [
        { append: { path: 'src/a.ts', content: 'A\n' } },
        { write: { path: 'src/new.ts', content: 'new\n' } },
        { run: `sh ${script}` },
      ]),
    }),
  );
  expect(readdirSync(out)).toEqual([]);
  expect(result.summary.A?.state, JSON.stringify(result.summary.A)).toBe('merged');
  expect(place.git(repo, 'show', 'main:src/a.ts')).toBe('a\nA');
  expect(place.git(repo, 'status', '--porcelain')).toBe('');
  expect(existsSync(join(repo, 'src/new.ts'))).toBe(true);
});
