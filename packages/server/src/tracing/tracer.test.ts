import { MandateError, nowMs, type Tracer } from '@mandate/runtime';
import { otlpSettings } from '@mandate/runtime/settings';
import { startOtlpReceiver } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { createMetrics } from '../metrics.ts';
import { createLogger } from '../pino-logger.ts';
import { openTracer } from './open-tracer.ts';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const SAMPLED = `00-${TRACE_ID}-b7ad6b7169203331-01`;
const UNSAMPLED = `00-${TRACE_ID}-b7ad6b7169203331-00`;

/** Opens the tracer as a process does. `ended` stops the tracer and returns the spans that the receiver got. */
async function tracing(settings: object, url?: string) {
  const receiver = await startOtlpReceiver();
  const metrics = createMetrics({ service: 'test' });
  const lines: string[] = [];
  const log = createLogger({ name: 'test', destination: { write: (line) => lines.push(line) } });
  const given = otlpSettings.parse({ OTLP_URL: url ?? receiver.url, ...settings });
  const opened = await openTracer(given, { service: 'test', version: '1.2.3', log, metrics });
  if (opened === null) throw new Error('it is off');
  onTestFinished(() => opened.stop());
  const tracer: Tracer = opened;
  return {
    tracer,
    receiver,
    stop: () => opened.stop(),
    ended: async () => {
      await opened.stop();
      return receiver.spans;
    },
    complaints: () => lines.filter((line) => line.includes('spans are lost')),
    counted: async () => (await metrics.registry.metrics()).match(/^mandate_traces_spans_total\{.*$/gm),
  };
}

test('continues a caller’s trace, with parent and child spans and their attributes', async () => {
  const { tracer, ended } = await tracing({});
  const span = tracer.begin('POST /v1/things', SAMPLED, {
    kind: 'server',
    attributes: { 'http.route': '/' },
  });
  const child = span.child('step', { kind: 'client' });
  const grandchild = child.child('inner');
  for (const each of [grandchild, child]) each.end();
  span.set({ count: 3, isSo: true });
  span.end();
  const spans = await ended();
  const [inner, step, outer] = spans;
  expect(spans).toMatchObject([
    { name: 'inner', kind: 1, parentSpanId: step?.spanId },
    { name: 'step', kind: 3, parentSpanId: outer?.spanId },
    { name: 'POST /v1/things', kind: 2, parentSpanId: 'b7ad6b7169203331' },
  ]);
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([TRACE_ID]));
  expect(outer?.attributes).toEqual({ 'http.route': '/', count: 3, isSo: true });
  expect(outer).toMatchObject({ service: 'mandate-test', hasFailed: false });
  expect(span.traceparent).toBe(`00-${TRACE_ID}-${outer?.spanId}-01`);
  expect(child.traceparent).toBe(`00-${TRACE_ID}-${step?.spanId}-01`);
  expect((inner?.endedAt ?? 0n) >= (inner?.beganAt ?? 0n)).toBe(true);
});

test('passes on the context of a trace that the caller does not record, and records nothing', async () => {
  const { tracer, ended } = await tracing({});
  const span = tracer.begin('a', UNSAMPLED);
  const child = span.child('b');
  expect([span.traceparent, child.traceparent]).toEqual([UNSAMPLED, UNSAMPLED]);
  child.fail(new Error('x'));
  child.set({ a: 1 });
  child.end();
  span.end();
  expect(await ended()).toEqual([]);
});

test.each([
  null,
  'nonsense',
  `ff-${TRACE_ID}-b7ad6b7169203331-01`,
  `00-${'0'.repeat(32)}-b7ad6b7169203331-00`,
])('begins a new trace if the header is %j', async (parent) => {
  const { tracer, ended } = await tracing({});
  const span = tracer.begin('a', parent);
  span.end();
  const [root] = await ended();
  expect(root).toMatchObject({ name: 'a', parentSpanId: null });
  expect(root?.traceId).not.toBe(TRACE_ID);
  expect(span.traceparent).toBe(`00-${root?.traceId}-${root?.spanId}-01`);
});

test('reads the known part of a future version', async () => {
  const { tracer, ended } = await tracing({});
  tracer.begin('a', `01-${TRACE_ID}-b7ad6b7169203331-03-more`).end();
  expect(await ended()).toMatchObject([{ traceId: TRACE_ID, parentSpanId: 'b7ad6b7169203331' }]);
});

