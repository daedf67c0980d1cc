/**
 * Splits the bytes of a connection into requests and answers, as far as a proxy needs. Each connection has its own
 * framing, because the framing keeps the incomplete end of a message.
 */
export type Framing = () => {
  requests(bytes: Buffer): Request[];
  answers(bytes: Buffer): Answer[];
};

/**
 * `says` is the text in which words are searched: the bytes as latin1. If the protocol names requests only by a
 * number, `says` begins with the name.
 */
type Request = { id: number; says: string; bytes: Buffer };

/** `id` is the id of the request that was answered. */
type Answer = { id: number; bytes: Buffer };

const EVERY = 0;

/** For protocols with one request at a time. The next bytes from the server are the answer. */
export const inTurn: Framing = () => ({
  requests: (bytes) => [{ id: EVERY, says: bytes.toString('latin1'), bytes }],
  answers: (bytes) => [{ id: EVERY, bytes }],
});

/**
 * Redis: many requests are under way at once, and the answers keep their order. Messages that the server pushes are
 * no answers.
 */
export const redisFraming: Framing = () => {
  const [asked, answered] = [wholeOnes(endOfReply), wholeOnes(endOfReply)];
  const next = { request: 0, answer: 0 };
  return {
    requests: (arrived) =>
      asked(arrived).map((bytes) => ({ id: next.request++, says: bytes.toString('latin1'), bytes })),
    answers: (arrived) =>
      answered(arrived).map((bytes) => ({ id: bytes[0] === PUSH ? NONE : next.answer++, bytes })),
  };
};

const PUSH = '>'.charCodeAt(0);
const NONE = -1;
/**
 * The kinds of the "Redis serialization protocol specification", versions 2 and 3, that contain bytes or other
 * replies. Any other kind is one line.
 */
const BULKS = '$!=';
const ITEMS_A_COUNT = new Map([
  ['*', 1],
  ['~', 1],
  ['>', 1],
  ['%', 2],
]);

function endOfReply(bytes: Buffer, from: number): number | null {
  const lineEnd = bytes.indexOf('\r\n', from);
  if (lineEnd === -1) return null;
  const behindLine = lineEnd + 2;
  const kind = bytes.toString('latin1', from, from + 1);
  const count = Number(bytes.toString('latin1', from + 1, lineEnd));
  if (BULKS.includes(kind)) return count < 0 ? behindLine : behindLine + count + 2;
  const items = count * (ITEMS_A_COUNT.get(kind) ?? 0);
  let end: number | null = behindLine;
  for (let item = 0; item < items && end !== null; item++) end = endOfReply(bytes, end);
  return end;
}

/** Requests of the "Kafka protocol guide" that tests break. Any other request is named by its number. */
const KAFKA_REQUESTS = new Map([
  [0, 'Produce'],
  [1, 'Fetch'],
  [8, 'OffsetCommit'],
  [11, 'JoinGroup'],
  [12, 'Heartbeat'],
]);

/** Kafka: many requests are under way at once, each with an id. */
export const kafkaFraming: Framing = () => {
  const [asked, answered] = [wholeOnes(endOfSized), wholeOnes(endOfSized)];
  return {
    requests: (arrived) =>
      asked(arrived).map((bytes) => {
        const kind = bytes.readInt16BE(4);
        const says = `${KAFKA_REQUESTS.get(kind) ?? kind} ${bytes.toString('latin1')}`;
        return { id: bytes.readInt32BE(8), says, bytes };
      }),
    answers: (arrived) => answered(arrived).map((bytes) => ({ id: bytes.readInt32BE(4), bytes })),
  };
};

function endOfSized(bytes: Buffer, from: number): number | null {
  return bytes.length < from + 4 ? null : from + 4 + bytes.readInt32BE(from);
}

/** @param endOf returns the end of the message that begins at `from`; null if more bytes are needed */
function wholeOnes(endOf: (bytes: Buffer, from: number) => number | null): (bytes: Buffer) => Buffer[] {
  let rest = Buffer.alloc(0);
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    const found: Buffer[] = [];
    for (;;) {
      const end = rest.length === 0 ? null : endOf(rest, 0);
      if (end === null || end > rest.length) return found;
      found.push(rest.subarray(0, end));
      rest = rest.subarray(end);
    }
  };
}
