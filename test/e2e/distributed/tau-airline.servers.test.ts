/**
 * Publishes the data set of test/e2e/tau-airline with a plain Kafka producer in JavaScript, and with kcat. One decider
 * or three, with a ledger on Redis, decide the requests. ClickHouse must return every expected figure.
 * All scenarios run at the same time, each with its own agents.
 */
import { randomUUID } from 'node:crypto';
import { agentKey, settingsOfTopic, TOPICS } from '@mandate/schemas';
import {
  byLength,
  describeWithOwnServers,
  plainProducer,
  publishWithKcat,
  testWithKcat,
  waitUntil,
} from '@mandate/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadDataset, requestsOf } from '../tau-airline/dataset.ts';
import { answersTo, readBack } from '../tau-airline/read-back.ts';
import { mandateOf } from '../tau-airline/scenario-mandate.ts';
import { decisionsBy, type Servers, serverPlane, startServers } from './support/server-plane.ts';

const dataset = loadDataset();
const scenarios = Object.entries(dataset.scenarios).slice(
  0,
  byLength({ short: 2, full: Number.POSITIVE_INFINITY }),
);
const MANDATES = scenarios
  .map(([name, scenario]) => JSON.stringify(mandateOf(name, scenario, dataset.tools, `${name}-`)))
  .join('\n---\n');

const PARTITIONS = Array.from({ length: settingsOfTopic(TOPICS.actions).partitions }, (_, at) => at);

/** Returns an action of an agent without a mandate. */
function warmUp(partition: number) {
  const action = { id: randomUUID(), tenant: 'warm-up', agentId: 'nobody', type: 'tool_call', tool: 't' };
  return { partition, value: JSON.stringify({ event: 'action.requested', action }) };
}

type Publish = (records: { key: string; value: string }[]) => Promise<void>;
type Spend = { total: { spentMicros: number } };

describeWithOwnServers(['kafka', 'redis', 'clickhouse'], `on servers, ${dataset.origin} is decided`, () => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers();
  });
  afterAll(() => servers?.[Symbol.asyncDispose]());

  test.each([1, 3])('by %i deciders with the expected figures', (count) =>
    isDecided(`by-${count}`, count, async (messages) => {
      const producer = await plainProducer(servers.kafka.brokers);
      await producer.send({ topic: TOPICS.actions, messages });
    }),
  );

  testWithKcat('with the expected figures if kcat publishes it, compressed with zstd', () =>
    isDecided('by-kcat', 1, (records) => publishWithKcat(servers.kafka.brokers, TOPICS.actions, records)),
  );

  async function isDecided(tenant: string, count: number, publish: Publish) {
    const plane = serverPlane(servers, MANDATES);
    const key = await plane.issueKey(tenant);
    const [query, , ...deciders] = await Promise.all([
      plane.start('query'),
      plane.start('recorder'),
      ...Array.from({ length: count }, () => plane.start('decider', { BATCH_RECORDS: '50' })),
    ]);
    const producer = await plainProducer(servers.kafka.brokers);
    const before = await waitUntil('partitions for every decider', async () => {
      await producer.send({ topic: TOPICS.actions, messages: PARTITIONS.map(warmUp) });
      const decided = await Promise.all(deciders.map(decisionsBy));
      return decided.every((decisions) => decisions > 0) && decided;
    });

    const requests = new Map(
      scenarios.map(([name]) => [name, requestsOf(dataset, tenant, `${name}-`)] as const),
    );
    const all = [...requests.values()].flat();
    const records = all.map((record) => ({
      key: agentKey(tenant, record.action.agentId),
      value: JSON.stringify({ ...record, action: { ...record.action, deadlineMs: 3_600_000 } }),
    }));
    await publish(records);

    const api = plane.api(query.url, key);
    const found = await readBack(api, all.length, 240_000);
    for (const [name, scenario] of scenarios) {
      const { decisions, agentsWithABlock, sequenceSha256 } = scenario;
      expect({ name, ...answersTo(requests.get(name) ?? [], found) }).toEqual({
        name,
        decisions,
        agentsWithABlock,
        sequenceSha256,
      });
    }
    const after = await Promise.all(deciders.map(decisionsBy));
    expect(after.map((decisions, at) => decisions > (before[at] ?? 0))).toEqual(deciders.map(() => true));
    const { total } = await api.get<Spend>('/v1/audit/analytics/spend');
    const charged = scenarios.reduce((sum, [, { allowedCostMicros }]) => sum + allowedCostMicros, 0);
    expect(total.spentMicros).toBe(charged);
  }
});
