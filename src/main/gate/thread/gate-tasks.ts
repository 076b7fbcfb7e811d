import type { TaskContext } from '../../processes/thread-tasks.ts';
import { auditCommit } from '../audit/audit.ts';
import { proveCommit } from '../prove/prove-commit.ts';

type Without<Options, Key extends PropertyKey> = Omit<Options, Key>;
type AuditInput = Without<Parameters<typeof auditCommit>[0], 'signal'>;
type ProveInput = Without<Parameters<typeof proveCommit>[0], 'signal' | 'onProgress'>;

/** What keeps a thread busy: TypeScript reads whole repositories here. */
export const gateTasks = {
  audit: (input: AuditInput, { signal }: TaskContext) => auditCommit({ ...input, signal }),
  prove: (input: ProveInput, { signal, progress }: TaskContext) =>
    proveCommit({ ...input, signal, onProgress: progress }),
};
export type GateTasks = typeof gateTasks;
