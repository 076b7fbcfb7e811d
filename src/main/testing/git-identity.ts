/**
 * Who makes the commits of tests. A fresh machine has no identity of its own, and a test must not pass by grace of the
 * one that a developer's has. Set here for every test process, so no test needs to think of it; Headway's own git
 * inherits no `GIT_*` variable and is tried without it.
 */
export const GIT_IDENTITY = {
  GIT_AUTHOR_NAME: 'Test',
  GIT_AUTHOR_EMAIL: 'test@example.invalid',
  GIT_COMMITTER_NAME: 'Test',
  GIT_COMMITTER_EMAIL: 'test@example.invalid',
} as const;
