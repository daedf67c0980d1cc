import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Outcome } from '@mandate/schemas';
import { expect, onTestFinished, test } from 'vitest';
import { planePoint } from './plane-point.ts';

const problem = (code: string) => ({ code, detail: `${code} is the reason`, remedy: 'Correct it' });

/** Opens a point of a gateway that answers each report of outcomes with the next status and body. */
async function scene(...answers: [status: number, body: object][]) {
  const keys: unknown[] = [];
  const server = createServer((request, response) => {
    keys.push(request.headers.authorization);
    const [status, body] = answers.shift() ?? [200, {}];
    request.resume().on('end', () => response.writeHead(status).end(JSON.stringify(body)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const planeUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const errors: unknown[] = [];
  let key = 'old';
  const point = planePoint({
    planeUrl,
    apiKey: () => key,
    onError: (error) => {
      errors.push(error);
      key = 'new';
    },
  });
  onTestFinished(async () => {
    await point.close({ timeoutMs: 1 });
    server.close();
  });
  const settle = (actionId: string) => {
    const outcome: Outcome = { actionId, attempt: 1, agentId: 'bot', status: 'success' };
    return point.settle(outcome, 'tool_call');
  };
  const counts = async () => {
    await point.flush({ timeoutMs: 10_000 });
    const { written, waiting, lost } = point.auditCounts?.() ?? {};
    return { written, waiting, lost };
  };
  return { point, settle, counts, errors, keys };
}

test('outcomes wait while the plane refuses the API key, and are sent with the next key', async () => {
  const { settle, counts, errors, keys } = await scene([401, problem('UNAUTHENTICATED')]);
  await settle('a');
  expect(await counts()).toEqual({ written: 1, waiting: 0, lost: 0 });
  expect(errors).toMatchObject([{ code: 'OUTCOMES_DELAYED' }]);
  expect(keys).toEqual(['Bearer old', 'Bearer new']);
});

test('outcomes wait if the answer comes from no plane, or the plane is busy', async () => {
  const { settle, counts } = await scene([403, { message: 'a proxy' }], [503, problem('BUSY')]);
  await settle('a');
  expect(await counts()).toEqual({ written: 1, waiting: 0, lost: 0 });
});

test('only the outcome that the plane refuses is lost', async () => {
  const refused = [400, problem('INVALID_OUTCOME')] as [number, object];
  const { settle, counts, errors } = await scene(refused, refused);
  await Promise.all([settle('a'), settle('b')]);
  expect(await counts()).toEqual({ written: 1, waiting: 0, lost: 1 });
  expect(errors).toMatchObject([
    {
      code: 'OUTCOMES_LOST',
      message: 'Lost outcomes: 1, from a on: INVALID_OUTCOME is the reason. Correct it.',
    },
  ]);
});

test('a whole batch is lost if the plane refuses all its outcomes', async () => {
  const { settle, counts } = await scene([403, problem('SCOPE_MISSING')]);
  await Promise.all([settle('a'), settle('b')]);
  expect(await counts()).toEqual({ written: 0, waiting: 0, lost: 2 });
});

test.each(['__proto__', 'constructor'])(
  'a record with the key %s is refused, even if a digest hides the key from the plane',
  async (key) => {
    const { point } = await scene();
    const record = (args: string) =>
      `{"event":"action.requested","action":{"id":"a","agentId":"bot","type":"tool_call","tool":"pay","args":${args}}}`;
    const digested = record('{"form":{"$digested":{}}}');
    expect(point.readAction(digested, record(`{"form":{"${key}":1}}`))).toMatchObject({
      ok: false,
      fault: { reason: `the key "${key}" is refused` },
    });
    expect(point.readAction(digested, record(`{"form":"${key}"}`)).ok).toBe(true);
  },
);
