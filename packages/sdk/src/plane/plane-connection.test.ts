import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
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

test('a redirect is not followed, so that the key reaches no other server', async () => {
  const paths: unknown[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url?.replace(/[?].*/, ''));
    response.writeHead(307, { location: '/elsewhere' }).end();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const planeUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const mandate = new Mandate({ agentId: 'bot', planeUrl, apiKey: 'k', onError: () => {} });
  onTestFinished(() => mandate.close({ timeoutMs: 1 }));
  expect(await codeOf(mandate.createExecutor().run('pay', {}, () => 'paid'))).toBe('NOT_A_PLANE');
  expect(paths).not.toContain('/elsewhere');
});
