import { expect, it } from 'vitest';
import { causeOf, namedVariables } from './install-failure.ts';

it.each([
  [
    'npm, with its usage',
    `npm error code EUSAGE
npm error
npm error \`npm ci\` can only install packages when your package.json and package-lock.json are in sync.
npm error
npm error Missing: left-pad@1.3.0 from lock file
npm error
npm error Clean install a project
npm error
npm error Usage:
npm error npm ci
npm error
npm error Options:
npm error [--install-strategy <hoisted|nested|shallow|linked>] [--legacy-bundling]
npm error [--no-fund] [-w|--workspace <workspace-name>]
npm error
npm error aliases: clean-install, ic, install-clean, isntall-clean
npm error
npm error Run "npm help ci" for more info
npm error A complete log of this run can be found in: /root/.npm/_logs/2026-debug-0.log`,
    ['EUSAGE', 'can only install packages when'],
    ['Run "npm help', 'aliases'],
  ],
  [
    'yarn without a variable',
    `Usage Error: Environment variable not found (NPM_TOKEN) in /srv/slot/.yarnrc.yml (in npmAuthToken)

Yarn Package Manager - 4.9.1

  $ yarn <command>

You can also print more details about any of these commands by calling them with 
the \`-h,--help\` flag right after the command name.`,
    ['Environment variable not found (NPM_TOKEN)'],
    ['more details', 'Yarn Package Manager'],
  ],
  [
    'yarn with an unknown option',
    `Unknown Syntax Error: Unsupported option name ("--frozen").

$ yarn install [--json] [--immutable] [--immutable-cache] [--refresh-lockfile] [--check-cache]`,
    ['Unsupported option name'],
    ['--immutable-cache'],
  ],
  [
    'yarn in the midst of its steps',
    `➤ YN0000: ┌ Resolution step
➤ YN0035: │ left-pad@npm:9.9.9: Package not found
➤ YN0035: │   Response Code: 404 (Not Found)
➤ YN0000: └ Completed
➤ YN0000: · Failed with errors in 0s 100ms`,
    ['left-pad@npm:9.9.9: Package not found', '404'],
    ['Completed'],
  ],
  [
    'npm without a network',
    `npm error code EAI_AGAIN
npm error syscall getaddrinfo
npm error errno EAI_AGAIN
npm error request to https://registry.npmjs.org/left-pad failed, reason: getaddrinfo EAI_AGAIN registry.npmjs.org
npm error A complete log of this run can be found in: /root/.npm/_logs/x.log`,
    ['EAI_AGAIN', 'failed, reason'],
    ['A complete log'],
  ],
  [
    'a script of a package',
    `npm error code 1
npm error path /srv/slot/node_modules/native
npm error command failed
npm error command sh -c node-gyp rebuild
npm error gyp ERR! find Python
npm error gyp ERR! not ok`,
    ['gyp ERR! find Python', 'not ok'],
    ['/srv/slot'],
  ],
  [
    'pnpm',
    ` WARN  using --force
 ERR_PNPM_NO_MATCHING_VERSION  No matching version found for left-pad@9
This error happened while installing a direct dependency of /srv/slot`,
    ['ERR_PNPM_NO_MATCHING_VERSION'],
    ['WARN'],
  ],
  ['a script that says nothing plainly', 'one\ntwo\nthree\nfour', ['two · three · four'], ['one']],
])('says why an install failed: %s', (_, text, has, lacks) => {
  const cause = causeOf(text);
  for (const part of has) expect(cause).toContain(part);
  for (const part of lacks) expect(cause).not.toContain(part);
});

it('knows which variables settings need', () => {
  const settings = `
//r/:_authToken=\${NPM_TOKEN}
# \${NOT}
; \${NOR}
a: "\${ONE-x} \${TWO:-y} \${MY_KEY}"`;
  expect(namedVariables(settings)).toEqual(['NPM_TOKEN', 'MY_KEY']);
});
