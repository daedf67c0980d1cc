/** What other proxies got wrong with bytes and processes. Whatever ends, no process of the server is left after 3 s. */
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder, waitUntil } from '@mandate/testing';
import { describe, expect, test } from 'vitest';
import { behindShell, misbehaving } from '../misbehaving/misbehaving.ts';
import { serveRaw } from '../misbehaving/raw-http-server.ts';
import { FLOOD_FRAMES, WIDE_TEXT } from '../misbehaving/tools.ts';
import { throughMandate } from '../proxy/mandate-mcp.ts';
import { initialize } from '../wire/handshake.ts';
import { memoryOf, processesWith } from '../wire/processes.ts';
import { startStdio } from '../wire/stdio-process.ts';
import { callOf, openThrough, textOf } from './open-through.ts';

const WITHIN_MS = 3_000;
const MEBIBYTE = 1024 * 1024;

test('lesson 13 (agentgateway#2387): a plane that never answers blocks the call in bounded time, and nothing else', async () => {
  await using plane = await serveRaw(() => {});
  const [program, ...args] = throughMandate(misbehaving());
  const withPlane = args.filter((arg, at) => arg !== '--mandates' && args[at - 1] !== '--mandates');
  const env = {
    ...process.env,
    MANDATE_URL: new URL(plane.url).origin,
    MANDATE_API_KEY: `sk-mdt_${'a'.repeat(43)}`,
  };
  await using client = startStdio([program, ...withPlane], env);
  await initialize(client);
  client.send({ jsonrpc: '2.0', ...callOf(1, 'echo', { message: 'hello' }) });
  expect((await client.request({ id: 2, method: 'ping' })).result).toEqual({});
  const { result } = await client.receive(
    'the refusal',
    ({ id, method }) => id === 1 && method === undefined,
  );
  expect(result.isError).toBe(true);
  expect(JSON.stringify(result)).toContain('PLANE_UNAVAILABLE');
});

describe('lesson 16', () => {
  test('(mcp-proxy#89): characters that are split over chunks stay whole', async () => {
    await using client = await openThrough();
    expect(textOf(await client.request(callOf(1, 'split-bytes')))).toBe(WIDE_TEXT);
    const frame = Buffer.from(
      `${JSON.stringify({ jsonrpc: '2.0', ...callOf(2, 'echo', { message: WIDE_TEXT }) })}\n`,
    );
    for (const byte of frame) {
      client.send(Buffer.of(byte));
      if (byte > 0x7f) await new Promise((resolve) => setImmediate(resolve));
    }
    const { result } = await client.receive('the echo', ({ id, method }) => id === 2 && method === undefined);
    expect(result.content[0].text).toBe(WIDE_TEXT);
  });

  test('(mcp-proxy#88, codex#31805): 64 MiB without a line end are an error, and memory stays below 200 MB', async () => {
    await using client = await openThrough();
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, memoryOf(client.child.pid ?? 0));
    }, 50);
    client.send({ jsonrpc: '2.0', ...callOf(1, 'endless-line') });
    const ended = await client.ended;
    clearInterval(watch);
    expect(ended).toBe(1);
    expect(client.errors()).toContain('too much');
    expect(textOf(JSON.parse(client.lines().at(-1) ?? '{}'))).toContain('SERVER_GAVE_NO_ANSWER');
    expect(most).toBeLessThan(200 * MEBIBYTE);
  });

  test('(mcp-proxy#22): options after -- belong to the server', async () => {
    const tells = 'console.error(process.argv.slice(1).join(" "))';
    const server = [process.execPath, '-e', tells, '--', '-y', '--agent', 'other', '--help'] as const;
    await using seen = startStdio(throughMandate(server));
    expect(await seen.ended).toBe(0);
    expect(seen.errors()).toBe('-y --agent other --help\n');
  });
});

test('a flood of messages arrives whole and in order', async () => {
  await using client = await openThrough();
  await client.request(callOf(1, 'flood'));
  const numbers = client.lines().flatMap((line) => {
    const found = /"data":"line (\d+) /.exec(line)?.[1];
    return found === undefined ? [] : [Number(found)];
  });
  expect(numbers).toEqual(Array.from({ length: FLOOD_FRAMES }, (_, at) => at + 1));
});

test.each([
  ['crash', 1],
  ['half-frame', 0],
])(
  'if a server ends during the call %s, the client gets an answer, and the proxy ends',
  async (tool, code) => {
    await using client = await openThrough();
    client.send({ jsonrpc: '2.0', ...callOf(1, tool) });
    expect(await client.ended).toBe(code);
    const last = JSON.parse(client.lines().at(-1) ?? '{}');
    expect(last).toMatchObject({ id: 1, result: { isError: true } });
    expect(textOf(last)).toContain('SERVER_GAVE_NO_ANSWER');
  },
);

test('lines that are not messages do not reach the client', async () => {
  await using client = await openThrough();
  expect(textOf(await client.request(callOf(1, 'no-json')))).toBe('After the noise.');
  expect(client.bytes().toString()).not.toContain('Listening');
});

describe('lesson 17 (mcp-searxng#60, email-mcp#60): no process is left', () => {
  const stubborn = (mark: string) =>
    behindShell('--ignore-signals', '--pid-file', join(temporaryFolder(), mark));

  test.each<[string, (client: Awaited<ReturnType<typeof openThrough>>) => void]>([
    ['the client closes its end', ({ child }) => child.stdin.end()],
    ['the proxy gets SIGTERM', ({ child }) => child.kill('SIGTERM')],
    ['the proxy gets SIGINT', ({ child }) => child.kill('SIGINT')],
    ['the proxy is killed', ({ child }) => child.kill('SIGKILL')],
  ])('after %s', async (_, end) => {
    const mark = `mark-${randomUUID()}`;
    await using client = await openThrough({}, stubborn(mark));
    // An open call must not hold the proxy up.
    client.send({ jsonrpc: '2.0', ...callOf(1, 'hang') });
    expect(processesWith(mark).length).toBeGreaterThanOrEqual(3);
    const startedAt = performance.now();
    end(client);
    await waitUntil('the end of all processes', () => processesWith(mark).length === 0, WITHIN_MS * 3);
    expect(performance.now() - startedAt).toBeLessThan(WITHIN_MS + 1_000);
  });

  test('after SIGINT while the server leaves a question of the proxy unanswered', async () => {
    const read = join(temporaryFolder(), `mark-${randomUUID()}`);
    await using client = startStdio(throughMandate(['sh', '-c', `cat > '${read}'`]));
    client.send({ jsonrpc: '2.0', ...callOf(1, 'echo', { message: 'hello' }) });
    await waitUntil(
      'the question',
      () => existsSync(read) && readFileSync(read, 'utf8').includes('tools/list'),
    );
    client.child.kill('SIGINT');
    await waitUntil('the end of all processes', () => processesWith(read).length === 0, WITHIN_MS);
  });

  test('after the first process of the server has ended and left another process', async () => {
    const mark = `mark-${randomUUID()}`;
    const words = misbehaving('--ignore-signals', '--pid-file', join(temporaryFolder(), mark));
    const command = `${words.map((word) => `'${word}'`).join(' ')} < /dev/null > /dev/null & exec cat`;
    await using client = startStdio(throughMandate(['sh', '-c', command]));
    await waitUntil('the process that is left', () => processesWith(mark).length >= 2);
    client.child.stdin.end();
    await client.ended;
    await waitUntil('the end of all processes', () => processesWith(mark).length === 0, WITHIN_MS);
  });
});
