/**
 * Limits answers without an end, such as server-sent events: in all, for a tenant, and for an API key. When all
 * places are taken, the largest holder loses its oldest stream. Keys of people who operate or audit find a place even
 * if keys of agents hold all of theirs. No stream keeps the server from stopping.
 */
import type { ApiKeyRecord } from '@mandate/schemas';
import { FairRoom, type Held } from '../fair-room.ts';
import { HttpProblem } from './http-problem.ts';
import type { HttpServer } from './http-server-type.ts';

type OpenStream = {
  /** Aborts when the server stops. End the stream cleanly then. */
  ending: AbortSignal;
  /** Aborts when another caller needs the place. Destroy the stream then, even if it is not read. */
  cut: AbortSignal;
  /** Gives the place back. */
  leave(): void;
};

export type OpenStreams = {
  /** @throws HttpProblem 503 OVERLOADED if all places are taken and no larger holder gives way */
  enter(key: Pick<ApiKeyRecord, 'id' | 'tenant' | 'scopes'>): OpenStream;
};

/** `keptForPeople`: this many of `inAll` and of `ofATenant` are only for keys that may operate or audit. */
export type MostStreams = { inAll: number; ofATenant: number; ofAKey: number; keptForPeople: number };

/** @param of the kind of the streams, and what to do without one, for messages */
export function boundStreams(
  server: HttpServer,
  { inAll, ofATenant, ofAKey, keptForPeople: kept }: MostStreams,
  of: { what: string; remedy: string },
): OpenStreams {
  const forAll = new FairRoom({ most: inAll - kept, ofATenant: ofATenant - kept, ofAKey });
  const forPeople = new FairRoom({ most: kept, ofATenant: kept, ofAKey: kept });
  const open = new Set<AbortController>();
  // Runs before the server waits for answers to end, because streams never end by themselves.
  server.addHook('preClose', async () => {
    for (const ending of open) ending.abort();
  });
  return {
    enter(key) {
      const [ending, cut] = [new AbortController(), new AbortController()];
      const holder = { tenant: key.tenant, key: key.id };
      const held: Held = { holder, state: 'busy', cut: () => cut.abort() };
      const rooms = isOfPeople(key) ? [forAll, forPeople] : [forAll];
      // No stream of another caller ends while there is a free place elsewhere.
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
