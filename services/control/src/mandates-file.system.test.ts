import { loadMandates } from '@mandate/policy/documents';
import { expect, test } from 'vitest';
import type { FollowedMandates } from './control.ts';
import { controlOn, NOW_MS, openLog } from './control-server.fixture.ts';

const ROUTE = '/v1/mandates-file';

function read(text: string): FollowedMandates {
  const loaded = loadMandates(text);
  if (!loaded.ok) throw new Error('the file is bad');
  return { revision: 3, inForceSinceMs: NOW_MS, mandates: loaded.mandates, faults: [] };
}

test('shows the mandates in force, and the faults of an edit that is not in force', async () => {
  const fault = { line: 4, column: 1, path: 'maxCostTotal', message: 'must be at least 0' };
  const file = { ...read('version: 1\nid: bots\nagents: ["bot-*", other]\n'), faults: [fault] };
  const { call } = await controlOn(await openLog(), { mandatesFile: () => file });
  const { status, body } = await call('owner', 'GET', ROUTE);
  expect([status, body]).toEqual([
    200,
    {
      revision: 3,
      inForceSince: new Date(NOW_MS).toISOString(),
      mandates: [{ id: 'bots', hash: file.mandates[0]?.reference.hash, agents: ['bot-*', 'other'] }],
      faults: [fault],
    },
  ]);
});

test('is not for keys of one tenant, because the file applies to all', async () => {
  const { call } = await controlOn(await openLog(), {
    mandatesFile: () => read('version: 1\nid: a\nagents: [b]\n'),
  });
  for (const caller of ['author', 'auditor'] as const)
    expect((await call(caller, 'GET', ROUTE)).status).toBe(403);
});

test('a service that follows no file says so', async () => {
  const { call } = await controlOn(await openLog());
  expect(await call('owner', 'GET', ROUTE)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
});
