import { expect, test } from 'vitest';
import { hintsOf, KnownTools } from './known-tools.ts';

const tool = (name: string) => ({
  name,
  annotations: { destructiveHint: true, title: 'x', openWorldHint: 'no' },
});

test('reads all pages of a list once, until the server says that it changed', async () => {
  const tools = new KnownTools();
  const asked: (string | undefined)[] = [];
  const page = async ({ cursor }: { cursor?: string }) => {
    asked.push(cursor);
    return cursor === undefined ? { tools: [tool('a')], nextCursor: '2' } : { tools: [tool('b')] };
  };
  const [b, c] = await Promise.all([tools.find('b', page), tools.find('c', page)]);
  expect([b?.name, c, (await tools.find('a', page))?.name]).toEqual(['b', null, 'a']);
  expect(asked).toEqual([undefined, '2']);
  tools.forget();
  await tools.find('a', page);
  expect(asked).toHaveLength(4);
});

test('a list that cannot be read delays only one call', async () => {
  const tools = new KnownTools();
  let asked = 0;
  const page = async () => {
    asked += 1;
    throw new Error('no answer');
  };
  expect(await tools.find('a', page)).toBeNull();
  expect(await tools.find('a', page)).toBeNull();
  expect(asked).toBe(1);
  tools.note({ tools: [tool('a'), { name: 7 }, null] });
  expect(await tools.find('a', page)).toMatchObject({ name: 'a' });
});

test('keeps no more definitions than fit in 16 Mi characters', () => {
  const tools = new KnownTools();
  const large = (name: string) => ({ name, description: 'x'.repeat(6 * 1024 * 1024) });
  const none = async () => ({ tools: [] });
  tools.note({ tools: [large('a'), large('b'), large('c'), tool('d')] });
  // A definition that is listed again counts once.
  tools.note({ tools: [large('a'), tool('e')] });
  return Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => tools.find(name, none))).then((found) =>
    expect(found.map((known) => known?.name)).toEqual(['a', 'b', undefined, 'd', 'e']),
  );
});

test('reads only hints that are true or false', () => {
  expect(hintsOf({ name: 'a', definition: tool('a') })).toEqual({ destructive: true });
  expect(hintsOf({ name: 'a', definition: { name: 'a' } })).toBeNull();
  expect(hintsOf(null)).toBeNull();
});
