/** Who may call what: every route, without a key, with one of the wrong scope, and from another tenant. */
import { readAccessRecord, TOPICS } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { controlOn, everybody, openLog, type Who } from './control-server.fixture.ts';

const READERS: readonly Who[] = ['author', 'auditor', 'other'];
const WRITERS: readonly Who[] = ['author', 'other'];

async function routesOf(call: Awaited<ReturnType<typeof controlOn>>['call']) {
  const { paths } = (await call(null, 'GET', '/openapi.json')).body;
  return Object.entries<object>(paths)
    .filter(([path]) => path.startsWith('/v1/'))
    .flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => [method.toUpperCase(), path] as const),
    );
}

test('nobody gets in without a key, or with a key that lacks the scope; and who is turned away is on record', async () => {
  const bus = await openLog();
  const { call } = await controlOn(bus);
  const routes = await routesOf(call);
  expect(routes.length).toBeGreaterThan(15);
  for (const [method, path] of routes) {
    const url = path.replace('{id}', 'x').replace('{keyId}', 'y');
    const reads = method === 'GET' || path.endsWith('/preview');
    const sent = method === 'GET' ? {} : { body: {} };
    expect([method, path, (await call(null, method, url, sent)).status]).toEqual([method, path, 401]);
    for (const who of everybody) {
      const { status } = await call(who, method, url, sent);
      const isIn = (reads ? READERS : WRITERS).includes(who);
      expect([method, path, who, status === 403]).toEqual([method, path, who, !isIn]);
    }
  }
  const refused: string[] = [];
  const reader = await bus.read({
    topics: [TOPICS.access],
    from: 'earliest',
    onRecords: (batch) => {
      for (const { value } of batch) {
        const { read } = readAccessRecord(value) as {
          read: { refused: boolean; method: string; route: string };
        };
        if (read.refused) refused.push(`${read.method} ${read.route}`);
      }
    },
  });
  await reader.caughtUp;
  await reader.stop();
  expect(new Set(refused)).toEqual(
    new Set(
      routes.map(([method, path]) => `${method} ${path.replace('{id}', ':id').replace('{keyId}', ':keyId')}`),
    ),
  );
});
