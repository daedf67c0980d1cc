/**
 * Holds back the beginning of an event until the event is complete. So an answer can always be ended with another event,
 * such as an error.
 */
export type WholeEvents = {
  /** Returns the bytes up to the end of the last complete event. */
  take(bytes: Uint8Array): Uint8Array;
  /** Returns the bytes that are held back. */
  rest(): Uint8Array;
};

/** A longer event is passed on in pieces. */
const MOST_HELD_BYTES = 1024 * 1024;

export function wholeEvents(): WholeEvents {
  let held = Buffer.alloc(0);
  return {
    take(bytes) {
      const all = held.length === 0 ? Buffer.from(bytes) : Buffer.concat([held, bytes]);
      const end = endOfLastEvent(all);
      held = all.subarray(end);
      if (held.length > MOST_HELD_BYTES) {
        held = Buffer.alloc(0);
        return all;
      }
      return all.subarray(0, end);
    },
    rest: () => held,
  };
}

/** An event ends with an empty line. */
const ENDS = ['\n\n', '\r\n\r\n', '\r\r'];

function endOfLastEvent(bytes: Buffer): number {
  return Math.max(
    0,
    ...ENDS.map((end) => {
      const at = bytes.lastIndexOf(end);
      return at === -1 ? 0 : at + end.length;
    }),
  );
}
