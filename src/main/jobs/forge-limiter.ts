import { CallLimiter } from '../merge/forge/call-limiter.ts';

/** One for the process: what a service asks of one job, it asks of all. */
export const forgeLimiter = new CallLimiter();
