/**
 * Limits the number of endless answers, such as server-sent events: overall, for a tenant, and for an API key. If the
 * maximum is reached, the caller with the most streams loses its oldest stream. Some streams are reserved for people
 * who operate or audit. No stream keeps the server from stopping.
 */
import type { ApiKeyRecord } from '@mandate/schemas';
import { FairRoom, type Held } from '../fair-room.ts';
import { HttpProblem } from './http-problem.ts';
import type { HttpServer } from './http-server-type.ts';

type OpenStream = {
  /** Aborts when the server stops. Then end the stream cleanly. */
  ending: AbortSignal;
  /**
   * Aborts when the stream must make room for another caller. Then destroy the stream, even if the caller does not
   * read it.
   */
  cut: AbortSignal;
  /** Stops counting the stream. Call this when the stream has ended. */
  leave(): void;
};

export type OpenStreams = {
  /** @throws HttpProblem 503 OVERLOADED if the maximum is reached and no caller with more streams can lose one */
  enter(key: Pick<ApiKeyRecord, 'id' | 'tenant' | 'scopes'>): OpenStream;
};

/**
 * The maximum numbers of streams. `keptForPeople`: the number of streams within `inAll`, and within `ofATenant`, that
 * are reserved for keys with the right to operate or audit.
 */
export type MostStreams = { inAll: number; ofATenant: number; ofAKey: number; keptForPeople: number };

/** @param of names the kind of stream and an alternative to a stream, for messages */
export function boundStreams(
  server: HttpServer,
  { inAll, ofATenant, ofAKey, keptForPeople: kept }: MostStreams,
  of: { what: string; remedy: string },
): OpenStreams {
  const forAll = new FairRoom({ most: inAll - kept, ofATenant: ofATenant - kept, ofAKey });
  const forPeople = new FairRoom({ most: kept, ofATenant: kept, ofAKey: kept });
  const open = new Set<AbortController>();
  // This hook runs before the server waits for open answers, because streams never end by themselves.
  server.addHook('preClose', async () => {
    for (const ending of open) ending.abort();
  });
  return {
    enter(key) {
      const [ending, cut] = [new AbortController(), new AbortController()];
      const holder = { tenant: key.tenant, key: key.id };
      const held: Held = { holder, state: 'busy', cut: () => cut.abort() };
      const rooms = isOfPeople(key) ? [forAll, forPeople] : [forAll];
      // Room that is free is taken first, so that no stream of another caller ends without need.
      const roomy = rooms.find((room) => room.fits(holder, 1));
      const room = [...(roomy === undefined ? [] : [roomy]), ...rooms].find((each) => each.take(held, 1));
      if (room === undefined) throw noPlace(forAll.amountOf(key.tenant) + forPeople.amountOf(key.tenant), of);
      open.add(ending);
      const leave = () => {
        room.leave(held);
        open.delete(ending);
      };
      return { ending: ending.signal, cut: cut.signal, leave };
    },
  };
}

function isOfPeople({ scopes }: Pick<ApiKeyRecord, 'scopes'>): boolean {
  return scopes.some((scope) => scope === 'operate' || scope === 'operate:all' || scope === 'audit');
}

function noPlace(open: number, { what, remedy }: { what: string; remedy: string }): HttpProblem {
  return new HttpProblem(503, 'OVERLOADED', `${open} streams of ${what} are open already in your tenant`, {
    remedy,
    headers: { 'retry-after': '1' },
  });
}
