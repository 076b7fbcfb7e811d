import type { AnyEvent } from '../../shared/contract.ts';
import { toError } from '../../shared/errors.ts';
import type { HeadwayClient } from '../../shared/rpc/client.ts';
import { recordGauges } from './gauge-history.ts';
import { applyEvents, modelFromSnapshot } from './model.ts';
import { engineStore } from './store.ts';

type Options = {
  notice(notice: { level: 'info' | 'warning' | 'error'; text: string; at: number }): void;
  /** The connection came back: streams have to be opened again. */
  reconnected(): void;
  /** Runs a flush soon; handed in so that tests need no frames. */
  schedule(flush: () => void): void;
};

const RETRY_MS = 1000;

/**
 * Keeps the store equal to the engine: a snapshot, then events in sequence. A gap, or a new connection, means a new
 * snapshot; events that arrive meanwhile wait for it. The one module that writes engine state.
 */
export function startFeed(client: HeadwayClient, options: Options): () => void {
  let waiting: AnyEvent[] = [];
  let scheduled = false;
  let loading = false;
  let stopped = false;
  let wasOpen = false;
  let retry: ReturnType<typeof setTimeout> | undefined;

  const load = async (): Promise<void> => {
    if (loading || stopped) return;
    loading = true;
    try {
      const snapshot = await client.request('app.snapshot', {});
      engineStore.setState({ model: modelFromSnapshot(snapshot), loadError: undefined });
      if (snapshot.gauges) recordGauges(snapshot.gauges);
    } catch (thrown) {
      if (!stopped && engineStore.getState().connection === 'open') {
        engineStore.setState({ loadError: toError(thrown).message });
        retry = setTimeout(() => void load(), RETRY_MS);
      }
      return;
    } finally {
      loading = false;
    }
    flush();
  };

  const flush = (): void => {
    scheduled = false;
    const { model } = engineStore.getState();
    if (!model || loading || stopped || waiting.length === 0) return;
    const batch = waiting;
    const applied = applyEvents(model, batch);
    if (applied.kind === 'gap') {
      void load();
      return;
    }
    waiting = [];
    engineStore.setState({ model: applied.model });
  };

  const offEvent = client.onEvent((event) => {
    if (event.name === 'gauges.sampled') recordGauges(event.payload);
    if (event.name === 'notice') options.notice(event.payload);
    waiting.push(event);
    if (scheduled) return;
    scheduled = true;
    options.schedule(flush);
  });

  const offStatus = client.onStatus((connection, why) => {
    engineStore.setState({ connection });
    if (connection === 'closed' && wasOpen) {
      engineStore.setState(({ lostAt }) => ({ lostAt: lostAt ?? Date.now() }));
    }
    if (why !== undefined) options.notice({ level: 'warning', text: why, at: Date.now() });
    if (connection !== 'open') return;
    engineStore.setState({ lostAt: undefined, isRefused: false });
    // A new connection counts from a new snapshot; what waits belongs to the old one.
    waiting = [];
    void load();
    if (wasOpen) options.reconnected();
    wasOpen = true;
  });

  return () => {
    stopped = true;
    clearTimeout(retry);
    offEvent();
    offStatus();
  };
}
