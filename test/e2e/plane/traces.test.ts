/** Tests the traces that a collector gets over OTLP. One trace must lead from the request to the insert. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSqliteBus } from '@mandate/bus';
import { startDecider } from '@mandate/decider';
import { restoreLedger } from '@mandate/ledger-log';
import { mandatesOfFile } from '@mandate/policy';
import { loadMandates } from '@mandate/policy/documents';
import { silentLogger, systemClock } from '@mandate/runtime';
import { otlpSettings } from '@mandate/runtime/settings';
import { agentKey, readDecisionsRecord, TOPICS, traceparentOf } from '@mandate/schemas';
import { createMetrics, openTracer } from '@mandate/server';
import {
  startOtlpReceiver,
  startPlane,
  temporaryFolder,
  traceTree,
  WHOLE_WAY,
  waitUntil,
} from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';

const MANDATES = 'version: 1\nid: all\nagents: ["*"]\ntoolPolicies: { look: { cost: 0.01 } }\n';
const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';
const UNRECORDED = 'f'.repeat(32);
const SECRET = 'tr0ub4dor';
const log = silentLogger();

test('one trace contains every step from the request to the insert, and the audit finds the decision by the trace id', async () => {
  const receiver = await startOtlpReceiver();
  const data = temporaryFolder();
  const mandates = join(data, 'mandates.yaml');
  writeFileSync(mandates, MANDATES);
  const plane = await startPlane({
    data,
    mandates,
    args: ['--log-level', 'debug'],
    env: { MANDATE_OTLP_URL: receiver.url },
  });
  onTestFinished(async () => void (await plane.kill('SIGKILL')));
  const call = async (method: string, path: string, body?: object, headers = {}) => {
    const response = await fetch(new URL(path, plane.url), {
      method,
      headers: {
        authorization: `Bearer ${plane.keys.operator}`,
        'content-type': 'application/json',
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    return (await response.json()) as { decision: { id: string }; decisions: { id: string }[] };
  };
  const act = (id: string, headers = {}) => {
    const asked = { id, agentId: 'bot', type: 'tool_call', tool: 'look', args: { q: SECRET } };
    return call('POST', '/v1/actions?waitMs=20000', asked, headers);
  };

  const { decision } = await act('act-1', { traceparent: `00-${TRACE_ID}-${CALLER}-01` });
  await act('act-2');
  await act('act-3', { traceparent: `00-${UNRECORDED}-${CALLER}-00` });
  const recorded = async (traceId: string) =>
    (await call('GET', `/v1/audit/decisions?trace=${traceId}`)).decisions;
  await waitUntil('the last of them in the audit', async () => (await recorded(UNRECORDED)).length > 0);
  expect(await recorded(TRACE_ID)).toMatchObject([{ id: decision.id }]);
  expect(await plane.kill('SIGTERM')).toBe(0);

  const ways = receiver.spans.filter(({ name }) => !name.startsWith('GET '));
  const ofCaller = ways.filter(({ traceId }) => traceId === TRACE_ID);
  const begun = ways.filter(({ traceId }) => traceId !== TRACE_ID);
  expect(traceTree(ofCaller, CALLER)).toEqual(WHOLE_WAY);
  expect(traceTree(begun)).toEqual(WHOLE_WAY);
  expect(new Set(begun.map(({ traceId }) => traceId)).size).toBe(1);
  expect(receiver.spans.filter(({ service }) => service !== 'mandate-plane')).toEqual([]);
  expect(receiver.spans.filter(({ hasFailed }) => hasFailed)).toEqual([]);

  const said = Object.fromEntries(ofCaller.map(({ name, attributes }) => [name, attributes]));
  expect(said['POST /v1/actions']).toMatchObject({
    'http.request.method': 'POST',
    'http.route': '/v1/actions',
    'http.response.status_code': 200,
    'mandate.tenant': 'default',
  });
  expect(said['process mandate.actions.v1']).toMatchObject({
    'messaging.system': 'sqlite',
    'mandate.position': expect.stringMatching(/^mandate\.actions\.v1\/\d+\/0$/),
    'mandate.agent.id': 'bot',
    'mandate.action.id': 'act-1',
    'mandate.decision.id': decision.id,
    'mandate.verdict': 'ALLOW',
    'mandate.code': 'ALLOWED',
    'mandate.charged_micros': 10_000,
    'mandate.ledger.sequence': 1,
  });
  expect(said['ledger step']).toMatchObject({ 'db.system.name': 'memory', 'db.operation.batch.size': 1 });
  expect(said.insert).toMatchObject({ 'db.system.name': 'clickhouse' });
  expect(receiver.requests.map(({ bytes }) => bytes).join()).not.toContain(SECRET);

  // A log line about a request has the id of the request's trace, even if the trace is not recorded.
  const answered = plane
    .errors()
    .split('\n')
    .filter((line) => line.includes('"answered"'));
  const traceIds = answered.map((line): string => JSON.parse(line).traceId);
  expect(traceIds.slice(0, 3)).toEqual([TRACE_ID, begun[0]?.traceId, UNRECORDED]);
});

/** Runs a decider on a new log with records of a producer that does not know Mandate. */
async function decideAlone(
  url: string | null,
  records: readonly { id: string; traceparent?: string }[],
  timeoutMs = 10_000,
) {
  const bus = await createSqliteBus({ path: join(temporaryFolder(), 'log.sqlite'), log, partitions: 1 });
  onTestFinished(() => bus.close());
  const loaded = loadMandates(MANDATES);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
  const { ledger } = await restoreLedger({ bus, clock: systemClock, log });
  const metrics = createMetrics({ service: 'decider' });
  const settings = otlpSettings.parse({ OTLP_TIMEOUT_MS: timeoutMs, ...(url !== null && { OTLP_URL: url }) });
  const tracer = await openTracer(settings, { service: 'decider', version: '1', log, metrics });
  await bus.append(
    TOPICS.actions,
    records.map(({ id, ...headers }) => {
      const action = { id, agentId: 'bot', type: 'tool_call', tool: 'look' };
      const value = JSON.stringify({ event: 'action.requested', action });
      return { key: agentKey('default', 'bot'), value, headers };
    }),
  );
  const decider = await startDecider({
    bus,
    ledger,
    tracer,
    log,
    metrics,
    clock: systemClock,
    redact: (action) => action,
    deadlines: true,
    control: () => mandatesOfFile(loaded.mandates, 1),
  });
  await decider.caughtUp();
  await decider.stop();
  await tracer?.stop();
  const traceparents = new Map<string, string | null>();
  for (const { startOffset, endOffset } of await bus.ranges(TOPICS.decisions)) {
    for (let offset = startOffset; offset < endOffset; offset += 1) {
      const record = await bus.at({ topic: TOPICS.decisions, partition: 0, offset });
      if (record === null) continue;
      const read = readDecisionsRecord(record.value);
      if (read.event === 'action.decided')
        traceparents.set(read.decision.actionId, traceparentOf(record.headers));
    }
  }
  return { traceparents, counted: await metrics.registry.metrics() };
}

