import { pathKeys } from '../paths/paths.ts';

/**
 * Hub files: what everything else hangs on, so a ticket that names one runs alone. A pattern is a name at any depth,
 * `/name` at the top only, or `/dir/` with all that is in it; `*` stands for a part of a name.
 */
export const DEFAULT_HUBS: readonly string[] = [
  // manifests and lockfiles
  ...[
    'package.json',
    'package-lock.json',
    'npm-shrinkwrap.json',
    'pnpm-lock.yaml',
    'pnpm-workspace.yaml',
    'yarn.lock',
  ],
  ...['bun.lock', 'bun.lockb', 'deno.json', 'deno.jsonc', 'deno.lock', 'jsr.json', 'rush.json', '.pnp.cjs'],
  ...['Cargo.toml', 'Cargo.lock', 'go.mod', 'go.sum', 'go.work', 'go.work.sum'],
  ...[
    'pyproject.toml',
    'poetry.lock',
    'uv.lock',
    'pdm.lock',
    'Pipfile',
    'Pipfile.lock',
    'requirements*.txt',
    'setup.py',
  ],
  ...[
    'setup.cfg',
    'Gemfile',
    'Gemfile.lock',
    '*.gemspec',
    'composer.json',
    'composer.lock',
    'mix.exs',
    'mix.lock',
  ],
  ...[
    'pom.xml',
    'build.gradle',
    'build.gradle.kts',
    'settings.gradle',
    'settings.gradle.kts',
    'gradle.properties',
  ],
  ...[
    '*.csproj',
    '*.sln',
    'Directory.*.props',
    'packages.lock.json',
    'Package.swift',
    'Package.resolved',
    'pubspec.*',
  ],
  ...['flake.nix', 'flake.lock', 'CMakeLists.txt', 'WORKSPACE', 'MODULE.bazel'],
  // configuration at the top
  ...['/tsconfig*.json', '/jsconfig.json', '/*.config.js', '/*.config.cjs', '/*.config.mjs', '/*.config.ts'],
  ...[
    '/*.config.cts',
    '/*.config.mts',
    '/*.config.json',
    '/.npmrc',
    '/.yarnrc*',
    '/.pnpmfile.cjs',
    '/.nvmrc',
  ],
  ...[
    '/.node-version',
    '/.tool-versions',
    '/mise.toml',
    '/.eslintrc*',
    '/.eslintignore',
    '/.prettierrc*',
    '/biome.json*',
  ],
  ...['/turbo.json', '/nx.json', '/lerna.json', '/Makefile', '/justfile', '/Taskfile.y*ml', '/Dockerfile*'],
  ...[
    '/docker-compose*.y*ml',
    '/compose*.y*ml',
    '/.dockerignore',
    '/.gitignore',
    '/.gitattributes',
    '/.gitmodules',
  ],
  ...[
    '/.dependency-cruiser.*',
    '/knip.json*',
    '/rust-toolchain*',
    '/.cargo/',
    '/tox.ini',
    '/.pre-commit-config.yaml',
  ],
  ...['/.husky/', '/patches/', '/.yarn/'],
  // continuous integration, and Headway's own policy
  ...[
    '/.github',
    '/.github/workflows/',
    '/.github/actions/',
    '/.gitlab-ci.yml',
    '/.gitlab/',
    '/.circleci/',
    '/.travis.yml',
  ],
  ...[
    '/azure-pipelines*.yml',
    '/Jenkinsfile*',
    '/.buildkite/',
    '/.woodpecker*',
    '/.drone.yml',
    '/.ci/',
    '/.headway*',
  ],
  '/.headway/',
];

type Hub = { pattern: string; test: RegExp };
const compiled = new WeakMap<readonly string[], Hub[]>();

function compile(patterns: readonly string[]): Hub[] {
  let hubs = compiled.get(patterns);
  if (!hubs) {
    hubs = patterns.map((pattern) => {
      const keys = pathKeys(pattern.replace(/^\/|\/$/g, '')).join('/');
      const body = keys.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '[^/]*');
      const start = pattern.startsWith('/') ? '^' : '(?:^|/)';
      return { pattern, test: new RegExp(`${start}${body}${pattern.endsWith('/') ? '(?:/|$)' : '$'}`) };
    });
    compiled.set(patterns, hubs);
  }
  return hubs;
}

/** The pattern that makes this path (relative to the repository) a hub; undefined where it is none. */
export function hubOf(path: string, patterns: readonly string[] = DEFAULT_HUBS): string | undefined {
  const key = pathKeys(path).join('/');
  return compile(patterns).find((hub) => hub.test.test(key))?.pattern;
}
