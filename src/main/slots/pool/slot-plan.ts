import type { Environment } from '../../processes/environment.ts';

/** How a repository's slots are set up. */
export type SlotPlan = {
  /** Replaces the package manager's install. Runs as given: the caller passes it only where a person agreed to it. */
  setup?: string;
  /** What is kept between jobs, whatever they wrote into it; see `keepRule`. */
  caches: readonly string[];
  /** Environment of installs and of the programs that are asked for their version. */
  env: Environment;
};
