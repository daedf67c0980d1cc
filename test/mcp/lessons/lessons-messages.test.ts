/** What other proxies lost or changed in messages over stdio. */
import { expect, test } from 'vitest';
import { misbehaving } from '../misbehaving/misbehaving.ts';
import { throughMandate } from '../proxy/mandate-mcp.ts';
import { initialize } from '../wire/handshake.ts';
import { startStdio } from '../wire/stdio-process.ts';
import { callOf, openThrough, textOf } from './open-through.ts';

const META = { progressToken: 'p-1', 'example.com/trace': { deep: [1, 2] }, other: null };

test('lessons 9, 12 and 20: what the proxy need not read passes as it is', async () => {
  await using direct = startStdio(misbehaving());
  await initialize(direct);
  await using client = await openThrough();
  // agentgateway#2077: capabilities and instructions of the server reach the client.
  expect(client.lines()[0]).toBe(direct.lines()[0]);
  // context-forge#2178, agentgateway#445, toolhive#3354: _meta passes in both directions.
  const sent = callOf(1, 'mirror', { text: 'a' }, META);
  const { result: mirrored } = await client.request(sent);
  expect(JSON.parse(mirrored.content[0].text)).toEqual({ jsonrpc: '2.0', ...sent });
  expect(mirrored).toMatchObject({
    _meta: { 'example.com/from-server': { kept: true } },
    'example.com/unknown': [1, 2],
  });
  // langchain4j#5791: the progress token stays, and progress reaches the client.
  await client.request(callOf(2, 'progress', {}, META));
  const reports = client.lines().filter((line) => line.includes('notifications/progress'));
  expect(reports.map((line) => JSON.parse(line).params)).toEqual(
    [1, 2, 3].map((progress) => ({ progressToken: 'p-1', progress })),
  );
  // Unknown methods and fields.
  const params = { any: { thing: [null, 1.5e300, 'ü'] } };
  const { result } = await client.request({ id: 'x', method: 'example.com/unknown-method', params });
  expect(result).toEqual({ received: params });
});

test('lesson 10 (agentgateway#2982): the proxy initializes nothing by itself, and passes what the server says', async () => {
  await using client = startStdio(throughMandate(misbehaving(), { options: ['--no-hints'] }));
  const { error } = await client.request({ id: 1, method: 'server/discover', params: {} });
  expect(error?.code).toBe(-32601);
  await initialize(client);
  expect(JSON.parse(textOf(await client.request(callOf(2, 'call-log'))))).toEqual([
    'server/discover',
    'initialize',
    'notifications/initialized',
    'tools/call call-log',
  ]);
});

test('lesson 14 (fastmcp#4161, litellm#23761, higress#3685): questions of the server reach the client, and answers the server', async () => {
  await using client = await openThrough();
  client.send({ jsonrpc: '2.0', ...callOf(1, 'ask-client') });
  // The ids of the server are those of open requests of the client.
  client.send({ jsonrpc: '2.0', ...callOf(0, 'hang') });
  for (const method of ['roots/list', 'elicitation/create', 'sampling/createMessage', 'ping']) {
    const { id } = await client.receive(method, (frame) => frame.method === method);
    client.send({ jsonrpc: '2.0', id, result: { answers: method } });
  }
  const { result } = await client.receive('the end', ({ id, method }) => id === 1 && method === undefined);
  const answers: { result: { answers: string } }[] = JSON.parse(result.content[0].text);
  expect(answers.map((answer) => answer.result.answers)).toEqual([
    'roots/list',
    'elicitation/create',
    'sampling/createMessage',
    'ping',
  ]);
});

test('lesson 15 (XcodeMCPKit#210): a cancellation does not wait behind its call', async () => {
  await using client = await openThrough();
  client.send({ jsonrpc: '2.0', ...callOf(41, 'hang') });
  client.send({ jsonrpc: '2.0', ...callOf(42, 'hang') });
  const logOf = async (id: number): Promise<string[]> =>
    JSON.parse(textOf(await client.request(callOf(id, 'call-log'))));
  let id = 100;
  while ((await logOf(id)).filter((line) => line === 'tools/call hang').length < 2) id += 1;
  client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 42 } });
  const log = await logOf(id + 1);
  expect(log.filter((line) => line.startsWith('notifications/cancelled'))).toEqual([
    'notifications/cancelled 42',
  ]);
});
