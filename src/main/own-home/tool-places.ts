/**
 * What of a person's home a gate finds in its own, by a link: programs that were installed there, stores of packages, and files that hold nothing
 * but names and passwords. No caches of results (`go-build`, ccache, Gradle's build cache): they would tell what was said before. Below `.cache`
 * and `.local/share` as seen without `XDG_*`.
 */
export const TOOL_PLACES: readonly string[] = [
  // Node
  '.npm/_cacache',
  '.cache/node/corepack',
  '.yarn/berry/cache',
  '.cache/yarn',
  '.local/share/pnpm',
  '.bun/install',
  '.bun/bin',
  '.deno',
  '.cache/deno',
  '.nvm',
  '.volta',
  '.local/share/fnm',
  // Browsers of test runners
  '.cache/ms-playwright',
  '.cache/Cypress',
  '.cache/puppeteer',
  '.cache/electron',
  'Library/Caches/ms-playwright',
  'Library/Caches/Cypress',
  'Library/pnpm',
  // Python
  '.local/bin',
  '.local/lib',
  '.pyenv',
  '.cache/pip',
  '.cache/uv',
  '.local/share/uv',
  '.cache/pypoetry',
  // Rust, Go
  '.rustup',
  '.cargo/bin',
  '.cargo/registry',
  '.cargo/git',
  '.cargo/credentials.toml',
  'go/pkg/mod',
  'go/bin',
  // Java and others
  '.m2/repository',
  '.m2/settings.xml',
  '.gradle/wrapper',
  '.gradle/jdks',
  '.gradle/caches/modules-2',
  '.sdkman',
  '.jdks',
  '.ivy2/cache',
  '.nuget/packages',
  '.rbenv',
  '.gem',
  '.bundle/cache',
  '.asdf',
  '.local/share/mise',
  '.pub-cache',
  // Names and passwords
  '.netrc',
  '.git-credentials',
  '.docker/config.json',
];
