/** Tests uncaught exceptions in a real process: which requests they end, and which requests continue. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';

const fixture = fileURLToPath(new URL('./request-faults.fixture.ts', import.meta.url));
const children: ChildProcess[] = [];

async function run() {
  const child = spawn(process.execPath, [fixture], { stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => {
    log += chunk.toString();
  });
  const { value } = await createInterface(child.stdout)[Symbol.asyncIterator]().next();
  const { url } = JSON.parse(value ?? '') as { url: string };
  return { url, child, ended: once(child, 'close'), log: () => log };
}

type Running = Awaited<ReturnType<typeof run>>;
type Answer = { status: number | null; headers: object; body: string; isWhole: boolean };

/** Returns the received answer, even an incomplete one. The caller hangs up after `hangUpMs`. 0: never. */
function ask(url: string, { method = 'GET', hangUpMs = 0 } = {}): Promise<Answer> {
  return new Promise((resolve) => {
    const sent = request(url, {
      method,
      headers: { 'content-type': 'application/json', connection: 'close' },
    });
    const answer: Answer = { status: null, headers: {}, body: '', isWhole: false };
    sent.on('response', (response) => {
      answer.status = response.statusCode ?? null;
      answer.headers = response.headers;
      response.on('data', (chunk: Buffer) => {
        answer.body += chunk.toString();
      });
      response.on('error', () => {});
      response.on('close', () => resolve({ ...answer, isWhole: response.complete }));
    });
    sent.on('error', () => resolve(answer));
    if (hangUpMs > 0) setTimeout(() => sent.destroy(), hangUpMs);
    sent.end(method === 'POST' ? '{}' : undefined);
  });
}

async function faults({ url }: Running): Promise<number> {
  const { body } = await ask(`${url}/metrics`);
  return Number(/^mandate_http_faults_total\S* (\d+)$/m.exec(body)?.[1]);
}

const linesOf = ({ log }: Running) =>
  log()
    .split('\n')
    .filter((line) => line.includes('an uncaught exception of a request'))
    .map((line) => JSON.parse(line) as { level: string; err: { message: string }; requestId?: string });

const pathOf = (group: string, name: string) => `/${group}/${name.replaceAll(/\W+/g, '-')}`;

let running: Running;
beforeAll(async () => {
  running = await run();
});
afterEach(async () => {
  expect(running.child.exitCode).toBeNull();
  expect((await ask(`${running.url}/healthz`)).status).toBe(200);
});
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

/**
 * The names of the routes in the fixture. Each is tested with and without a body, because Node reads bodies in
 * another context.
 */
const WAYS = {
  before: [
    ...['timer', 'immediate', 'tick', 'microtask', 'rejection', 'rejection of a shared part'],
    ...['rejection behind a timer', 'stream that nobody hears', 'listener of a shared part'],
    ...['header that breaks', 'header that breaks, of a stream'],
  ],
  amid: [
    ...['trailer', 'trailer that throws', 'timer of an event stream', 'listener of a stream'],
    ...['generator of a stream', 'listener of the socket'],
  ],
  after: [
    ...['timer after the answer', 'interval after the answer', 'finish of the answer', 'close of the answer'],
    ...['signal of the request', 'close of the socket'],
  ],
  process: ['shared work', 'nobody waits for it'],
};

test('the tests use every route of the fixture', async () => {
  expect(JSON.parse((await ask(`${running.url}/ways`)).body)).toEqual(WAYS);
});

describe.each(['GET', 'POST'])('%s', (method) => {
  test.each(WAYS.before)('%s, before the answer: 500 with the id of the request', async (name) => {
    const answer = await ask(running.url + pathOf('before', name), { method });
    expect([answer.status, answer.isWhole]).toEqual([500, true]);
    const problem = JSON.parse(answer.body);
    expect(problem).toMatchObject({ code: 'INTERNAL_ERROR', instance: pathOf('before', name) });
    expect(answer.headers).toMatchObject({
      'x-request-id': problem.requestId,
      'content-type': 'application/problem+json; charset=utf-8',
      'cache-control': 'no-store',
    });
    expect(answer.body).not.toContain('boom');
    await vi.waitFor(() => expect(running.log()).toContain(problem.requestId), 20_000);
  });

  test.each(WAYS.amid)('%s, during the answer: the connection ends', async (name) => {
    const answer = await ask(running.url + pathOf('amid', name), { method });
    expect([answer.status, answer.isWhole]).toEqual([200, false]);
  });

  // Node ends a request after its body was read. Then its signal does not notice that the caller has left.
  const after = WAYS.after.filter((name) => method === 'GET' || name !== 'signal of the request');
  test.each(after)('%s: the answer was complete', async (name) => {
    const before = await faults(running);
    const isCutOff = name === 'signal of the request';
    const answer = await ask(running.url + pathOf('after', name), { method, hangUpMs: isCutOff ? 200 : 0 });
    if (!isCutOff) expect([answer.isWhole, answer.body]).toEqual([true, '{"told":true}']);
    await vi.waitFor(async () => expect(await faults(running)).toBeGreaterThan(before), 20_000);
  });
});

test('counts every exception of a request, but logs only the first', async () => {
  const [counted, logged] = [await faults(running), linesOf(running).length];
  await ask(running.url + pathOf('after', 'interval after the answer'));
  await vi.waitFor(async () => expect(await faults(running)).toBe(counted + 3), 20_000);
  expect(linesOf(running)).toHaveLength(logged + 1);
  expect(linesOf(running).at(-1)).toMatchObject({ level: 'error', err: { message: 'boom' } });
});

test.each(WAYS.process)('%s: the process ends, because its state is unknown', async (name) => {
  const doomed = await run();
  expect((await ask(doomed.url + pathOf('process', name))).status).toBeNull();
  const [code] = await doomed.ended;
  expect(code).toBe(1);
  expect(doomed.log()).toContain('"level":"fatal"');
});
