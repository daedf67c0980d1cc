/**
 * The decider on a real log, with an error between any two of its steps: step, publish, confirm, commit. After each
 * error the decisions are the same, and no action is charged twice.
 */

import { join } from 'node:path';
import { type Batch, type Bus, createSqliteBus } from '@mandate/bus';
import type { Ledger } from '@mandate/ledger';
import { foldLog, restoreLedger } from '@mandate/ledger-log';
import { mandatesOfFile } from '@mandate/policy';
import { loadMandates } from '@mandate/policy/documents';
import { MandateError, silentLogger } from '@mandate/runtime';
import {
  DEFAULTS,
  type DecisionsRecord,
  GROUPS,
  readDecisionsRecord,
  TOPICS,
  topicOfTenant,
} from '@mandate/schemas';
import { createMetrics } from '@mandate/server';
import { busWith, temporaryFolder, waitUntil } from '@mandate/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Decider, startDecider } from './app.ts';

const START_MS = Date.parse('2026-03-01T12:00:00Z');
const clock = () => START_MS;
const log = silentLogger();

const loaded = loadMandates(
  'version: 1\nid: m\nagents: ["*"]\nmaxCostTotal: 0.35\ndeniedTools: [bad]\ntoolPolicies: { t: { cost: 0.1 } }\n',
);
const mandates = loaded.ok ? loaded.mandates : [];

function ask(id: string, action: object = {}) {
  return { event: 'action.requested', action: { id, agentId: 'x', type: 'tool_call', tool: 't', ...action } };
}

const RECORDS = [
  ask('a'),
  ask('b', { tool: 'bad' }),
  'not JSON',
  ask('a'),
  {
    event: 'action.completed',
    outcome: { actionId: 'a', agentId: 'x', status: 'failure', actualCostMicros: 50_000 },
  },
  ask('c'),
  ask('d'),
  ask('e'),
  ask('f'),
];

const EXPECTED = [
  'a 1 first ALLOW ALLOWED 100000',
  'b 1 first BLOCK TOOL_DENIED 0',
  'a 1 duplicate BLOCK DUPLICATE_ACTION 0',
  'settled a -50000',
  'c 1 first ALLOW ALLOWED 100000',
  'd 1 first ALLOW ALLOWED 100000',
  'e 1 first ALLOW ALLOWED 100000',
  'f 1 first BLOCK COST_LIMIT_EXCEEDED 0',
];

/** The moments between two steps. A name contains the step before or after the moment. */
const GAPS = [
  'before the step',
  'before publishing',
  'after publishing',
  'before the commit',
  'after the commit',
] as const;
type Gap = (typeof GAPS)[number];

/** An error that is thrown once, when the `batch`th batch reaches this gap. */
type Fault = { gap: Gap; error(): Error; batch: number };

function faulty(bus: Bus, ledger: Ledger, fault: Fault | null): { bus: Bus; ledger: Ledger } {
  const passed = new Map<Gap, number>();
  const pass = (gap: Gap) => {
    const times = (passed.get(gap) ?? 0) + 1;
    passed.set(gap, times);
    if (fault?.gap === gap && times === fault.batch) throw fault.error();
  };
  const failing = (batch: Batch): Batch => ({
    ...batch,
    async commit(nextOffset) {
      pass('before the commit');
      await batch.commit(nextOffset);
      pass('after the commit');
    },
  });
  return {
    ledger: {
      ...ledger,
      async step(batch) {
        pass('before the step');
        return ledger.step(batch);
      },
    },
    bus: busWith(bus, {
      async append(topic, records) {
        if (topic === TOPICS.decisions) pass('before publishing');
        const acknowledged = await bus.append(topic, records);
        if (topic === TOPICS.decisions) pass('after publishing');
        return acknowledged;
      },
      consume: (options) => bus.consume({ ...options, onBatch: (batch) => options.onBatch(failing(batch)) }),
    }),
  };
}

