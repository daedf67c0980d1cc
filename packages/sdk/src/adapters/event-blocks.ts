/** Divides a body into server-sent events, and keeps their bytes, so that an event can be left out. */

/** The most characters of one event. */
const MOST_UNITS = 32 * 1024 * 1024;

const END_OF_EVENT = /\r\n\r\n|\n\n|\r\r/g;

export type EventBlocks = {
  /**
   * Takes the next piece, and returns the events that are complete now, each with its empty line. Null: an event is too
   * long, and `rest` returns all text that `take` has not returned.
   */
  take(piece: Uint8Array): string[] | null;
  rest(): string;
};

export function eventBlocks(): EventBlocks {
  // A byte order mark belongs to the bytes that are passed on.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let open = '';
  return {
    take(piece) {
      // An end of an event may be divided between two pieces, so the search begins a little earlier.
      const from = Math.max(0, open.length - 3);
      open += decoder.decode(piece, { stream: true });
      const blocks: string[] = [];
      let begin = 0;
      END_OF_EVENT.lastIndex = from;
      for (let end = END_OF_EVENT.exec(open); end !== null; end = END_OF_EVENT.exec(open)) {
        blocks.push(open.slice(begin, END_OF_EVENT.lastIndex));
        begin = END_OF_EVENT.lastIndex;
      }
      const rest = open.slice(begin);
      if (rest.length > MOST_UNITS) return null;
      open = rest;
      return blocks;
    },
    rest: () => open,
  };
}

/** Returns the data of an event. An event without data has an empty one. */
export function dataOf(block: string): string {
  return block
    .split(/\r\n|\n|\r/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(line[5] === ' ' ? 6 : 5))
    .join('\n');
}
