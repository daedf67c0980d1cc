import fc from 'fast-check';
import { expect, test } from 'vitest';
import { kafkaFraming, redisFraming } from './framing.ts';

/** Cuts bytes at the given positions, as a network may cut them anywhere. */
const cutAnywhere = (bytes: Buffer, cuts: readonly number[]): Buffer[] => {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return places.slice(1).map((end, at) => bytes.subarray(places[at], end));
};
const someCuts = fc.array(fc.nat(), { maxLength: 20 });

const reply: fc.Arbitrary<string> = fc.letrec((tie) => ({
  any: fc.oneof({ depthSize: 'small' }, tie('plain'), tie('bulk'), tie('list'), tie('map')),
  plain: fc
    .constantFrom('+OK', '-ERR no', ':42', '$-1', '*-1', '_', '#t', ',1.5')
    .map((line) => `${line}\r\n`),
  bulk: fc.constantFrom('', 'x', '*1\r\n', '$5').map((text) => `$${text.length}\r\n${text}\r\n`),
  map: fc
    .tuple(tie('any') as fc.Arbitrary<string>, tie('any') as fc.Arbitrary<string>)
    .map((pair) => `%1\r\n${pair.join('')}`),
  list: fc
    .array(tie('any') as fc.Arbitrary<string>, { maxLength: 3 })
    .map((items) => `*${items.length}\r\n${items.join('')}`),
})).any as fc.Arbitrary<string>;

test('Redis framing separates answers wherever the network cuts them, and numbers them in the order of the requests', () => {
  const push = reply.map((pushed) => `>1\r\n${pushed}`);
  fc.assert(
    fc.property(fc.array(fc.oneof(reply, push), { maxLength: 8 }), someCuts, (written, cuts) => {
      const { answers } = redisFraming();
      const found = cutAnywhere(Buffer.from(written.join('')), cuts).flatMap(answers);
      expect(found.map(({ bytes }) => bytes.toString())).toEqual(written);
      const numbered = found.filter(({ bytes }) => !bytes.toString().startsWith('>'));
      expect(numbered.map(({ id }) => id)).toEqual(numbered.map((_, at) => at));
    }),
  );
});

test('Kafka framing gives requests and answers their ids and, if known, their names', () => {
  const request = fc.record({
    kind: fc.constantFrom(0, 1, 8, 99),
    id: fc.nat(2 ** 31 - 1),
    body: fc.string(),
  });
  fc.assert(
    fc.property(fc.array(request, { maxLength: 8 }), someCuts, (wanted, cuts) => {
      const written = wanted.map(({ kind, id, body }) => {
        const rest = Buffer.from(body);
        const bytes = Buffer.alloc(12 + rest.length);
        bytes.writeInt32BE(8 + rest.length, 0);
        bytes.writeInt16BE(kind, 4);
        bytes.writeInt32BE(id, 8);
        rest.copy(bytes, 12);
        return bytes;
      });
      const found = cutAnywhere(Buffer.concat(written), cuts).flatMap(kafkaFraming().requests);
      expect(found.map(({ bytes }) => bytes)).toEqual(written);
      expect(found.map(({ id }) => id)).toEqual(wanted.map(({ id }) => id));
      const names = { 0: 'Produce', 1: 'Fetch', 8: 'OffsetCommit', 99: '99' };
      expect(found.map(({ says }) => says.split(' ')[0])).toEqual(
        wanted.map(({ kind }) => names[kind as keyof typeof names]),
      );
    }),
  );
});
