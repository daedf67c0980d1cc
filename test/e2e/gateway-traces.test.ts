/**
 * Tests the traces of the gateway: the span of an append of records, and the trace context in the headers of these
 * records.
 */

import { MandateError, silentLogger } from '@mandate/runtime';
import { otlpSettings } from '@mandate/runtime/settings';
import { TOPICS } from '@mandate/schemas';
import { createMetrics, openTracer } from '@mandate/server';
import { busWith, startOtlpReceiver } from '@mandate/testing';
import { expect, test } from 'vitest';
import { recordsOf, startGatewayPlane } from './support/gateway-plane.ts';

const MANDATES = 'version: 1\nid: all\nagents: ["*"]\n';

const look = (id: string, agentId: string) => ({ id, agentId, type: 'tool_call', tool: 'look' });

async function tracing() {
  const receiver = await startOtlpReceiver();
  const settings = otlpSettings.parse({ OTLP_URL: receiver.url });
  const metrics = createMetrics({ service: 'gateway' });
  const tracer = await openTracer(settings, { service: 'g', version: '1', log: silentLogger(), metrics });
  return {
    tracer,
    spans: async () => {
      await tracer?.stop();
      return receiver.spans;
    },
  };
}

test('the append of a list is one span, and each record of the list continues the trace from this span', async () => {
  const { tracer, spans } = await tracing();
  const plane = await startGatewayPlane({ mandates: MANDATES, tracer });
  const list = ['bot-1', 'bot-2', 'bot-3'].map((agentId, at) => look(`a-${at}`, agentId));
  expect((await plane.call('publisher', 'POST', '/v1/actions', list)).status).toBe(202);
  const handedOn = (await recordsOf(plane.bus, TOPICS.actions)).map(({ headers }) => headers.traceparent);
  const [append, request] = await spans();
  expect(append).toMatchObject({
    name: 'append mandate.actions.v1',
    parentSpanId: request?.spanId,
    hasFailed: false,
    attributes: { 'messaging.batch.message_count': 3, 'mandate.tenant': 'acme' },
  });
  expect(append?.attributes).not.toHaveProperty('mandate.agent.id');
  expect(handedOn).toEqual(Array(3).fill(`00-${append?.traceId}-${append?.spanId}-01`));
});

test('an append while the log is away is a failed span', async () => {
  const { tracer, spans } = await tracing();
  const plane = await startGatewayPlane({
    mandates: MANDATES,
    tracer,
    between: ({ bus, ledger }) => ({
      ledger,
      bus: busWith(bus, {
        append: async () => {
          throw new MandateError('BUS_UNAVAILABLE', 'away', { remedy: 'wait', retryable: true });
        },
      }),
    }),
  });
  expect((await plane.call('publisher', 'POST', '/v1/actions', look('a-1', 'bot-1'))).status).toBe(503);
  expect(await spans()).toMatchObject([
    { hasFailed: true, attributes: { 'error.type': 'BUS_UNAVAILABLE', 'mandate.agent.id': 'bot-1' } },
    { name: 'POST /v1/actions', hasFailed: true, attributes: { 'http.response.status_code': 503 } },
  ]);
});

test('without tracing, a record that was published without a trace has no trace', async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES });
  await plane.call('publisher', 'POST', '/v1/actions', look('a-1', 'bot-1'));
  const [record] = await recordsOf(plane.bus, TOPICS.actions);
  expect(record?.headers).not.toHaveProperty('traceparent');
});
