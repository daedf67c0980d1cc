import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { AuditRecord } from './audit-output.ts';
import { planeOutput } from './plane-output.ts';

/** A server that answers each request in turn, as a plane would. */
async function plane(
  ...answers: { status: number; errors?: readonly { index: number; detail: string }[] }[]
) {
  const asked: { path: string; ids: string[] }[] = [];
  const server = createServer(async (request, response) => {
    const body = JSON.parse((await request.toArray()).join('')) as { id: string }[];
    asked.push({ path: String(request.url), ids: body.map(({ id }) => id) });
    const { status, errors = [] } = answers.shift() ?? { status: 202 };
    const problem = { code: 'INVALID_RECORD', detail: 'some records are invalid', remedy: '', errors };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(problem));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const output = planeOutput({ url: `http://127.0.0.1:${port}/governance`, apiKey: 'k' });
  const write = async (...ids: string[]) => {
    const records = ids.map((id) => ({ id }));
    const lines = records.map((record) => JSON.stringify(record));
    // Only the ids matter here.
    await output.write(records as unknown as AuditRecord[], lines);
  };
  return { asked, write };
}

test('sends the records to the address of the plane, with its path', async () => {
  const { asked, write } = await plane();
  await write('a', 'b');
  expect(asked).toEqual([{ path: '/governance/v1/audit', ids: ['a', 'b'] }]);
});

test('if the plane refuses some records, sends the others again, and reports how many were refused', async () => {
  const { asked, write } = await plane({ status: 400, errors: [{ index: 1, detail: 'no agent' }] });
  await expect(write('a', 'b', 'c')).rejects.toMatchObject({ code: 'AUDIT_RECORDS_REFUSED', count: 1 });
  expect(asked.map(({ ids }) => ids)).toEqual([
    ['a', 'b', 'c'],
    ['a', 'c'],
  ]);
});

test('sends the records later if the plane names refused records that were not sent', async () => {
  const { asked, write } = await plane({ status: 400, errors: [{ index: 7, detail: 'no agent' }] });
  await expect(write('a')).rejects.toMatchObject({ code: 'AUDIT_OUTPUT_FAILED' });
  expect(asked).toHaveLength(1);
});