async function openLog(): Promise<Bus> {
  const path = join(temporaryFolder(), 'log.sqlite');
  const bus = await createSqliteBus({ path, log, partitions: 1, clock });
  onTestFinished(() => bus.close());
  await bus.append(
    TOPICS.actions,
    RECORDS.map((record) => ({
      key: 'default/x',
      value: typeof record === 'string' ? record : JSON.stringify(record),
    })),
  );
  return bus;
}

/** Starts a decider with a ledger that is rebuilt from the log. */
async function live(bus: Bus, fault: Fault | null): Promise<Decider> {
  const { ledger } = await restoreLedger({ bus, clock, log });
  return startDecider({
    ...faulty(bus, ledger, fault),
    control: () => mandatesOfFile(mandates, 1),
    redact: (action) => action,
    clock,
    deadlines: true,
    log,
    metrics: createMetrics({ service: 'decider' }),
    maxBatch: 2,
  });
}

async function recordsOn(bus: Bus, topic: string): Promise<Uint8Array[]> {
  const values: Uint8Array[] = [];
  const reader = await bus.read({
    topics: [topic],
    from: 'earliest',
    onRecords: (records) => void values.push(...records.map(({ value }) => value)),
  });
  await reader.caughtUp;
  await reader.stop();
  return values;
}

function told(record: DecisionsRecord): string | null {
  if (record.event === 'action.settled') {
    return `${record.settlement.kind} ${record.settlement.actionId} ${record.settlement.deltaMicros}`;
  }
  if (record.event !== 'action.decided') return null;
  const { actionId, attempt, kind, verdict, code, chargedMicros } = record.decision;
  return `${actionId} ${attempt} ${kind} ${verdict} ${code} ${chargedMicros}`;
}

function idOf(record: DecisionsRecord): string | null {
  if (record.event === 'action.settled') return record.settlement.id;
  return record.event === 'action.decided' ? record.decision.id : null;
}

/**
 * Checks the decisions that a reader of the log sees. If several records have the same id, the first record counts.
 */
async function outcomeOn(bus: Bus): Promise<void> {
  const records = (await recordsOn(bus, TOPICS.decisions)).map(readDecisionsRecord);
  const first = new Map<string, DecisionsRecord>();
  for (const record of records) {
    const id = idOf(record);
    if (id !== null && !first.has(id)) first.set(id, record);
  }
  expect([...first.values()].map(told)).toEqual(EXPECTED);
  for (const record of records) {
    const id = idOf(record);
    if (id !== null) expect(record, 'a record that is on the log twice').toEqual(first.get(id));
  }
  const letters = (await recordsOn(bus, TOPICS.deadLetters)).map((value) =>
    JSON.parse(Buffer.from(value).toString()),
  );
  expect(new Set(letters.map(({ deadLetter }) => deadLetter.id)).size).toBe(1);
  const { fold } = await foldLog(bus);
  const tenant = fold.state.tenants.get('default');
  expect(tenant?.counters.budgets.agent.get('x')?.map(({ spent }) => spent)).toEqual([350_000]);
}

test('decides what is on the log, in order, and stops', async () => {
  const bus = await openLog();
  const decider = await live(bus, null);
  await decider.caughtUp();
  await decider.stop();
  await decider.finished;
  await outcomeOn(bus);
  expect(await recordsOn(bus, TOPICS.decisions)).toHaveLength(EXPECTED.length + 1);
});

const away = () => new MandateError('BUS_UNAVAILABLE', 'away', { remedy: 'wait', retryable: true });
const epoch = () => new MandateError('LEDGER_EPOCH_CHANGED', 'rebuilt', { remedy: 'do not commit' });
const fenced = () => new MandateError('BUS_FENCED', 'someone else has it', { remedy: 'let go' });

describe('recovers from an error', () => {
  test.each(
    GAPS.flatMap((gap) =>
      [away, epoch, fenced].map((error) => ({ gap, error, name: `${error().code} ${gap}` })),
    ),
  )('$name', async ({ gap, error }) => {
    const bus = await openLog();
    const decider = await live(bus, { gap, error, batch: 2 });
    await decider.caughtUp();
    await decider.stop();
    await decider.finished;
    await outcomeOn(bus);
  });
});

