import { useEngine } from '../state/store.ts';
import styles from './strip.module.css';

/** Says that what is seen is old, since when, and what will become of it. */
export function LostBar() {
  const lostAt = useEngine((state) => state.lostAt);
  const isRefused = useEngine((state) => state.isRefused);
  if (lostAt === undefined) return null;
  const since = new Date(lostAt).toLocaleTimeString();
  return (
    <div className={styles.lost} role="alert">
      {isRefused
        ? 'Headway was started with a new token, and this page has no access any more. Open the address that it printed.'
        : `Headway has not answered since ${since}. What you see is from then, and what you type goes nowhere. Trying again…`}
    </div>
  );
}
