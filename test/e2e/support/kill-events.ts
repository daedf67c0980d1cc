/** Listens to a stream of kills as an SDK does. */
import { readEventStream } from './read-event-stream.ts';

type KillEvent = { event: string; data: Record<string, unknown> };

/** @returns the events so far, in order, and a function that closes the stream */
export async function listenToKills(url: string, key: string) {
  const leaving = new AbortController();
  const response = await fetch(new URL('/v1/kills/stream', url), {
    headers: { authorization: `Bearer ${key}` },
    signal: leaving.signal,
  });
  const events: KillEvent[] = [];
  const ended = read(response, events).catch((error: unknown) => {
    if (!leaving.signal.aborted) throw error;
  });
  return { status: response.status, events, ended, leave: () => leaving.abort() };
}

async function read(response: Response, events: KillEvent[]): Promise<void> {
  for await (const fields of readEventStream(response)) {
    events.push({ event: fields.get('event') ?? '', data: JSON.parse(fields.get('data') ?? '') });
  }
}
