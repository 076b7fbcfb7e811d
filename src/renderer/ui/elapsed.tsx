import { useEffect, useRef, useState } from 'react';
import { DAY_MS, formatDuration, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../shared/time.ts';
import { clockNow, onSecond } from './ticker.ts';

/** Time since `sinceAt`, or until `untilAt`; writes its own text each second, so nothing around it renders. */
export function Elapsed({ sinceAt, untilAt }: { sinceAt: number; untilAt?: number | undefined }) {
  const ref = useRef<HTMLTimeElement>(null);
  useEffect(() => {
    const show = (now: number): void => {
      if (ref.current) ref.current.textContent = elapsedText(sinceAt, untilAt ?? now);
    };
    show(clockNow());
    return untilAt === undefined ? onSecond(show) : undefined;
  }, [sinceAt, untilAt]);
  return <time ref={ref} />;
}

const elapsedText = (sinceAt: number, untilAt: number): string =>
  untilAt - sinceAt < SECOND_MS ? '0:00' : formatDuration(untilAt - sinceAt);

function relativeTime(at: number, now: number): string {
  const past = Math.max(0, now - at);
  if (past < MINUTE_MS) return 'just now';
  if (past < HOUR_MS) return `${Math.floor(past / MINUTE_MS)} min ago`;
  if (past < DAY_MS) return `${Math.floor(past / HOUR_MS)} h ago`;
  return `${Math.floor(past / DAY_MS)} d ago`;
}

/** Relative, with the absolute time on hover. */
export function Ago({ at }: { at: number }) {
  const [now, setNow] = useState(Date.now);
  useEffect(
    () =>
      onSecond((next) => {
        // Words change once a minute at most.
        setNow((before) => (relativeTime(at, next) === relativeTime(at, before) ? before : next));
      }),
    [at],
  );
  const date = new Date(at);
  return (
    <time dateTime={date.toISOString()} title={date.toLocaleString()}>
      {relativeTime(at, now)}
    </time>
  );
}
