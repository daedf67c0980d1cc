import { connect } from 'node:net';
import { otlpSettings } from '@mandate/runtime/settings';
import { startOtlpReceiver } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { issueApiKey } from '../api-keys/api-key-record.ts';
import { memoryKeyStore } from '../api-keys/key-store.ts';
import { createMetrics } from '../metrics.ts';
import { createLogger } from '../pino-logger.ts';
import { openTracer } from '../tracing/open-tracer.ts';
import { createHttpServer } from './create-http-server.ts';
import { serveHttp } from './serve-http.ts';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const TRACEPARENT = `00-${TRACE_ID}-00f067aa0ba902b7-01`;
const { key, record } = issueApiKey({ tenant: 'acme', scopes: ['publish'], agents: ['*'], name: 'n' });
const bearer = { authorization: `Bearer ${key}` };

async function serving({ isTraced = true } = {}) {
  const receiver = await startOtlpReceiver();
  const metrics = createMetrics({ service: 'test' });
  const lines: string[] = [];
  const log = createLogger({ name: 'x', level: 'debug', destination: { write: (line) => lines.push(line) } });
  const settings = otlpSettings.parse(isTraced ? { OTLP_URL: receiver.url } : {});
  const tracer = await openTracer(settings, { service: 'test', version: '1', log, metrics });
  const server = await createHttpServer({
    service: 'test',
    version: '1',
    log,
    metrics,
    tracer,
    keys: memoryKeyStore([record]),
    readiness: async () => [],
  });
  const hanging = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  await server.register(async (routes) => {
    const config = { scope: 'publish' } as const;
    routes.get('/v1/things/:id', { config }, (request) => ({ handedOn: request.traceparent }));
    routes.get('/v1/broken', { config }, () => {
      throw new Error('about the secret tr0ub4dor');
    });
    routes.get('/v1/stream', { config }, (_, reply) => {
      reply.hijack();
      reply.raw.once('close', gone.resolve);
      reply.raw.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
    });
    routes.get('/v1/hanging', { config }, async (_, reply) => {
      reply.raw.once('close', gone.resolve);
      hanging.resolve();
      await new Promise(() => {});
    });
  });
  const { url, stop } = await serveHttp(server, { host: '127.0.0.1', port: 0, drainMs: 1 });
  onTestFinished(stop);
  return {
    url,
    lines,
    hanging: hanging.promise,
    gone: gone.promise,
    receiver,
    spans: async () => {
      await stop();
      await tracer?.stop();
      return receiver.spans;
    },
    get: (path: string, headers: Record<string, string> = bearer) => fetch(url + path, { headers }),
  };
}

test("makes a span for a request, named by its route, as a child of the caller's span and the parent of its calls", async () => {
  const { get, spans, receiver } = await serving();
  const headers = { ...bearer, traceparent: TRACEPARENT, 'x-request-id': 'r-1' };
  const { handedOn } = (await (await get('/v1/things/umbr3lla?q=tr0ub4dor', headers)).json()) as {
    handedOn: string;
  };
  const [span] = await spans();
  expect(span).toMatchObject({
    name: 'GET /v1/things/:id',
    kind: 2,
    traceId: TRACE_ID,
    parentSpanId: '00f067aa0ba902b7',
    hasFailed: false,
    attributes: {
      'http.request.method': 'GET',
      'http.route': '/v1/things/:id',
      'http.response.status_code': 200,
      'mandate.request.id': 'r-1',
      'mandate.tenant': 'acme',
    },
  });
  expect(handedOn).toBe(`00-${TRACE_ID}-${span?.spanId}-01`);
  expect(receiver.requests.map(({ bytes }) => bytes).join()).not.toMatch(/umbr3lla|tr0ub4dor/);
});

test('traces refusals too, and marks only a server fault as a failure', async () => {
  const { get, spans, receiver } = await serving();
  await get('/v1/things/1', {});
  await get('/v1/broken');
  expect(await spans()).toMatchObject([
    { name: 'GET /v1/things/:id', hasFailed: false, attributes: { 'http.response.status_code': 401 } },
    {
      name: 'GET /v1/broken',
      hasFailed: true,
      attributes: { 'http.response.status_code': 500, 'error.type': '500' },
    },
  ]);
  expect(receiver.requests.map(({ bytes }) => bytes).join()).not.toContain('tr0ub4dor');
});

test('traces no health, no metrics and no unknown path', async () => {
  const { get, spans } = await serving();
  for (const path of ['/healthz', '/readyz', '/metrics', '/openapi.json', '/v1/nothing']) await get(path);
  expect(await spans()).toEqual([]);
});

test('ends the span if the caller hangs up', async () => {
  const { url, hanging, gone, spans } = await serving();
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.write(`GET /v1/hanging HTTP/1.1\r\nhost: x\r\nauthorization: ${bearer.authorization}\r\n\r\n`);
  await hanging;
  socket.destroy();
  await gone;
  const [span] = await spans();
  expect(span).toMatchObject({ name: 'GET /v1/hanging', hasFailed: true });
  expect(span?.attributes).toMatchObject({ 'error.type': 'aborted' });
  expect(span?.attributes).not.toHaveProperty('http.response.status_code');
});

test('counts a stream as successful if the caller closes it', async () => {
  const { get, gone, spans } = await serving();
  const { body } = await get('/v1/stream');
  await body?.cancel();
  await gone;
  expect(await spans()).toMatchObject([
    { name: 'GET /v1/stream', hasFailed: false, attributes: { 'http.response.status_code': 200 } },
  ]);
});

test.each([true, false])('adds the trace id to log lines of a request (traces on: %s)', async (isTraced) => {
  const { get, lines, spans } = await serving({ isTraced });
  await get('/v1/things/1', { ...bearer, traceparent: TRACEPARENT });
  await get('/v1/things/2', { traceparent: TRACEPARENT });
  await get('/v1/things/3');
  const [, , third] = await spans();
  const said = lines.map((line) => JSON.parse(line)).filter(({ requestId }) => requestId !== undefined);
  expect(said.map(({ msg, traceId }) => [msg, traceId])).toEqual([
    ['answered', TRACE_ID],
    ['request refused', TRACE_ID],
    ['answered', TRACE_ID],
    ['answered', third?.traceId],
  ]);
});
