import { createHash } from 'node:crypto';
import { readBlobs } from '../../git/read-blobs.ts';
import { matchesAny } from '../../paths/globs.ts';
import type { ResolvedPolicy } from '../policy/policy.ts';
import { isGateConfig } from './gate-files.ts';
import { gateParts } from './gate-parts.ts';
import { gatePrograms, manifestDefinition, needsText } from './tampering.ts';

/**
 * Hash of the files of a commit that define its gate: configuration of checkers, the programs that the gate starts and what
 * these load, protected files, and of manifests the parts that a checker reads. Read from git at `cwd`.
 */
export async function gateDefinition(options: {
  cwd: string;
  commit: string;
  /** As resolved at `commit`. */
  policy: Pick<ResolvedPolicy, 'gate' | 'setup' | 'protect' | 'scripts'>;
}): Promise<string> {
  const { policy } = options;
  const programs = gatePrograms(policy);
  const { files, modules } = await gateParts(options);
  const manifests = [...files].filter(([path]) => needsText(path)).map(([, blob]) => blob);
  const texts = await readBlobs(options.cwd, manifests);
  const hash = createHash('sha256');
  for (const [path, blob] of files) {
    if (needsText(path)) {
      hash.update(`${path}\0${manifestDefinition(path, texts.get(blob) ?? '')}\0`);
    } else if (
      isGateConfig(path) ||
      programs.has(path) ||
      modules.has(path) ||
      matchesAny(path, policy.protect)
    ) {
      hash.update(`${path}\0${blob}\0`);
    }
  }
  return hash.digest('hex').slice(0, 32);
}
