/**
 * Listens to the live audit as a browser's EventSource does. After a cut connection, it continues after its last
 * event.
 */
import { readEventStream } from '../../support/read-event-stream.ts';

export type LiveEvent = { event: string; id: string; data: Record<string, unknown> };

export type Listening = {
  status: number;
  /** The body of a refusal. Null if the stream is open. */
  problem: { code: string } | null;
  headers: Headers;
  events: LiveEvent[];
  /** The id of the last message. A message without an event, such as a heartbeat, has an id too. */
  lastId: string | undefined;
  ended: Promise<void>;
  leave(): void;
};

/** @param cutAfter the number of events after which the stream is closed */
export async function listen(
  url: string,
  key: string,
  { query = '', lastId, cutAfter }: { query?: string; lastId?: string | undefined; cutAfter?: number } = {},
): Promise<Listening> {
  const leaving = new AbortController();
  const response = await fetch(`${url}/v1/audit/live${query}`, {
    headers: { 'x-api-key': key, ...(lastId === undefined ? {} : { 'last-event-id': lastId }) },
    signal: leaving.signal,
  });
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  const listening: Listening = {
    status: response.status,
    problem: isStream ? null : ((await response.json()) as { code: string }),
    headers: response.headers,
    events: [],
    lastId,
    ended: Promise.resolve(),
    leave: () => leaving.abort(),
  };
  if (isStream) {
    listening.ended = read(response, listening, cutAfter).catch((error: unknown) => {
      if (!leaving.signal.aborted) throw error;
    });
    // A test may end before it waits for the end of its streams.
    listening.ended.catch(() => {});
  }
  return listening;
}

async function read(
  response: Response,
  listening: Listening,
  cutAfter = Number.POSITIVE_INFINITY,
): Promise<void> {
  for await (const fields of readEventStream(response)) {
    listening.lastId = fields.get('id') ?? listening.lastId;
    const data = fields.get('data');
    if (data === undefined) continue;
    listening.events.push({
      event: fields.get('event') ?? '',
      id: fields.get('id') ?? '',
      data: JSON.parse(data),
    });
    if (listening.events.length < cutAfter) continue;
    listening.leave();
    return;
  }
}