test('the decider begins a trace if the producer did not; the ledger step of a batch appears in the trace of each of its records', async () => {
  const receiver = await startOtlpReceiver();
  const traceparent = `00-${TRACE_ID}-${CALLER}-01`;
  const { traceparents } = await decideAlone(receiver.url, [
    { id: 'a' },
    { id: 'b', traceparent },
    { id: 'c' },
  ]);
  const { spans } = receiver;
  const own = spans.filter(({ traceId }) => traceId !== TRACE_ID);
  const way = WHOLE_WAY.slice(2, 7).map((line) => line.slice(4));
  expect(traceTree(own)).toEqual([...way, ...way]);
  expect(traceTree(spans, CALLER)).toEqual(way);
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(3);

  const steps = spans.filter(({ name }) => name === 'ledger step');
  expect(new Set(steps.map(({ beganAt, endedAt }) => `${beganAt} ${endedAt}`)).size).toBe(1);
  expect(steps.map(({ attributes }) => attributes['db.operation.batch.size'])).toEqual([3, 3, 3]);

  // The trace of a decision's record continues from the span of its append.
  const appends = spans.filter(({ name }) => name === 'append mandate.decisions.v1');
  const handedOn = appends.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`);
  expect([...traceparents.values()].sort()).toEqual(handedOn.sort());
});

test('if the receiver of traces is away, every action is decided, and the decider stops without delay', async () => {
  const { traceparents, counted } = await decideAlone('http://127.0.0.1:9', [{ id: 'a' }, { id: 'b' }], 200);
  expect([...traceparents.keys()]).toEqual(['a', 'b']);
  expect(counted).toMatch(/^mandate_traces_spans_total\{outcome="refused".*\} 10$/m);
});

test('without tracing no header is added, and a producer’s header is passed on unchanged', async () => {
  const traceparent = `00-${TRACE_ID}-${CALLER}-01`;
  const { traceparents, counted } = await decideAlone(null, [{ id: 'a' }, { id: 'b', traceparent }]);
  expect(Object.fromEntries(traceparents)).toEqual({ a: null, b: traceparent });
  expect(counted).not.toContain('mandate_traces');
});
