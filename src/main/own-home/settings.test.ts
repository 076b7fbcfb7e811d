import { describe, expect, it } from 'vitest';
import { gitSettings, npmSettings, pipSettings, yarnSettings } from './settings.ts';

// As npm writes variables.
const LOGIN = `//mine.example/:_authToken=${'$'}{TOKEN}`;

describe('what a gate gets of a person’s settings', () => {
  it('npm: registries, logins, certificates and proxies, and nothing that decides what runs', () => {
    const { places, logins } = npmSettings(
      [
        'registry=https://r.example/npm/',
        '@mine:registry = https://mine.example/',
        LOGIN,
        'cafile=~/ca.pem',
        'https-proxy=http://proxy.example:8080',
        '; registry=https://comment.example/',
        'script-shell=/tmp/always-green',
        'node-options=--require /tmp/x.js',
        'ignore-scripts=true',
        'if-present=true',
        'workspaces=false',
        'workspace=nothing',
        'prefix=/tmp/own',
        'globalconfig=/tmp/more',
        'shell=/tmp/always-green',
        'git=/tmp/git',
        'init-module=/tmp/x.js',
        'node-gyp=/tmp/x.js',
        '"script-shell"=/tmp/always-green',
        'registry[]=https://r.example/\rscript-shell=/tmp/always-green',
        '[section]',
        'registry=https://in-a-section.example/',
      ].join('\n'),
      '/home/me',
    );
    expect(places).toEqual([
      'registry=https://r.example/npm/',
      '@mine:registry = https://mine.example/',
      'cafile=/home/me/ca.pem',
      'https-proxy=http://proxy.example:8080',
    ]);
    expect(logins).toEqual([LOGIN]);
  });

  it('yarn: the same, also by scope and registry', () => {
    const kept = yarnSettings(
      [
        'npmRegistryServer: https://r.example',
        'yarnPath: /tmp/yarn.cjs',
        'plugins: [/tmp/plugin.cjs]',
        'enableScripts: false',
        'injectEnvironmentFiles: [/tmp/env]',
        'npmScopes: { mine: { npmRegistryServer: "https://mine.example", npmAuthToken: secret, yarnPath: /tmp/x } }',
      ].join('\n'),
    );
    expect(kept).toContain('npmAuthToken: secret');
    expect(kept).not.toMatch(/yarnPath|plugins|enableScripts|injectEnvironmentFiles/);
    expect(yarnSettings('a: [')).toBe('');
    expect(yarnSettings('just words')).toBe('');
  });

  it('pip: where packages come from', () => {
    expect(
      pipSettings(
        '[global]\nindex-url = https://r.example\nrequire-virtualenv = true\n[list]\nformat = json\n',
      ),
    ).toBe('[global]\nindex-url = https://r.example\n');
  });

  it('git: who commits, other addresses, proxies and helpers that everybody knows', () => {
    const kept = gitSettings([
      'user.name\nMe',
      'url.ssh://git@host/.insteadof\nhttps://host/',
      'http.proxy\nhttp://proxy.example',
      'credential.https://host.helper\n!gh auth git-credential',
      'credential.helper\n!/tmp/steal',
      'core.hookspath\n/tmp/hooks',
      'core.fsmonitor\n/tmp/x',
      'core.sshcommand\n/tmp/x',
      'alias.diff\n!true',
      'filter.x.clean\n/tmp/x',
      'diff.external\n/tmp/x',
      'core.pager\n/tmp/x',
    ]);
    expect(kept.map(([key]) => key)).toEqual([
      'user.name',
      'url.ssh://git@host/.insteadof',
      'http.proxy',
      'credential.https://host.helper',
    ]);
  });
});
