/**
 * What lands in the audit's tables, as the text of server-sent events, for as long as somebody takes it. Nothing is
 * asked of ClickHouse before what was read so far has been taken: a slow listener costs us the less, and misses nothing,
 * for its place is one in the tables.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type AskAudit, type Feed, lookBehind, type Place, placeNow, placeSince } from '@mandate/audit';
import { type Clock, HttpProblem } from '@mandate/runtime';
import { eventId, type LiveEvent, type Places } from './event-id.ts';

/** How soon whoever was cut off should come back. */
const RETRY_MS = 1_000;
/** Less than an idle socket lives, here and in most proxies. */
const HEARTBEAT_MS = 15_000;

/** A table that is followed; its rows come as they are shown. */
export type Followed = {
  event: LiveEvent;
  begin(ask: AskAudit, nowMs: number): Promise<Place>;
  look(
    ask: AskAudit,
    from: Place,
    nowMs: number,
  ): AsyncGenerator<{ shown: object; place: Place }, { place: Place; isAll: boolean }>;
};

export function followed<Row extends { id: string; logPartition: number; logOffset: number }>(
  event: LiveEvent,
  feed: Feed<Row>,
  show: (row: Row) => object,
): Followed {
  return {
    event,
    begin: (ask, nowMs) => placeNow(ask, feed, nowMs),
    async *look(ask, from, nowMs) {
      const looking = lookBehind(ask, feed, from, nowMs);
      for (;;) {
        const next = await looking.next();
        if (next.done) return next.value;
        yield { shown: show(next.value.row), place: next.value.place };
      }
    },
  };
}

/** Where a stream begins: behind the last event that its listener had, else at `sinceMs`, else now. */
export async function placesToBegin(
  ask: AskAudit,
  tables: readonly Followed[],
  { last, sinceMs, nowMs }: { last: Places; sinceMs: number | undefined; nowMs: number },
): Promise<Places> {
  const places: Places = {};
  for (const { event, begin } of tables) {
    places[event] = last[event] ?? (sinceMs === undefined ? await begin(ask, nowMs) : placeSince(sinceMs));
  }
  return places;
}

/** Events from `places` on, until `until` aborts or `mayGoOn` says no. While the audit is away it waits. */
export async function* eventsFrom(
  places: Places,
  tables: readonly Followed[],
  options: {
    ask: AskAudit;
    clock: Clock;
    everyMs: number;
    until: AbortSignal;
    mayGoOn: () => Promise<boolean>;
  },
): AsyncGenerator<string> {
  const { ask, clock, everyMs, until, mayGoOn } = options;
  const reached: Places = { ...places };
  yield `retry: ${RETRY_MS}\nid: ${eventId(reached)}\n\n`;
  let saidAtMs = performance.now();
  while (!until.aborted && (await mayGoOn())) {
    let isAll = true;
    for (const { event, look } of tables) {
      const looking = look(ask, reached[event] ?? placeSince(clock()), clock());
      try {
        for (;;) {
          const next = await looking.next();
          reached[event] = next.value.place;
          if (next.done) {
            isAll &&= next.value.isAll;
            break;
          }
          yield `id: ${eventId(reached)}\nevent: ${event}\ndata: ${JSON.stringify(next.value.shown)}\n\n`;
          saidAtMs = performance.now();
        }
      } catch (error) {
        // The audit is away or busy, which may pass: the next look goes on from the same place.
        if (!(error instanceof HttpProblem)) throw error;
      }
    }
    if (!isAll) continue;
    if (performance.now() - saidAtMs > HEARTBEAT_MS) {
      // With the place, so that what was left out is not looked at again by whoever comes back.
      yield `:\nid: ${eventId(reached)}\n\n`;
      saidAtMs = performance.now();
    }
    await sleep(everyMs, undefined, { signal: until }).catch(() => {});
  }
}
