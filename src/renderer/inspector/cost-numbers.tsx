import type { Usage } from '../../shared/domain.ts';
import { formatDuration } from '../../shared/time.ts';
import styles from './inspector.module.css';

/** What the agent used, as far as it reports it. */
export function CostNumbers({ usage }: { usage: Usage }) {
  const rows: readonly [string, string | undefined][] = [
    [
      'Cost',
      usage.costUsd === undefined ? undefined : `$${usage.costUsd.toFixed(usage.costUsd < 1 ? 3 : 2)}`,
    ],
    ['Tokens in', usage.inputTokens.toLocaleString('en')],
    ['Tokens out', usage.outputTokens.toLocaleString('en')],
    ['Rounds', `${usage.rounds}`],
    ['Tool calls', `${usage.toolCalls}`],
    ['Waiting for the model', usage.modelMs === undefined ? undefined : formatDuration(usage.modelMs)],
    ['In tools', usage.toolMs === undefined ? undefined : formatDuration(usage.toolMs)],
  ];
  return (
    <section className={styles.section} aria-label="Cost">
      <h3>Cost</h3>
      <dl className={styles.numbers}>
        {rows.map(([name, value]) =>
          value === undefined ? null : (
            <div key={name} style={{ display: 'contents' }}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
        )}
      </dl>
    </section>
  );
}
