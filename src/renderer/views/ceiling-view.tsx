import type { Gauges } from '../../shared/domain.ts';
import { useModel } from '../state/store.ts';
import { showView } from '../state/ui-store.ts';
import { gaugeFacts, p95Text } from '../strip/gauge-facts.ts';
import { Sparkline } from '../strip/sparkline.tsx';
import { Button } from '../ui/button.tsx';
import { classes } from '../ui/classes.ts';
import { Card, Page } from '../ui/page.tsx';
import styles from '../ui/section.module.css';
import { limitRows } from './headroom.ts';
import own from './views.module.css';

/** What is left before each limit, and which one binds. */
export function CeilingView() {
  const gauges = useModel((model) => model.gauges, undefined);
  return (
    <Page title="Ceiling" actions={<Button onClick={() => showView('settings')}>Change limits</Button>}>
      {gauges ? (
        <>
          <Card title={bindsTitle(gauges)}>
            <div className={own.panels}>
              {gaugeFacts(gauges).map((facts) => (
                <section
                  key={facts.name}
                  className={classes(own.panel, facts.binds && own.binds)}
                  aria-label={facts.label}
                >
                  <header>
                    <h3>
                      {facts.label}
                      {facts.binds && (facts.name === 'slots' ? ' bind' : ' binds')}
                    </h3>
                    <small>p95 {p95Text(facts.name)}</small>
                  </header>
                  <p>
                    {facts.value} <small>{facts.unit}</small>
                  </p>
                  <Sparkline
                    name={facts.name}
                    limit={facts.limit}
                    className={own.spark}
                    height={56}
                    binds={facts.binds}
                  />
                </section>
              ))}
            </div>
          </Card>
          <Limits gauges={gauges} />
        </>
      ) : (
        <p className={styles.dim}>Waiting for the first sample…</p>
      )}
    </Page>
  );
}

function bindsTitle({ binds, queue }: Gauges): string {
  if (binds) return `What binds: ${binds.why}`;
  return queue.depth === 0 ? 'Nothing waits, so nothing binds' : 'No limit binds now';
}

function Limits({ gauges }: { gauges: Gauges }) {
  const settings = useModel((model) => model.settings, undefined);
  if (!settings) return null;
  return (
    <Card title="Limits">
      <table className={styles.table}>
        <thead>
          <tr>
            <th>Limit</th>
            <th className={styles.number}>Used</th>
            <th className={styles.number}>Of</th>
            <th className={styles.number}>Left</th>
            <th>Binds</th>
          </tr>
        </thead>
        <tbody>
          {limitRows(gauges, settings).map((row) => (
            <tr key={row.name}>
              <td>{row.name}</td>
              <td className={styles.number}>{row.used}</td>
              <td className={styles.number}>{row.limit}</td>
              <td className={styles.number}>{row.left}</td>
              <td>{row.binds ? 'binds' : ''}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}
