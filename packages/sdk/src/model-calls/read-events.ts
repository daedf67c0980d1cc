/** Reads server-sent events from pieces of a body, for a watcher. It never throws, and its memory is bounded. */

/** The most characters of one event. A longer event is skipped. */
const MOST_EVENT_UNITS = 32 * 1024 * 1024;

export type ServerSentEvent = { event: string | null; data: string };

/** Returns a function that takes the pieces in order, and calls `onEvent` for each event that is complete. */
export function eventReader(onEvent: (event: ServerSentEvent) => void): (piece: Uint8Array) => void {
  const decoder = new TextDecoder();
  let open = '';
  let event: string | null = null;
  let data: string[] = [];
  let units = 0;
  const takeLine = (line: string) => {
    if (line === '') {
      if (data.length > 0 && units <= MOST_EVENT_UNITS) onEvent({ event, data: data.join('\n') });
      event = null;
      data = [];
      units = 0;
      return;
    }
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + (line[colon + 1] === ' ' ? 2 : 1));
    if (field === 'event') event = value;
    if (field !== 'data') return;
    units += value.length;
    if (units > MOST_EVENT_UNITS) data = [''];
    else data.push(value);
  };
  return (piece) => {
    const text = decoder.decode(piece, { stream: true });
    open += text;
    // A long line is not searched again for each of its pieces.
    if (!/[\r\n]/.test(text) && !open.includes('\r') && open.length <= MOST_EVENT_UNITS) return;
    // A lone \r at the end may be the first half of \r\n, so it waits for the next piece.
    const lines = open.split(/\r\n|\n|\r(?!$)/);
    open = lines.pop() ?? '';
    for (const line of lines) takeLine(line);
    if (open.length <= MOST_EVENT_UNITS) return;
    units = Number.POSITIVE_INFINITY;
    open = '';
  };
}

/** Returns the JSON of an event as an object. Null if it is none. */
export function objectOf(json: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