test('records the given share of the traces that begin here, each as a whole, and all traces of callers', async () => {
  const { tracer, ended } = await tracing({ OTLP_TRACE_RATIO: 0.25 });
  const flags = new Map<string, number>();
  for (let count = 0; count < 400; count += 1) {
    const root = tracer.begin('root', null);
    const child = root.child('child');
    const behind = tracer.begin('behind', child.traceparent);
    expect(behind.traceparent.slice(-2)).toBe(root.traceparent.slice(-2));
    for (const span of [behind, child, root]) span.end();
    const flag = root.traceparent.slice(-2);
    flags.set(flag, (flags.get(flag) ?? 0) + 1);
  }
  tracer.begin('called', SAMPLED).end();
  const recorded = flags.get('01') ?? 0;
  // The bounds are nine standard deviations around 100, so that the test does not fail by chance.
  expect(recorded).toBeGreaterThan(22);
  expect(recorded).toBeLessThan(178);
  expect(await ended()).toHaveLength(3 * recorded + 1);
});

test('records no trace that begins here if the ratio is 0', async () => {
  const { tracer, ended } = await tracing({ OTLP_TRACE_RATIO: 0 });
  const span = tracer.begin('a', null);
  expect(span.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
  span.end();
  tracer.begin('called', SAMPLED).end();
  expect(await ended()).toMatchObject([{ name: 'called' }]);
});

test('reports a failure by its code, never by a message that may contain sent content', async () => {
  const { tracer, ended, receiver } = await tracing({});
  const failures = [
    new MandateError('LEDGER_UNAVAILABLE', 'about args {"word": "tr0ub4dor"}', { remedy: 'wait' }),
    new RangeError('about args {"word": "tr0ub4dor"}'),
    'about args {"word": "tr0ub4dor"}',
  ];
  for (const failure of failures) {
    const span = tracer.begin('a', null);
    span.fail(failure);
    span.end();
  }
  const spans = await ended();
  expect(spans.map(({ attributes }) => attributes['error.type'])).toEqual([
    'LEDGER_UNAVAILABLE',
    'RangeError',
    'error',
  ]);
  expect(spans.every(({ hasFailed }) => hasFailed)).toBe(true);
  expect(receiver.requests.map(({ bytes }) => bytes).join()).not.toContain('tr0ub4dor');
});

test("keeps the path of the receiver's URL, and sends headers", async () => {
  const receiver = await startOtlpReceiver();
  const { tracer, stop } = await tracing(
    { OTLP_HEADERS: ['authorization=Basic a==', 'x-list=1%2C2'] },
    `${receiver.url}/otlp/`,
  );
  tracer.begin('a', null).end();
  await stop();
  expect(receiver.requests).toMatchObject([
    { path: '/otlp/v1/traces', headers: { authorization: 'Basic a==', 'x-list': '1,2' } },
  ]);
});

test.each([
  ['is away', 'http://127.0.0.1:9'],
  ['never answers', 'silence'],
  ['refuses', 400],
] as const)(
  'loses and counts spans, and reports the loss once, but loses no work if a receiver %s',
  async (_, how) => {
    const url =
      typeof how === 'string' && how !== 'silence' ? how : (await startOtlpReceiver(how as 400)).url;
    const { tracer, stop, counted, complaints } = await tracing({ OTLP_TIMEOUT_MS: 200 }, url);
    for (let count = 0; count < 1_000; count += 1) tracer.begin('a', null).end();
    await stop();
    expect(await counted()).toEqual([expect.stringContaining('{outcome="refused",service="test"} 1000')]);
    expect(complaints()).toHaveLength(1);
  },
);

test('sends a whole full queue at the end', async () => {
  const { tracer, ended } = await tracing({ OTLP_QUEUE_SPANS: 20_000 });
  for (let count = 0; count < 20_000; count += 1) tracer.begin('a', null).end();
  expect(await ended()).toHaveLength(20_000);
});

test('opens no tracer if no receiver is named', async () => {
  const metrics = createMetrics({ service: 'test' });
  const log = createLogger({ name: 'test', level: 'silent' });
  const opened = await openTracer(otlpSettings.parse({}), { service: 'x', version: '1', log, metrics });
  expect(opened).toBe(null);
});

test('uses the time of the system for spans, with fractions', () => {
  const before = Date.now();
  const [first, second] = [nowMs(), nowMs()];
  expect(first).toBeGreaterThan(before - 20);
  expect(first).toBeLessThan(Date.now() + 20);
  expect(second).toBeGreaterThanOrEqual(first);
});
