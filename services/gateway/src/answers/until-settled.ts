import type { ApiKeyRecord } from '@mandate/schemas';
import type { Gateway } from '../gateway.ts';

type Reading<T> = {
  read(): Promise<T>;
  /** True while the caller has to wait for a change. */
  isOpen(value: T): boolean;
};

/**
 * Reads something about an action again after each change of the action, until it is no longer open. Returns what is
 * known when the time is over.
 */
export async function untilSettled<T>(
  { replies }: Pick<Gateway, 'replies'>,
  { key, actionId }: { key: ApiKeyRecord; actionId: string },
  { waitMs, gone }: { waitMs: number; gone: AbortSignal },
  { read, isOpen }: Reading<T>,
): Promise<T> {
  if (waitMs === 0) return read();
  const cut = new AbortController();
  const reserved = replies.reserve(1, { tenant: key.tenant, key: key.id }, () => cut.abort());
  const over = AbortSignal.any([gone, cut.signal]);
  const listening = replies.changes.listen(key.tenant, actionId);
  const untilMs = performance.now() + waitMs;
  try {
    for (;;) {
      const found = await read();
      if (!isOpen(found)) return found;
      const isChanged = await listening.next(Math.max(0, untilMs - performance.now()), over);
      if (!isChanged) return read();
    }
  } finally {
    listening.stop();
    reserved.release();
  }
}
