import type { Repository } from '../../../shared/domain.ts';
import { HeadwayError } from '../../../shared/errors.ts';
import { policyEnvironment } from '../../gate/policy/policy-environment.ts';
import type { SlotPlan } from '../../slots/pool/slot-plan.ts';
import type { JobPorts } from '../ports.ts';
import { agreed } from './prepare.ts';

/** How slots of a repository are set up outside any job: by the policy of its base as it is now. */
export async function slotPlanOf(repository: Repository, ports: JobPorts): Promise<SlotPlan> {
  const mirror = ports.pool.mirror(repository);
  await mirror.fetch();
  const commit = await mirror.baseCommit(repository.base);
  if (!commit) {
    throw new HeadwayError(
      'bad-input',
      `${repository.path} has no branch ${repository.base}; choose another base.`,
    );
  }
  const policy = await ports.policyAt(mirror, repository, commit);
  if (!(await agreed(policy, repository, ports))) {
    throw new HeadwayError(
      'not-allowed',
      `The commands of ${repository.name} changed; agree to them first (--trust).`,
      {
        data: { commands: policy.commands, hash: policy.hash },
      },
    );
  }
  return {
    caches: policy.caches,
    env: policyEnvironment(policy),
    ...(policy.setup === undefined ? {} : { setup: policy.setup }),
  };
}
