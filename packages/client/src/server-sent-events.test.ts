import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readEvents } from './server-sent-events.ts';

async function readIn(pieces: readonly Uint8Array[]) {
  const events: unknown[] = [];
  const ids: string[] = [];
  async function* bytes() {
    yield* pieces;
  }
  for await (const event of readEvents(bytes(), (id) => ids.push(id)))
    events.push({ ...event, after: ids.at(-1) });
  return { events, ids };
}

const STREAM = `retry: 1000\nid: a\n\nid: b\nevent: decision\ndata: {"tool":"zwölf: ✓"}\n\n:\nid: c\n\ndata: x\n\nid: d\ndata: cut o`;

test('yields events with their data, however the bytes are split, but no incomplete event', async () => {
  const whole = Buffer.from(STREAM);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(whole.length), { maxLength: 8 }), async (cuts) => {
      const at = [0, ...cuts.toSorted((a, b) => a - b), whole.length];
      const pieces = at.slice(1).map((end, index) => whole.subarray(at[index], end));
      expect(await readIn(pieces)).toEqual({
        events: [
          { event: 'decision', data: '{"tool":"zwölf: ✓"}', after: 'a' },
          { event: 'message', data: 'x', after: 'c' },
        ],
        ids: ['a', 'b', 'c'],
      });
    }),
  );
});
