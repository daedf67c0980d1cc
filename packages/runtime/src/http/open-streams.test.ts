import { expect, test } from 'vitest';
import { testServer } from './http-server.fixture.ts';
import { boundStreams, type OpenStreams } from './open-streams.ts';

const MOST = { inAll: 12, ofATenant: 8, ofAKey: 4, keptForPeople: 2 };

async function streams() {
  const made = Promise.withResolvers<OpenStreams>();
  await testServer(async (server) => {
    made.resolve(boundStreams(server, MOST, { what: 'kills', remedy: 'Wait.' }));
  });
  const open = await made.promise;
  const key = (id: string, scope: 'publish' | 'operate' | 'audit', tenant = 'acme') => ({
    ...{ id, tenant, scopes: [scope] },
  });
  /** How many streams the key gets, of so many. */
  const hoard = (holder: ReturnType<typeof key>, many = 20) => {
    const places = [];
    try {
      for (let at = 0; at < many; at += 1) places.push(open.enter(holder));
    } catch (error) {
      expect(error).toMatchObject({ status: 503, code: 'OVERLOADED' });
    }
    return places;
  };
  return { key, hoard };
}

test('a key cannot hold all streams of its tenant, and gets a place again when it leaves one', async () => {
  const { key, hoard } = await streams();
  const places = hoard(key('one', 'publish'));
  expect(places).toHaveLength(4);
  places[0]?.leave();
  expect(hoard(key('one', 'publish'))).toHaveLength(1);
});

test('keys of agents together leave room for people, in their tenant and in all', async () => {
  const { key, hoard } = await streams();
  const got = ['one', 'two', 'three'].map((id) => hoard(key(id, 'publish')).length);
  expect(got).toEqual([4, 2, 0]);
  expect(hoard(key('other', 'publish', 'globex'))).toHaveLength(4);
  expect(hoard(key('more', 'publish', 'globex'))).toHaveLength(0);
  expect(hoard(key('op', 'operate'), 1)).toHaveLength(1);
  expect(hoard(key('auditor', 'audit'), 1)).toHaveLength(1);
  expect(hoard(key('late', 'operate', 'initech'))).toHaveLength(0);
});
