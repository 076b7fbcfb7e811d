import { childEnvironment, type Environment } from '../../processes/environment.ts';
import type { ResolvedPolicy } from './policy.ts';

/**
 * What everything that runs for a repository may see: the allow-list, the person's own variables that the policy names, its
 * literal ones, and `extra`.
 */
export const policyEnvironment = (
  { env, passEnv }: Pick<ResolvedPolicy, 'env' | 'passEnv'>,
  extra: Readonly<Environment> = {},
): Environment => childEnvironment({ ...env, ...extra }, { also: passEnv });
