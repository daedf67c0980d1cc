/**
 * Whoever shows no key that opens anything (401) is on record too, under the tenant whose key it names, else under none.
 *
 * Anybody can send as many of these as they like: so they are not waited for, nothing of what they wrote is put on record,
 * and those of the same key at the same route within a while are one record that counts them. Where the log is away they
 * are counted until it is back.
 */
import type { Clock } from '@mandate/runtime';
import { TOPICS } from '@mandate/schemas';
import { accessRecord, type Read, together } from './access-record.ts';
import type { Bus } from './port.ts';

const EVERY_MS = 5_000;
/** Of keys at routes. What comes beyond, before the next record, is in mandate_http_refusals_total alone. */
const MOST = 1_000;

export type Strangers = {
  /** The first is on its way to the log at once. */
  note(read: Read, traceparent: string | null): void;
  /** Resolves once what was noted is on the log, or cannot be in bounded time. */
  close(): Promise<void>;
};

type Noted = { read: Read; traceparent: string | null; times: number; atMs: number };

/** @param source who writes them, such as `query` */
export function recordStrangers({
  bus,
  source,
  clock,
  timeoutMs = 10_000,
  everyMs = EVERY_MS,
}: {
  bus: Pick<Bus, 'append'>;
  source: string;
  clock: Clock;
  /** Of closing; default 10,000. */
  timeoutMs?: number;
  everyMs?: number;
}): Strangers {
  /** By key and route. */
  let waiting = new Map<string, Noted>();
  let underWay: Promise<void> | null = null;
  let isClosed = false;
  const closed = Promise.withResolvers<void>();

  function note(read: Read, traceparent: string | null): void {
    add({ read, traceparent, times: 1, atMs: clock() });
    underWay ??= recordAll().finally(() => {
      underWay = null;
    });
  }

  function add({ times, ...noted }: Noted): void {
    const { tenant, key, method, route } = noted.read;
    const name = JSON.stringify([tenant, key?.id, method, route]);
    const known = waiting.get(name);
    if (known !== undefined) known.times += times;
    else if (waiting.size < MOST) waiting.set(name, { ...noted, times });
  }

  async function recordAll(): Promise<void> {
    while (waiting.size > 0) {
      await record();
      // Once more at the end, and no more: the log may be away.
      if (isClosed) return record();
      await firstOf(closed.promise, everyMs);
    }
  }

  async function record(): Promise<void> {
    const noted = [...waiting.values()];
    waiting = new Map();
    if (noted.length === 0) return;
    const records = noted.map(({ read, traceparent, times, atMs }) =>
      accessRecord(together(read, times), { source, traceparent, atMs }),
    );
    // What came meanwhile is counted with them.
    await bus.append(TOPICS.access, records).catch(() => noted.forEach(add));
  }

  return {
    note,
    async close() {
      isClosed = true;
      closed.resolve();
      await firstOf(underWay, timeoutMs);
    },
  };
}

async function firstOf(work: Promise<void> | null, ms: number): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, ms);
  await Promise.race([work, late.promise]);
  clearTimeout(timer);
}
