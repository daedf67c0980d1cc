/** Upstreams that are away, slow or refuse; edits of the document; and calls that end in unusual ways. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { waitUntil } from '@mandate/testing';
import { type ModelScript, type ModelServer, startModelServer } from '@mandate/testing/model-server';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { documentOf, openScene, type Scene, type SceneAgent, UPSTREAM_KEY } from './scene.fixture.ts';

const PRICE = { inputPerMillion: 3, outputPerMillion: 15 };
const MODELS = ['gpt-4o-mini', 'spare-model', 'claude-of-tests'];
const PRICED = { maxCostTotal: 10, modelPrices: Object.fromEntries(MODELS.map((model) => [model, PRICE])) };
/** 100 × 3 + 20 × 15 micro-dollars. */
const usage = { inputTokens: 100, outputTokens: 20 };
const COST = 600;

let scene: Scene;
beforeAll(async () => {
  scene = await openScene({ usage });
});
afterAll(() => scene[Symbol.asyncDispose]());

const CHAT = '/openai/v1/chat/completions';
const QUESTION = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hi.' }], max_tokens: 50 };

function post(agent: SceneAgent, path: string, body: object | string, init: RequestInit = {}) {
  return fetch(scene.url + path, {
    ...init,
    method: 'POST',
    headers: { 'x-api-key': agent.apiKey, 'content-type': 'application/json', ...init.headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

async function serverOf(script: ModelScript): Promise<ModelServer> {
  const server = await startModelServer(script);
  onTestFinished(() => server.close());
  return server;
}

/** Starts a server of HTTP. Returns its address. */
async function listen(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Serves `fast` by this upstream, and by the scene's own model server while it is away. */
async function serveWithFallback(first: object): Promise<void> {
  const document = documentOf(scene.models);
  await scene.serve({
    ...document,
    upstreams: { ...document.upstreams, first: { protocol: 'openai', ...first } },
    models: {
      fast: { upstream: 'first', model: 'gpt-4o-mini', fallback: 'spare' },
      spare: { upstream: 'openai', model: 'spare-model' },
    },
  });
}

test.each([
  ['answers with 503', async () => ({ baseUrl: (await serverOf({ failures: { status: 503 } })).openaiUrl })],
  ['answers with 429', async () => ({ baseUrl: (await serverOf({ failures: { status: 429 } })).openaiUrl })],
  ['cannot be reached', async () => ({ baseUrl: 'http://127.0.0.1:1/v1' })],
  [
    'gives no answer in time',
    async () => ({
      baseUrl: (await serverOf({ fault: { kind: 'hang', afterEvents: 0 } })).openaiUrl,
      firstByteMs: 100,
    }),
  ],
])('another upstream answers if the first one %s, and its model is charged', async (what, first) => {
  await serveWithFallback(await first());
  const agent = await scene.agentUnder(PRICED);
  const answer = await post(agent, CHAT, { ...QUESTION, model: 'fast' });
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({ model: 'spare-model' });
  const settlements = await agent.settlements(2);
  // The upstream that gave no answer may have read the input, so the reservation of its call stays charged:
  // the 77 bytes of the request are 26 tokens.
  const lost = what === 'gives no answer in time' ? 26 * 3 + 50 * 15 : 0;
  expect(settlements.map(({ chargedMicros }) => chargedMicros).sort()).toEqual([COST, lost].sort());
});

test('a fallback that the mandate does not allow is not called', async () => {
  await serveWithFallback({ baseUrl: 'http://127.0.0.1:1/v1' });
  const agent = await scene.agentUnder({ ...PRICED, allowedModels: ['gpt-4o-mini'] });
  const before = scene.models.requests.length;
  const answer = await post(agent, CHAT, { ...QUESTION, model: 'fast' });
  expect([answer.status, scene.models.requests.length]).toEqual([403, before]);
  expect(await answer.text()).toContain('MODEL_NOT_ALLOWED');
});

test('a document with an error changes nothing, and the next valid document takes effect', async () => {
  const agent = await scene.agentUnder(PRICED);
  const served = async (model: string) => (await post(agent, CHAT, { ...QUESTION, model })).status;
  const document = { ...documentOf(scene.models), defaults: {} };
  await scene.serve({ ...document, models: { 'gpt-4o-mini': { upstream: 'openai' } } });
  expect(await Promise.all([served('gpt-4o-mini'), served('spare-model')])).toEqual([200, 404]);
  await scene.serve({ ...document, models: { 'spare-model': { upstream: 'nowhere' } } });
  expect(await Promise.all([served('gpt-4o-mini'), served('spare-model')])).toEqual([200, 404]);
  await scene.serve({ ...document, models: { 'spare-model': { upstream: 'openai' } } });
  expect(await Promise.all([served('gpt-4o-mini'), served('spare-model')])).toEqual([404, 200]);
  await scene.serve(documentOf(scene.models));
});

test('a price of the document raises what a call costs, and never lowers it', async () => {
  const document = documentOf(scene.models);
  const entry = { upstream: 'openai', model: 'gpt-4o-mini' };
  await scene.serve({
    ...document,
    models: {
      dear: { ...entry, price: { inputPerMillion: 6, outputPerMillion: 30, perCall: 0.001 } },
      cheap: { ...entry, price: { inputPerMillion: 1, outputPerMillion: 1 } },
    },
  });
  const agent = await scene.agentUnder(PRICED);
  await (await post(agent, CHAT, { ...QUESTION, model: 'cheap' })).text();
  expect(await agent.spent()).toBe(COST);
  await (await post(agent, CHAT, { ...QUESTION, model: 'dear', stream: true })).text();
  expect(await agent.spent()).toBe(COST + 2 * COST + 1_000);
  // The call of the model `dear` reserves 50 tokens of output, and at least 1,500 micro-dollars.
  const poor = await scene.agentUnder({ ...PRICED, maxCostTotal: 0.0015 });
  const refused = await post(poor, CHAT, { ...QUESTION, model: 'dear' });
  expect([refused.status, (await refused.text()).includes('COST_LIMIT_EXCEEDED')]).toEqual([403, true]);
  await scene.serve(documentOf(scene.models));
});

test('the client never sees a key of an upstream, even if the upstream refuses it', async () => {
  const json = { error: { message: `Incorrect API key provided: ${UPSTREAM_KEY}` } };
  const url = await listen((_request, response) => {
    response.writeHead(401, { 'content-type': 'application/json' });
    response.end(JSON.stringify(json));
  });
  const document = documentOf(scene.models);
  const openai = { ...document.upstreams.openai, baseUrl: `${url}/v1` };
  await scene.serve({ ...document, upstreams: { ...document.upstreams, openai } });
  const agent = await scene.agentUnder(PRICED);
  const answer = await post(agent, CHAT, QUESTION);
  const text = await answer.text();
  expect(answer.status).toBe(502);
  expect(text).toContain('UPSTREAM_UNAVAILABLE');
  expect(text + scene.plane().errors()).not.toContain(UPSTREAM_KEY);
  expect(await agent.spent()).toBe(0);
  await scene.serve(documentOf(scene.models));
});

test('every byte of a request and an answer passes, except what the gateway must change', async () => {
  const received: string[] = [];
  const answerBytes =
    '{ "id":"x",\n "odd" : 1.0, "usage": {"prompt_tokens":1,"completion_tokens":1}, "n":12345678901234567890 }';
  const url = await listen((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      received.push(`${request.url} ${Buffer.concat(chunks)}`);
      response.writeHead(200, 'Fine', { 'content-type': 'application/json', 'x-odd': 'kept' });
      response.end(answerBytes);
    });
  });
  const document = documentOf(scene.models);
  const openai = {
    ...{ ...document.upstreams.openai, baseUrl: `${url}/{model}` },
    query: { 'api-version': '7' },
  };
  await scene.serve({ ...document, upstreams: { ...document.upstreams, openai } });
  const agent = await scene.agentUnder(PRICED);
  const sent = '{ "unknown" : [1.0, 12345678901234567890], "model":"gpt-4o-mini" , "max_tokens":5 }\n';
  const answer = await post(agent, `${CHAT}?beta=true`, sent);
  expect([answer.statusText, answer.headers.get('x-odd'), await answer.text()]).toEqual([
    'Fine',
    'kept',
    answerBytes,
  ]);
  await (await post(agent, CHAT, sent.replace('gpt-4o-mini', 'fast'))).text();
  expect(received).toEqual([
    `/gpt-4o-mini/chat/completions?beta=true&api-version=7 ${sent}`,
    `/gpt-4o-mini/chat/completions?api-version=7 ${sent}`,
  ]);
  await scene.serve(documentOf(scene.models));
});

test('responses and embeddings are charged too, whole and streamed', async () => {
  scene.models.script({ usage });
  const agent = await scene.agentUnder(PRICED);
  const openai = new OpenAI({ apiKey: agent.apiKey, baseURL: scene.openaiUrl, maxRetries: 0 });
  const whole = await openai.responses.create({ model: 'gpt-4o-mini', input: 'Hi.' });
  expect(whole.output_text).toBe('Hello from the model.');
  const stream = await openai.responses.create({ model: 'gpt-4o-mini', input: 'Hi.', stream: true });
  const types: string[] = [];
  for await (const { type } of stream) types.push(type);
  expect(types.at(-1)).toBe('response.completed');
  expect(await agent.spent()).toBe(2 * COST);
  scene.models.script({ usage: { inputTokens: 100, outputTokens: 0 } });
  await openai.embeddings.create({ model: 'gpt-4o-mini', input: 'Hi.' });
  expect(await agent.spent()).toBe(2 * COST + 300);
  scene.models.script({ usage });
});

test('a kill ends a stream of responses with an error event', async () => {
  scene.models.script({ text: ['one', ' two'], fault: { kind: 'hang', afterEvents: 5 } });
  const agent = await scene.agentUnder(PRICED);
  const openai = new OpenAI({ apiKey: agent.apiKey, baseURL: scene.openaiUrl, maxRetries: 0 });
  const stream = await openai.responses.create({ model: 'gpt-4o-mini', input: 'Hi.', stream: true });
  const seen: object[] = [];
  const reading = (async () => {
    for await (const event of stream) seen.push(event);
  })();
  reading.catch(() => {});
  await waitUntil('an event', () => seen.length > 2);
  await scene.call('POST', `/v1/agents/${agent.agentId}/kill`, { reason: 'a test' });
  await reading.catch((error: Error) => seen.push({ message: error.message }));
  expect(JSON.stringify(seen.at(-1))).toMatch(/AGENT_KILLED.*a test/);
  scene.models.script({ usage });
});

test('the tokens of a request are counted without a charge', async () => {
  const agent = await scene.agentUnder(PRICED);
  const { model, messages } = QUESTION;
  const answer = await post(agent, '/anthropic/v1/messages/count_tokens', { model, messages });
  expect(await answer.json()).toMatchObject({ input_tokens: expect.any(Number) });
  expect(scene.models.requests.at(-1)?.headers['x-api-key']).toBe(UPSTREAM_KEY);
  expect(await agent.spent()).toBe(0);
});

test('an answer whose client has left is read to its end, and charged by its usage', async () => {
  scene.models.script({ usage, delayMs: 300 });
  const agent = await scene.agentUnder(PRICED);
  const before = scene.models.requests.length;
  const leaving = new AbortController();
  const asked = post(agent, CHAT, QUESTION, { signal: leaving.signal });
  await waitUntil('the upstream has the request', () => scene.models.requests.length > before);
  leaving.abort();
  await expect(asked).rejects.toThrow();
  const [settlement] = await agent.settlements(1);
  expect(settlement).toMatchObject({ chargedMicros: COST, ...usage });
  scene.models.script({ usage });
});

test('a request with the same idempotency key runs once, and again only after a failure', async () => {
  scene.models.script([{ failures: { status: 500, times: 1 }, usage }]);
  const agent = await scene.agentUnder(PRICED);
  const statuses: unknown[] = [];
  for (const _ of [1, 2, 3]) {
    const answer = await post(agent, CHAT, QUESTION, { headers: { 'idempotency-key': 'once-1' } });
    const { error } = (await answer.json()) as { error?: { code: string } };
    statuses.push([answer.status, error?.code ?? null]);
  }
  expect(statuses).toEqual([
    [500, null],
    [200, null],
    [403, 'DUPLICATE_ACTION'],
  ]);
  expect(await agent.spent()).toBe(COST);
  scene.models.script({ usage });
});

test('a request with a key of several agents must name one of these agents', async () => {
  const agent = await scene.agentUnder(PRICED);
  const operator = { ...agent, apiKey: scene.plane().keys.operator ?? '' };
  const codeOf = async (headers: Record<string, string>, as = agent) => {
    const answer = await post(as, CHAT, QUESTION, { headers });
    const { error } = (await answer.json()) as { error?: { code: string } };
    return [answer.status, error?.code ?? null];
  };
  expect(await codeOf({ 'x-mandate-agent': agent.agentId })).toEqual([200, null]);
  expect(await codeOf({ 'x-mandate-agent': 'another' })).toEqual([403, 'AGENT_NOT_ALLOWED']);
  expect(await codeOf({ 'x-mandate-agent': 'a%20b' })).toEqual([400, 'VALIDATION_FAILED']);
  expect(await codeOf({}, operator)).toEqual([400, 'AGENT_NOT_NAMED']);
  expect(await codeOf({ 'x-mandate-agent': agent.agentId }, operator)).toEqual([200, null]);
  expect(await codeOf({}, { ...agent, apiKey: 'sk-mdt_wrong' })).toEqual([401, 'UNAUTHENTICATED']);
});

test('rules see the principal and the run of a call', async () => {
  const agent = await scene.agentUnder(PRICED);
  const headers = { 'x-mandate-principal': 'ann%C3%A9', 'x-mandate-run': 'run-7' };
  const answer = await post(agent, CHAT, QUESTION, { headers });
  const actionId = answer.headers.get('x-mandate-action') ?? '';
  await answer.text();
  const { id } = await waitUntil('the decision', async () => {
    const path = `/v1/audit/decisions?agent=${agent.agentId}`;
    const { decisions } = await scene.call<{ decisions: { id: string; actionId: string }[] }>('GET', path);
    return decisions.find((one) => one.actionId === actionId);
  });
  const found = await scene.call('GET', `/v1/audit/decisions/${encodeURIComponent(id)}`);
  const action = { principal: { id: 'anné' }, context: { run: 'run-7' } };
  expect(found).toMatchObject({ decision: { action } });
});

test('when the plane stops, a stream ends with an error, and its charge is kept', async () => {
  scene.models.script({ text: ['abcdef', 'ghij'], fault: { kind: 'hang', afterEvents: 3 } });
  const agent = await scene.agentUnder(PRICED);
  const streaming = await post(agent, CHAT, { ...QUESTION, stream: true });
  const reading = streaming.text();
  await waitUntil('the text was sent', () => scene.models.requests.at(-1)?.eventsSent === 3);
  const code = await scene.restart();
  expect(await reading).toMatch(/STOPPING/);
  expect(code).toBe(0);
  // 10 delivered bytes are 4 tokens. The 99 bytes of the request are 33 tokens.
  const size = Buffer.byteLength(JSON.stringify({ ...QUESTION, stream: true }));
  expect(await agent.spent()).toBe(Math.ceil(size / 3) * 3 + 4 * 15);
});
