/** Reads server-sent events, in the form that a gateway sends: an event's name and one line of JSON. */
import { inTime } from '../bounded-wait.ts';

export type StreamEvent = { event: string; data: unknown };

/** The maximum number of characters of one event. A stream with a longer event ends. */
const MOST_UNITS = 4 * 1024 * 1024;

/** Yields events until the stream ends. Throws if the stream breaks, or is silent for `silentMs`. */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  silentMs: number,
): AsyncGenerator<StreamEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await inTime(silentMs, reader.read(), isSilent);
      if (done) return;
      text += decoder.decode(value, { stream: true });
      if (text.length > MOST_UNITS) throw new RangeError('an event is too long');
      const events = text.split('\n\n');
      text = events.pop() ?? '';
      for (const one of events) yield eventOf(one);
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function eventOf(text: string): StreamEvent {
  const field = (name: string) =>
    text
      .split('\n')
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2);
  return { event: field('event') ?? '', data: JSON.parse(field('data') ?? 'null') };
}

function isSilent(): Error {
  return new Error('the stream is silent');
}
