import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { Mandate } from './index.ts';

const codeOf = (call: Promise<unknown>) => call.then(() => 'ran').catch(({ cause }) => cause.code);

test('a function that never returns the API key blocks the call in time', async () => {
  const mandate = new Mandate({
    agentId: 'bot',
    planeUrl: 'http://127.0.0.1:9',
    apiKey: () => new Promise<string>(() => {}),
    timeoutMs: 50,
  });
  onTestFinished(() => mandate.close({ timeoutMs: 1 }));
  const blocked = await mandate
    .createExecutor()
    .run('pay', {}, () => 'paid')
    .catch((error) => error);
  expect(blocked).toMatchObject({
    code: 'INTERNAL_ERROR',
    retryable: true,
    cause: { code: 'PLANE_UNAVAILABLE' },
    remedy: expect.stringMatching(/Then try again\.$/),
  });
});

test('a program waits for its call while the plane is away, even if it does nothing else', async () => {
  const program = new URL('./waits.fixture.ts', import.meta.url).pathname;
  const { stdout } = await promisify(execFile)(process.execPath, [program]);
  expect(stdout).toBe('PLANE_UNAVAILABLE\n');
});

/** Starts a server, and returns its address. */
async function urlOf(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.each([
  [401, 'UNAUTHENTICATED', 'Set `apiKey`, or MANDATE_API_KEY, to a valid key.'],
  [404, 'NOT_FOUND', 'Set `planeUrl` to the address of the gateway.'],
  [403, 'FORBIDDEN', 'Send another header.'],
])(
  'a refusal with the status %i names the option to correct, if there is one',
  async (status, code, remedy) => {
    const problem = JSON.stringify({ code, detail: 'it is refused', remedy: 'Send another header.' });
    const planeUrl = await urlOf((_request, response) => response.writeHead(status).end(problem));
    const mandate = new Mandate({ agentId: 'bot', planeUrl, onError: () => {} });
    onTestFinished(() => mandate.close({ timeoutMs: 1 }));
    const call = mandate.createExecutor().run('pay', {}, () => 'paid');
    await expect(call).rejects.toMatchObject({ code: 'INTERNAL_ERROR', cause: { code, remedy } });
  },
);

test('a redirect is not followed, so that the key reaches no other server', async () => {
  const paths: unknown[] = [];
  const planeUrl = await urlOf((request, response) => {
    paths.push(request.url?.replace(/[?].*/, ''));
    response.writeHead(307, { location: '/elsewhere' }).end();
  });
  const mandate = new Mandate({ agentId: 'bot', planeUrl, apiKey: 'k', onError: () => {} });
  onTestFinished(() => mandate.close({ timeoutMs: 1 }));
  expect(await codeOf(mandate.createExecutor().run('pay', {}, () => 'paid'))).toBe('NOT_A_PLANE');
  expect(paths).not.toContain('/elsewhere');
});
