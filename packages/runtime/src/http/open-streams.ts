/**
 * Answers without an end, such as server-sent events: so many at once and no more, of which one tenant takes a part, so
 * that there is room for the others; and none that keeps the server from stopping.
 */
import { HttpProblem } from './http-problem.ts';
import type { HttpServer } from './http-server-type.ts';

export type OpenStreams = {
  /**
   * Takes a place, until `leave`. `ending` aborts when the server stops: end the stream then.
   *
   * @throws HttpProblem 503 OVERLOADED when there is none
   */
  enter(tenant: string): { ending: AbortSignal; leave(): void };
};

/** @param of what they are streams of, and what to do without one */
export function boundStreams(
  server: HttpServer,
  most: { inAll: number; ofATenant: number },
  of: { what: string; remedy: string },
): OpenStreams {
  const places = new Set<{ tenant: string; ending: AbortController }>();
  // Before the server waits for answers to end: these never would.
  server.addHook('preClose', async () => {
    for (const { ending } of places) ending.abort();
  });
  const mustHaveRoom = (open: number, room: number) => {
    if (open < room) return;
    throw new HttpProblem(503, 'OVERLOADED', `${open} streams of ${of.what} are open already`, {
      remedy: of.remedy,
      headers: { 'retry-after': '1' },
    });
  };
  return {
    enter(tenant) {
      mustHaveRoom(places.size, most.inAll);
      mustHaveRoom([...places].filter((place) => place.tenant === tenant).length, most.ofATenant);
      const place = { tenant, ending: new AbortController() };
      places.add(place);
      return { ending: place.ending.signal, leave: () => places.delete(place) };
    },
  };
}
