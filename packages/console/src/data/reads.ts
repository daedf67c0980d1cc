/** The reads of the present page that the audit records. The footer of each page names them. */
import { useSyncExternalStore } from 'react';

/** The routes that a page may read without a record: their answers contain nothing about an agent. */
const NOT_RECORDED =
  /^\/(?:healthz|metrics|readyz|v1\/(?:session|signin(?:\/.*)?|agents\/[^/]+\/(?:kill-status|usage)|kills\/stream|ledger(?:\/(?:balances|open|unpublished))?))$/;

/** True if the plane records a GET of this path in the audit. */
export function isRecorded(path: string): boolean {
  return !NOT_RECORDED.test(path.replace(/\?.*$/s, ''));
}

let reads: readonly string[] = [];
const listeners = new Set<() => void>();

export function noteRead(path: string): void {
  if (!isRecorded(path)) return;
  change([...reads, path]);
}

/** Forgets the reads of the previous page. */
export function beginPage(): void {
  if (reads.length > 0) change([]);
}

export function useReads(): readonly string[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => reads,
  );
}

function change(now: readonly string[]): void {
  reads = now;
  for (const listener of listeners) listener();
}
