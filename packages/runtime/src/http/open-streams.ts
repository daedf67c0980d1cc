/**
 * Answers without an end, such as server-sent events. Their number is bounded: in all, of a tenant, and of an API key, so that
 * neither takes the room of the others. Keys of people who operate or audit find room when keys of agents hold all of theirs.
 * No stream keeps the server from stopping.
 */
import type { ApiKeyRecord } from '@mandate/schemas';
import { HttpProblem } from './http-problem.ts';
import type { HttpServer } from './http-server-type.ts';

export type OpenStreams = {
  /**
   * Takes a place, until `leave`. `ending` aborts when the server stops: end the stream then.
   *
   * @throws HttpProblem 503 OVERLOADED when there is none
   */
  enter(key: Holder): { ending: AbortSignal; leave(): void };
};

/** `keptForPeople`: so many of `inAll` and of `ofATenant` are only for keys that may operate or audit. */
export type MostStreams = { inAll: number; ofATenant: number; ofAKey: number; keptForPeople: number };

type Holder = Pick<ApiKeyRecord, 'id' | 'tenant' | 'scopes'>;
type Place = { key: Holder; ending: AbortController };

/** @param of what they are streams of, and what to do without one */
export function boundStreams(
  server: HttpServer,
  most: MostStreams,
  of: { what: string; remedy: string },
): OpenStreams {
  const places = new Set<Place>();
  // Before the server waits for answers to end: these never would.
  server.addHook('preClose', async () => {
    for (const { ending } of places) ending.abort();
  });
  const mustHaveRoom = (room: number, isCounted: (key: Holder) => boolean, whose: string) => {
    const open = [...places].filter(({ key }) => isCounted(key)).length;
    if (open < room) return;
    throw new HttpProblem(503, 'OVERLOADED', `${open} streams of ${of.what} are open already ${whose}`, {
      remedy: of.remedy,
      headers: { 'retry-after': '1' },
    });
  };
  return {
    enter(key) {
      const kept = isOfPeople(key) ? 0 : most.keptForPeople;
      const isOfTenant = ({ tenant }: Holder) => tenant === key.tenant;
      mustHaveRoom(most.ofAKey, ({ id }) => id === key.id, 'by this API key');
      mustHaveRoom(most.ofATenant - kept, isOfTenant, 'in this tenant');
      mustHaveRoom(most.inAll - kept, () => true, 'in all');
      const place = { key, ending: new AbortController() };
      places.add(place);
      return { ending: place.ending.signal, leave: () => places.delete(place) };
    },
  };
}

function isOfPeople({ scopes }: Holder): boolean {
  return scopes.some((scope) => scope === 'operate' || scope === 'operate:all' || scope === 'audit');
}