describe('after a crash the next decider continues', () => {
  test.each(GAPS)('%s', async (gap) => {
    const bus = await openLog();
    const first = await live(bus, { gap, error: () => new Error('killed'), batch: 2 });
    await expect(first.finished).rejects.toThrow('killed');
    const second = await live(bus, null);
    await second.caughtUp();
    await second.stop();
    await outcomeOn(bus);
  });
});

test('a partition waits while the log is away, also if its heartbeat fails, and skips no record', async () => {
  const bus = await openLog();
  const { ledger } = await restoreLedger({ bus, clock, log });
  let failures = 2;
  let heartbeatFails = true;
  const decider = await startDecider({
    ledger,
    bus: busWith(bus, {
      async append(topic, records) {
        if (topic === TOPICS.decisions && failures-- > 0) throw away();
        return bus.append(topic, records);
      },
      consume: (options) =>
        bus.consume({
          ...options,
          onBatch: (batch) =>
            options.onBatch({
              ...batch,
              async heartbeat() {
                if (heartbeatFails) {
                  heartbeatFails = false;
                  throw away();
                }
                await batch.heartbeat();
              },
            }),
        }),
    }),
    control: () => mandatesOfFile(mandates, 1),
    redact: (action) => action,
    clock,
    deadlines: true,
    log,
    metrics: createMetrics({ service: 'decider' }),
  });
  await decider.caughtUp();
  await decider.stop();
  await outcomeOn(bus);
  expect({ heartbeatFails, left: failures < 0 }).toEqual({ heartbeatFails: false, left: true });
});

test('commits nothing once the ledger has another epoch, although the decisions were published', async () => {
  const bus = await openLog();
  const { ledger } = await restoreLedger({ bus, clock, log });
  let refused = 0;
  const decider = await startDecider({
    bus,
    ledger: {
      ...ledger,
      async confirm() {
        refused += 1;
        throw epoch();
      },
    },
    control: () => mandatesOfFile(mandates, 1),
    redact: (action) => action,
    clock,
    deadlines: true,
    log,
    metrics: createMetrics({ service: 'decider' }),
  });
  await waitUntil('a second try', () => refused > 1);
  await decider.stop();
  const next = Promise.withResolvers<number | undefined>();
  const consumer = await bus.consume({
    group: GROUPS.decider,
    topics: [TOPICS.actions],
    from: 'latest',
    onBatch: async ({ records }) => next.resolve(records[0]?.position.offset),
  });
  expect(await next.promise).toBe(0);
  await consumer.stop();
});

test('reports and counts a partition that cannot continue, and decides the other partitions', async () => {
  const bus = await openLog();
  const { ledger } = await restoreLedger({ bus, clock, log });
  const metrics = createMetrics({ service: 'decider' });
  const lost = new MandateError('BUS_OFFSET_LOST', 'retention took it', { remedy: 'restore it' });
  const decider = await startDecider({
    bus: busWith(bus, {
      async consume(options) {
        const consumer = await bus.consume(options);
        options.onHalted?.({ topic: TOPICS.actions, partition: 7 }, lost);
        return consumer;
      },
    }),
    ledger,
    control: () => mandatesOfFile(mandates, 1),
    redact: (action) => action,
    clock,
    deadlines: true,
    log,
    metrics,
  });
  await decider.caughtUp();
  expect(decider.readiness()).toEqual({
    name: 'partitions',
    ok: true,
    detail: `${TOPICS.actions}/7 halted: BUS_OFFSET_LOST`,
  });
  await decider.stop();
  await decider.finished;
  await outcomeOn(bus);
  expect(await metrics.registry.metrics()).toMatch(
    /^mandate_decider_halts_total\{.*code="BUS_OFFSET_LOST".*\} 1$/m,
  );
});

test('an error that a retry cannot fix ends the consumer', async () => {
  const bus = await openLog();
  const broken = () => new MandateError('LEDGER_CORRUPT', 'another record', { remedy: 'rebuild' });
  const decider = await live(bus, { gap: 'before the step', error: broken, batch: 1 });
  await expect(decider.finished).rejects.toThrow('another record');
});

