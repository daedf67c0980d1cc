/**
 * How what goes over a connection falls into requests and answers, as far as a way needs to know it that breaks for some
 * of them. Each connection has its own, because it keeps the part of a message that has come so far.
 */
export type Framing = () => {
  requests(bytes: Buffer): Request[];
  answers(bytes: Buffer): Answer[];
};

/** `says` is what is searched for words: its bytes as latin1, behind the name of what is asked where that is a number. */
type Request = { id: number; says: string; bytes: Buffer };

/** `id` is that of the request that it answers. */
type Answer = { id: number; bytes: Buffer };

const EVERY = 0;

/** For any protocol in which one request follows the answer to the one before: whatever comes next is the answer. */
export const inTurn: Framing = () => ({
  requests: (bytes) => [{ id: EVERY, says: bytes.toString('latin1'), bytes }],
  answers: (bytes) => [{ id: EVERY, bytes }],
});

/** Redis: many under way at once, answered in their order; what it pushes answers none of them. */
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
/** Kinds of "Redis serialization protocol specification", versions 2 and 3, that hold bytes or others; the rest are a line. */
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

/** "Kafka protocol guide", of the requests that tests break; others go by their numbers. */
const KAFKA_REQUESTS = new Map([
  [0, 'Produce'],
  [1, 'Fetch'],
  [8, 'OffsetCommit'],
  [11, 'JoinGroup'],
  [12, 'Heartbeat'],
]);

/** Kafka: many under way at once, each with a number of its own. */
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

/** @param endOf where the message ends that begins there; null when that cannot be told yet */
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
