import { useSyncExternalStore } from 'react';
import { clockTime, dayOf, fromNow, wholeTime, zone } from '../data/time.ts';
import styles from './parts.module.css';

let nowMs = Date.now();
const watchers = new Set<() => void>();
setInterval(() => {
  nowMs = Date.now();
  for (const watcher of watchers) watcher();
}, 1_000);

/** The present time in milliseconds since 1970. It is updated once a second. */
export function useNow(): number {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => nowMs,
  );
}

/** A time of day. A time on another day has its date. The tooltip has the full time and its zone. */
export function When({ at }: { at: string | number }) {
  const atMs = typeof at === 'string' ? Date.parse(at) : at;
  const whole = wholeTime(atMs);
  const isToday = dayOf(atMs) === dayOf(Date.now());
  return (
    <time className={styles.when} dateTime={new Date(atMs).toISOString()} title={`${whole} (${zone()})`}>
      {isToday ? clockTime(atMs) : whole.replace(/\.\d{3}$/, '')}
    </time>
  );
}

/** How long ago a time was, or how soon it will be. */
export function FromNow({ at }: { at: string | number }) {
  const now = useNow();
  const atMs = typeof at === 'string' ? Date.parse(at) : at;
  return (
    <time
      className={styles.when}
      dateTime={new Date(atMs).toISOString()}
      title={`${wholeTime(atMs)} (${zone()})`}
    >
      {fromNow(atMs, now)}
    </time>
  );
}
