/** The traces of a decider at work, with errors. For the traces of a whole action, see test/e2e/plane/traces. */

import { join } from 'node:path';
import { type Bus, createSqliteBus } from '@mandate/bus';
import type { Ledger } from '@mandate/ledger';
import { restoreLedger } from '@mandate/ledger-log';
import { mandatesOfFile } from '@mandate/policy';
import { loadMandates } from '@mandate/policy/documents';
import { MandateError, silentLogger } from '@mandate/runtime';
import { otlpSettings } from '@mandate/runtime/settings';
import { TOPICS } from '@mandate/schemas';
import { createMetrics, openTracer } from '@mandate/server';
import { busWith, startOtlpReceiver, temporaryFolder } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { startDecider } from './app.ts';

const START_MS = Date.parse('2026-03-01T12:00:00Z');
const clock = () => START_MS;
const log = silentLogger();
const loaded = loadMandates('version: 1\nid: m\nagents: ["*"]\ntoolPolicies: { t: { cost: 0.1 } }\n');
const mandates = loaded.ok ? loaded.mandates : [];

const ask = (id: string) => ({
  event: 'action.requested',
  action: { id, agentId: 'x', type: 'tool_call', tool: 't', args: { password: 'tr0ub4dor' } },
});

/** Returns the spans of a decider that decides these records. `between` may replace its log and its ledger. */
async function traced(
  records: readonly unknown[],
  between: (given: { bus: Bus; ledger: Ledger }) => { bus?: Bus; ledger?: Ledger } = () => ({}),
) {
  const path = join(temporaryFolder(), 'log.sqlite');
  const bus = await createSqliteBus({ path, log, partitions: 1, clock });
  onTestFinished(() => bus.close());
  await bus.append(
    TOPICS.actions,
    records.map((record) => ({ key: 'default/x', value: JSON.stringify(record) })),
  );
  const { ledger } = await restoreLedger({ bus, clock, log });
  const receiver = await startOtlpReceiver();
  const metrics = createMetrics({ service: 'decider' });
  const settings = otlpSettings.parse({ OTLP_URL: receiver.url });
  const tracer = await openTracer(settings, { service: 'decider', version: '1', log, metrics });
  const decider = await startDecider({
    ...{ bus, ledger },
    ...between({ bus, ledger }),
    tracer,
    log,
    metrics,
    clock,
    redact: (action) => action,
    deadlines: true,
    control: () => mandatesOfFile(mandates, 1),
  });
  await decider.caughtUp();
  await decider.stop();
  await tracer?.stop();
  expect(receiver.requests.map(({ bytes }) => bytes).join()).not.toContain('tr0ub4dor');
  return receiver.spans;
}

test('the span of each answer has attributes for its kind', async () => {
  const outcome = { actionId: 'a', agentId: 'x', status: 'success', actualCostMicros: 150_000 };
  const spans = await traced([ask('a'), ask('a'), { event: 'action.completed', outcome }, 'nonsense']);
  const roots = spans.filter(({ parentSpanId }) => parentSpanId === null);
  const told = roots.map((root) => ({
    ...root.attributes,
    below: spans.filter(({ parentSpanId }) => parentSpanId === root.spanId).map(({ name }) => name),
  }));
  expect(told).toMatchObject([
    {
      'mandate.answer': 'action.decided',
      'mandate.decision.kind': 'first',
      'mandate.charged_micros': 100_000,
      below: ['plan', 'ledger step', 'decide', 'append mandate.decisions.v1'],
    },
    {
      'mandate.answer': 'action.decided',
      'mandate.decision.kind': 'duplicate',
      'mandate.code': 'DUPLICATE_ACTION',
    },
    {
      'mandate.answer': 'action.settled',
      'mandate.action.id': 'a',
      'mandate.charged_micros': 150_000,
      below: ['ledger step', 'settle', 'append mandate.decisions.v1'],
    },
    {
      'mandate.answer': 'dead.letter',
      'mandate.code': 'INVALID_ACTION',
      below: ['append mandate.deadletters.v1'],
    },
  ]);
  expect(spans.filter(({ hasFailed }) => hasFailed)).toEqual([]);
});

test('a failed ledger step is a failed child span, even if the record is decided later', async () => {
  let isAway = true;
  const spans = await traced([ask('a')], ({ ledger }) => ({
    ledger: Object.assign(Object.create(ledger) as Ledger, {
      async step(batch: Parameters<Ledger['step']>[0]) {
        if (!isAway) return ledger.step(batch);
        isAway = false;
        throw new MandateError('LEDGER_UNAVAILABLE', 'away', { remedy: 'wait', retryable: true });
      },
    }),
  }));
  const steps = spans.filter(({ name }) => name === 'ledger step');
  expect(steps).toMatchObject([
    { hasFailed: true, attributes: { 'error.type': 'LEDGER_UNAVAILABLE' } },
    { hasFailed: false },
  ]);
  const [whole] = spans.filter(({ name }) => name === `process ${TOPICS.actions}`);
  expect(whole).toMatchObject({ hasFailed: false, attributes: { 'mandate.verdict': 'ALLOW' } });
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
});

test('the spans of a batch fail if another decider gets the partition meanwhile', async () => {
  let isOurs = false;
  const fenced = new MandateError('BUS_FENCED', 'the partition belongs to another', { remedy: 'none' });
  const spans = await traced([ask('a')], ({ bus }) => ({
    bus: busWith(bus, {
      consume: (options) =>
        bus.consume({
          ...options,
          onBatch: (batch) =>
            options.onBatch({
              ...batch,
              async commit(nextOffset) {
                if (isOurs) return batch.commit(nextOffset);
                isOurs = true;
                throw fenced;
              },
            }),
        }),
    }),
  }));
  const works = spans.filter(({ name }) => name === `process ${TOPICS.actions}`);
  expect(works).toMatchObject([
    { hasFailed: true, attributes: { 'error.type': 'BUS_FENCED' } },
    { hasFailed: false, attributes: { 'mandate.answer': expect.any(String) } },
  ]);
});
