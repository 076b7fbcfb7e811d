import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { followChanges } from './follow-changes.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

type Options = Parameters<typeof followChanges>[0];

function others() {
  const refresh = vi.fn(async () => undefined);
  const parts = {
    store: { slots: { list: async () => [] }, sessions: { list: async () => [] } },
    repositories: { refresh },
    settings: { refresh: async () => undefined },
    slots: new Map(),
    hub: { restore: () => undefined },
    onProblem: (thrown: unknown) => {
      throw thrown;
    },
  };
  return { refresh, it: followChanges(parts as unknown as Options) };
}

it('what others change is read once in a moment, however often it is asked for', async () => {
  const { refresh, it: they } = others();
  they.soon();
  they.soon();
  await vi.runAllTimersAsync();
  expect(refresh).toHaveBeenCalledTimes(1);
  await they.stop();
});

it('nothing is read after the stop, since the store is closed then', async () => {
  const { refresh, it: they } = others();
  they.soon();
  await they.stop();
  they.soon();
  await vi.runAllTimersAsync();
  expect(refresh).not.toHaveBeenCalled();
});
