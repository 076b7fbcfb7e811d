import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childEnvironment } from '../../processes/environment.ts';
import { findProgram } from '../../processes/find-program.ts';
import { run } from '../../processes/run.ts';

/** A newer one must not make tests fail that passed. */
const VERSION = '2.1.332';
const INSTALL_LIMIT_MS = 100_000;

export type ClaudeInstallation = { bin: string } | { missing: string };

/**
 * A directory with a real `claude` for tests: from a cache of earlier runs, or installed with npm now. It is kept for the next run and
 * never part of the project. Otherwise the reason why there is none.
 */
export async function installClaude(): Promise<ClaudeInstallation> {
  const cache = join(tmpdir(), `headway-test-claude-${VERSION}-${process.getuid?.() ?? 'user'}`);
  const bin = join(cache, 'node_modules', '.bin');
  if (await answers(bin)) return { bin };
  await mkdir(tmpdir(), { recursive: true });
  const fresh = await mkdtemp(join(tmpdir(), 'headway-install-claude-'));
  try {
    const install = await run({
      command: {
        shell: `npm install --no-save --no-audit --no-fund --ignore-scripts=false @anthropic-ai/claude-code@${VERSION}`,
      },
      cwd: fresh,
      env: childEnvironment({ npm_config_prefix: fresh, npm_config_update_notifier: 'false' }),
      timeoutMs: INSTALL_LIMIT_MS,
    });
    if (install.status !== 'exited' || install.exit !== 0) {
      const why =
        install.status === 'timed-out' ? 'it took too long' : install.stderr.trim().split('\n').at(-1);
      return { missing: `Claude Code could not be installed with npm: ${why ?? install.status}` };
    }
    // Two runs may install at once: the first to rename wins, either is as good, and is in use from then on.
    await rename(fresh, cache).catch(() => undefined);
    if (await answers(bin)) return { bin };
    // What stands there is broken.
    await rm(cache, { recursive: true, force: true });
    await rename(fresh, cache).catch(() => undefined);
    if (await answers(bin)) return { bin };
    return { missing: 'Claude Code was installed with npm, but does not start here' };
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

async function answers(bin: string): Promise<boolean> {
  const file = await findProgram('claude', { PATH: bin });
  if (!file) return false;
  const env = childEnvironment({ DISABLE_AUTOUPDATER: '1' });
  const version = await run({ command: { file, args: ['--version'] }, cwd: bin, env, timeoutMs: 20_000 });
  return version.exit === 0;
}
