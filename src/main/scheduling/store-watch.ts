import type { Cause } from '../../shared/cause.ts';
import { toError } from '../../shared/errors.ts';
import { type StoreTrouble, storeTroubleOf } from '../store/store-trouble.ts';

export interface StoreWatch {
  /** Why nothing is started now; undefined where the store takes changes. */
  readonly cause: Cause | undefined;
  /** True where the error tells that the store takes no changes: then it is looked after until it does again. */
  noticed(thrown: unknown): boolean;
  stop(): void;
}

const LOOK_MS = 1_000;

/**
 * Looks after a store whose disk is full, read-only or in use: says so once, tries a small change from time to time, and
 * says when it goes on.
 */
export function createStoreWatch(options: {
  /** A small change. */
  probe(): Promise<void>;
  onTrouble(error: Error): void;
  onRecovered(): void;
}): StoreWatch {
  let trouble: { kind: StoreTrouble; cause: Cause } | undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const look = async (): Promise<void> => {
    try {
      await options.probe();
    } catch (thrown) {
      watch.noticed(thrown);
      again();
      return;
    }
    trouble = undefined;
    if (!stopped) options.onRecovered();
  };
  const again = (): void => {
    if (!stopped) timer = setTimeout(() => void look(), LOOK_MS);
  };

  const watch: StoreWatch = {
    get cause() {
      return trouble?.cause;
    },
    noticed(thrown) {
      const kind = storeTroubleOf(thrown);
      if (!kind) return false;
      if (trouble?.kind === kind) return true;
      const first = trouble === undefined;
      const error = toError(thrown);
      trouble = { kind, cause: { code: 'store-trouble', why: error.message } };
      options.onTrouble(error);
      if (first) again();
      return true;
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
  return watch;
}