test('records of a tenant’s topic that was made again wait while the ledger remembers its old log positions, and delay no other tenant', async () => {
  const topic = topicOfTenant('acme');
  let nowMs = START_MS;
  const later = () => nowMs;
  const logWith = async (asked: Record<string, string>) => {
    const path = join(temporaryFolder(), 'log.sqlite');
    const bus = await createSqliteBus({ path, log, partitions: 1, clock: later });
    onTestFinished(() => bus.close());
    for (const [to, id] of Object.entries(asked))
      await bus.append(to, [{ key: null, value: JSON.stringify(ask(id)) }]);
    return bus;
  };
  const before = await logWith({ [topic]: 'a' });
  const { ledger } = await restoreLedger({ bus: before, clock: later, log });
  const metrics = createMetrics({ service: 'decider' });
  const decideOn = async (bus: Bus) => {
    const decider = await startDecider({
      ...{ bus, ledger, clock: later, log, metrics },
      topics: [TOPICS.actions, topic],
      control: () => mandatesOfFile(mandates, 1),
      redact: (action) => action,
      deadlines: true,
    });
    onTestFinished(() => decider.stop());
    return decider;
  };
  const first = await decideOn(before);
  await first.caughtUp();
  await first.stop();

  const anew = await logWith({ [topic]: 'b', [TOPICS.actions]: 'c' });
  const second = await decideOn(anew);
  const decided = async () =>
    (await recordsOn(anew, TOPICS.decisions)).map((value) => told(readDecisionsRecord(value)));
  await waitUntil('what others ask', async () => (await decided()).length === 1);
  expect(await decided()).toEqual(['c 1 first ALLOW ALLOWED 100000']);
  await waitUntil('the wait', async () =>
    /waits_total\{.*code="LEDGER_CORRUPT"/.test(await metrics.registry.metrics()),
  );
  nowMs += DEFAULTS.replayMemoryMs;
  await second.caughtUp();
  expect((await decided())[1]).toMatch(/^b 1 expired BLOCK DEADLINE_EXCEEDED/);
});

test.each(['', '-acme', 'a'.repeat(65), 'a b'])(
  'refuses a topic of the invalid tenant "%s" at the start',
  async (owner) => {
    const bus = await openLog();
    const { ledger } = await restoreLedger({ bus, clock, log });
    const starting = startDecider({
      bus,
      ledger,
      topics: [TOPICS.actions, `${TOPICS.actions}.${owner}`],
      control: () => mandatesOfFile(mandates, 1),
      redact: (action) => action,
      clock,
      deadlines: true,
      log,
      metrics: createMetrics({ service: 'decider' }),
    });
    await expect(starting).rejects.toMatchObject({ code: 'TOPIC_INVALID' });
  },
);

test('copies the trace of a request to its answer, beside the CloudEvents headers', async () => {
  const bus = await createSqliteBus({
    path: join(temporaryFolder(), 'log.sqlite'),
    log,
    partitions: 1,
    clock,
  });
  onTestFinished(() => bus.close());
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  await bus.append(TOPICS.actions, [
    { key: 'default/x', value: JSON.stringify(ask('a')), headers: { traceparent } },
    { key: 'default/x', value: 'not JSON', headers: { traceparent: 'nonsense' } },
  ]);
  const decider = await live(bus, null);
  await decider.caughtUp();
  await decider.stop();
  const decided = await bus.at({ topic: TOPICS.decisions, partition: 0, offset: 1 });
  expect(decided?.headers).toMatchObject({ traceparent, ce_type: 'mandate.action.decided.v1' });
  expect(decided?.headers.ce_id).toMatch(/^dec_/);
  const letter = await bus.at({ topic: TOPICS.deadLetters, partition: 0, offset: 0 });
  expect(letter?.headers).toMatchObject({ ce_type: 'mandate.dead.letter.v1' });
  expect(letter?.headers).not.toHaveProperty('traceparent');
});
