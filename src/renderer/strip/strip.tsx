import { useState } from 'react';
import { createPortal } from 'react-dom';
import { NAMES } from '../names.ts';
import { useEngine, useModel } from '../state/store.ts';
import { classes } from '../ui/classes.ts';
import { type GaugeFacts, gaugeFacts, p95Text } from './gauge-facts.ts';
import { Sparkline } from './sparkline.tsx';
import styles from './strip.module.css';

export function Strip() {
  const gauges = useModel((model) => model.gauges, undefined);
  const lostAt = useEngine((state) => state.lostAt);
  return (
    <section className={styles.strip} aria-label={NAMES.gauges}>
      {gauges && gaugeFacts(gauges).map((facts) => <Gauge key={facts.name} facts={facts} />)}
      <div className={styles.rest}>
        {lostAt === undefined && gauges?.binds && (
          <span className={styles.why} title={gauges.binds.why}>
            {BINDS[gauges.binds.name]}: {gauges.binds.why}
          </span>
        )}
      </div>
    </section>
  );
}

const BINDS = {
  policy: 'Policy binds',
  cpu: 'CPU binds',
  memory: 'Memory binds',
  gate: 'The gate binds',
  slots: 'Slots bind',
} as const;

function Gauge({ facts }: { facts: GaugeFacts }) {
  const [tip, setTip] = useState<{ left: number; top: number }>();
  const show = (element: Element): void => {
    const box = element.getBoundingClientRect();
    setTip({ left: Math.min(box.left, innerWidth - 272), top: box.bottom + 4 });
  };
  const hide = (): void => setTip(undefined);
  return (
    // biome-ignore lint/a11y/useSemanticElements: the meter element draws a bar of its own and holds no content
    <div
      className={classes(styles.gauge, facts.binds && styles.binds)}
      role="meter"
      aria-label={facts.label}
      aria-valuenow={facts.now}
      aria-valuemin={0}
      aria-valuemax={facts.limit ?? Math.max(facts.now, 1)}
      aria-valuetext={`${facts.value} ${facts.unit}${facts.binds ? ', binds' : ''}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: focus shows source and p95, as hover does
      tabIndex={0}
      onMouseEnter={(event) => show(event.currentTarget)}
      onMouseLeave={hide}
      onFocus={(event) => show(event.currentTarget)}
      onBlur={hide}
    >
      <div className={styles.text}>
        <span className={styles.label}>
          {facts.label}
          {facts.binds && (facts.name === 'slots' ? ' bind' : ' binds')}
        </span>
        <span className={styles.value}>
          {facts.value}
          <span className={styles.unit}>{facts.unit}</span>
        </span>
        {facts.widest !== undefined && (
          <span className={styles.room} aria-hidden>
            {facts.widest}
            <span className={styles.unit}>{facts.unit}</span>
          </span>
        )}
      </div>
      <Sparkline
        name={facts.name}
        limit={facts.limit}
        className={styles.spark}
        height={24}
        binds={facts.binds}
      />
      {tip &&
        createPortal(
          <div className={styles.tip} style={tip} role="tooltip">
            <p>{facts.source}</p>
            <p>95th percentile of the last minute: {p95Text(facts.name)}</p>
          </div>,
          document.body,
        )}
    </div>
  );
}
