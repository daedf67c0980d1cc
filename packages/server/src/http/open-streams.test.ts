import { expect, test } from 'vitest';
import { testServer } from './http-server.fixture.ts';
import { boundStreams, type OpenStreams } from './open-streams.ts';

const MOST = { inAll: 12, ofATenant: 8, ofAKey: 4, keptForPeople: 2 };

async function streams() {
  const made = Promise.withResolvers<OpenStreams>();
  const server = await testServer(async (routes) => {
    made.resolve(boundStreams(routes, MOST, { what: 'kills', remedy: 'Wait.' }));
  });
  const open = await made.promise;
  const key = (id: string, scope: 'publish' | 'operate' | 'audit', tenant = 'acme') => ({
    ...{ id, tenant, scopes: [scope] },
  });
  /** Opens `many` streams with the key. Returns the streams that were admitted. */
  const hoard = (holder: ReturnType<typeof key>, many = 20) => {
    const places = [];
    try {
      for (let at = 0; at < many; at += 1) places.push(open.enter(holder));
    } catch (error) {
      expect(error).toMatchObject({ status: 503, code: 'OVERLOADED' });
    }
    return places;
  };
  return { server, key, hoard };
}

test('leaves some streams to other keys of the tenant, and counts a closed stream no more', async () => {
  const { key, hoard } = await streams();
  const places = hoard(key('one', 'publish'));
  expect(places).toHaveLength(4);
  places[0]?.leave();
  places[0]?.leave();
  expect(hoard(key('one', 'publish'))).toHaveLength(1);
});

test('reserves streams for people, in the tenant and overall, if keys of agents open as many as they can', async () => {
  const { key, hoard } = await streams();
  const got = [hoard(key('one', 'publish')), hoard(key('other', 'publish', 'globex'))].flat();
  got.push(...hoard(key('two', 'publish'), 2));
  expect(got).toHaveLength(10);
  expect(hoard(key('op', 'operate'), 1)).toHaveLength(1);
  expect(hoard(key('auditor', 'audit'), 1)).toHaveLength(1);
  expect(got.some(({ cut }) => cut.aborted)).toBe(false);
});

test('ends a stream of one key for another key of the same tenant if the tenant has its maximum of streams', async () => {
  const { key, hoard } = await streams();
  const one = hoard(key('one', 'publish'));
  expect(hoard(key('two', 'publish'))).toHaveLength(3);
  expect(one.map(({ cut }) => cut.aborted)).toEqual([true, false, false, false]);
});

test('ends the oldest streams of the largest holder if the maximum of all streams is reached', async () => {
  const { key, hoard } = await streams();
  const got = ['one', 'two'].flatMap((id) => hoard(key(id, 'publish'), 3));
  hoard(key('other', 'publish', 'globex'));
  expect(hoard(key('late', 'publish', 'initech'))).toHaveLength(3);
  expect(got.filter(({ cut }) => cut.aborted)).toHaveLength(3);
});

test('tells all streams to end when the server stops', async () => {
  const { server, key, hoard } = await streams();
  const [one] = hoard(key('one', 'publish'), 1);
  const [other] = hoard(key('two', 'publish'), 1);
  other?.leave();
  await server.close();
  expect([one?.ending.aborted, one?.cut.aborted, other?.ending.aborted]).toEqual([true, false, false]);
});
