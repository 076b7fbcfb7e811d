import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef } from 'react';
import type { Job } from '../../shared/domain.ts';
import { parseDiff } from './diff-lines.ts';
import styles from './inspector.module.css';
import { useJobDiff } from './use-job-detail.ts';

const LINE_PX = 18;

export function DiffTab({ job }: { job: Job }) {
  const loaded = useJobDiff(job);
  if (loaded.state === 'failed') return <p className={styles.message}>{loaded.why}</p>;
  if (loaded.state === 'loading') return <p className={styles.message}>Loading…</p>;
  if (loaded.value.diff === '') {
    return <p className={styles.message}>No changes yet.</p>;
  }
  return <DiffLines diff={loaded.value.diff} cut={loaded.value.cut} />;
}

export function DiffLines({ diff, cut }: { diff: string; cut: boolean }) {
  const { lines } = useMemo(() => {
    const parsed = parseDiff(diff);
    const end = {
      kind: 'meta' as const,
      text: 'Output truncated. Open the slot in your editor to see the rest.',
    };
    return cut ? { ...parsed, lines: [...parsed.lines, end] } : parsed;
  }, [diff, cut]);
  const scroller = useRef<HTMLDivElement>(null);
  const list = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_PX,
    overscan: 20,
  });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <section ref={scroller} className={styles.diff} aria-label="Changes" tabIndex={0}>
      <div className={styles.diffInner} style={{ height: list.getTotalSize() }}>
        {list.getVirtualItems().map((item) => {
          const line = lines[item.index];
          return (
            <div
              key={item.key}
              className={styles.diffLine}
              data-kind={line?.kind}
              style={{ transform: `translateY(${item.start}px)` }}
            >
              {line?.text}
            </div>
          );
        })}
      </div>
    </section>
  );
}
