/** Every read of a plane's audit is recorded in the audit: by HTTP or by the command, allowed or refused. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApiClient } from '@mandate/client';
import { type PlaneProcess, startPlane, waitUntil } from '@mandate/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { jsonLines, runMandate } from '../cli/run-mandate.ts';
import { type OpenApi, operationsOf, requiredValues, urlOf } from '../interface/described.ts';

type Read = {
  keyName: string;
  method: string;
  route: string;
  parameters: Record<string, unknown>;
  refused: boolean;
  requestId: string;
};

const folder = mkdtempSync(join(tmpdir(), 'mandate-reads-'));
let plane: PlaneProcess;
beforeAll(async () => {
  plane = await startPlane({ data: folder });
});
afterAll(async () => {
  await plane?.kill();
  rmSync(folder, { recursive: true, force: true });
});

async function get(path: string, keyName: string, requestId: string): Promise<number> {
  const headers = { authorization: `Bearer ${plane.keys[keyName]}`, 'x-request-id': requestId };
  const answer = await fetch(plane.url + path, { headers });
  // A stream would not end, so the rest of the answer is not read.
  await answer.body?.cancel();
  return answer.status;
}

function query(...args: string[]) {
  return runMandate(args, {
    env: { MANDATE_URL: plane.url, MANDATE_API_KEY: plane.keys.operator ?? '' },
  });
}

/** Waits until a read with this request id is recorded. Returns the reads with this id. */
function readsOf(requestId: string): Promise<Read[]> {
  const api = createApiClient({ url: plane.url, key: plane.keys.operator ?? '' });
  return waitUntil(`the reads of ${requestId}`, async () => {
    const { reads } = await api.get<{ reads: Read[] }>('/v1/audit/reads', { requestId });
    return reads.length > 0 && reads;
  });
}

test.each([
  ['a search', '/v1/audit/decisions?agent=bot-1&text=ada', 200, { agent: 'bot-1', text: 'ada' }],
  ['one decision that does not exist', '/v1/audit/decisions/dec_1', 404, { id: 'dec_1' }],
  ['an invalid question', '/v1/audit/analytics?colour=red', 400, { colour: 'red' }],
  ['the stream', '/v1/audit/live', 200, {}],
  ['a file', '/v1/audit/export?format=csv', 200, { format: 'csv' }],
  ['the reads themselves', '/v1/audit/reads?limit=1', 200, { limit: '1' }],
])('%s is recorded as one row, with the caller and the question', async (what, path, status, parameters) => {
  const requestId = what.replaceAll(/\W+/g, '-');
  expect(await get(path, 'auditor', requestId)).toBe(status);
  const route = path.replace(/\?.*/, '').replace('dec_1', ':id');
  expect(await readsOf(requestId)).toMatchObject([
    { keyName: 'auditor', method: 'GET', route, parameters, refused: false, requestId },
  ]);
});

test('every route of the plane below /v1/audit is recorded, whichever service answers it', async () => {
  const document = (await (await fetch(`${plane.url}/openapi.json`)).json()) as OpenApi;
  const operations = operationsOf(document).filter(({ path }) => path.startsWith('/v1/audit/'));
  expect(operations.length).toBeGreaterThan(20);
  const asked = operations.map((operation, n) => ({ operation, requestId: `every-route-${n}` }));
  for (const { operation, requestId } of asked)
    await get(urlOf(operation, requiredValues(operation)), 'operator', requestId);
  await readsOf(asked.at(-1)?.requestId ?? '');

  // All reads are in one partition and are recorded in order. So when the last read is recorded, all are.
  const api = createApiClient({ url: plane.url, key: plane.keys.operator ?? '' });
  const { reads } = await api.get<{ reads: Read[] }>('/v1/audit/reads', { limit: 1_000 });
  for (const { operation, requestId } of asked) {
    const route = operation.path.replaceAll(/\{(\w+)\}/g, ':$1');
    const read = reads.filter((one) => one.requestId === requestId);
    expect(read).toMatchObject([{ keyName: 'operator', method: operation.method, route }]);
  }
});

test('the plane’s operator sees a request with an unknown key, and no tenant sees it', async () => {
  const answer = await fetch(`${plane.url}/v1/rules?name=ada`, {
    headers: { authorization: 'Bearer sk-none', 'x-request-id': 'nobodys' },
  });
  expect(answer.status).toBe(401);
  const asked = ['reads', 'list', '--request', 'nobodys', '--json'];
  const { stdout } = await waitUntil('it to be there', async () => {
    const answered = await query(...asked, '--known', 'false');
    return answered.stdout !== '' && answered;
  });
  expect(jsonLines<Read>(stdout)).toMatchObject([
    { tenant: null, keyId: null, keyName: null, route: '/v1/rules', parameters: {}, code: 'UNAUTHENTICATED' },
  ]);
  expect((await query(...asked)).stdout).toBe('');
  expect((await query(...asked, '--known', 'false', '--refused', 'false')).stdout).toBe('');
  expect(await get('/v1/audit/reads?known=false', 'auditor', 'of-nobody')).toBe(403);
  // The first row is the request, the second its refusal. Both may have the same millisecond, so either may come
  // first.
  const both = await waitUntil('both', async () => {
    const reads = await readsOf('of-nobody');
    return reads.length === 2 && reads;
  });
  expect(both.toSorted((one, other) => Number(one.refused) - Number(other.refused))).toMatchObject([
    { keyName: 'auditor', refused: false, code: null },
    { keyName: 'auditor', refused: true, code: 'FORBIDDEN' },
  ]);
});

test('a request by a key without the scope is recorded as refused', async () => {
  expect(await get('/v1/audit/decisions', 'publisher', 'not-mine')).toBe(403);
  expect(await readsOf('not-mine')).toMatchObject([{ keyName: 'publisher', refused: true }]);
});

test('the command shows reads, its own reads too, as a table, as JSON and as CSV', async () => {
  expect((await query('control-events', 'list', '--event', 'ledger.epoch')).exitCode).toBe(0);
  const own = await waitUntil('the read of the command', async () => {
    const { exitCode, stdout } = await query(
      'reads',
      'list',
      '--route',
      '/v1/audit/control-events',
      '--json',
    );
    expect(exitCode).toBe(0);
    const reads = jsonLines<Read & { keyId: string }>(stdout);
    return reads.find(({ parameters }) => parameters.event === 'ledger.epoch');
  });
  expect(own).toMatchObject({ keyName: 'operator', refused: false });
  const narrowed = ['--reader', own.keyId, '--request', own.requestId, '--from', '1h'];
  const table = await query('reads', 'list', ...narrowed);
  expect(table.stdout).toMatch(/KEY NAME/);
  expect(table.stdout).toMatch(/operator .*\/v1\/audit\/control-events/);
  const csv = await query('reads', 'list', ...narrowed, '--csv', '--columns', 'keyName,route,parameters');
  expect(csv.stdout).toMatch(
    /^keyName,route,parameters\noperator,\/v1\/audit\/control-events,".*""event"":""ledger\.epoch"".*"\n$/,
  );
});
