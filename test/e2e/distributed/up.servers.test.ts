/** `mandate up` on servers: the whole plane, in one process or several. */
import { copyFileSync } from 'node:fs';
import { createApiClient } from '@mandate/client';
import { dataFolder } from '@mandate/runtime';
import { agentKey, topicOfTenant } from '@mandate/schemas';
import { fileKeyStore, issueApiKey } from '@mandate/server';
import {
  describeWithOwnServers,
  plainProducer,
  startOtlpReceiver,
  startPlane,
  temporaryFolder,
  traceTree,
  WHOLE_WAY,
  waitUntil,
} from '@mandate/testing';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { runMandate } from '../cli/run-mandate.ts';
import { listenToKills } from '../support/kill-events.ts';
import { environmentOf, type Servers, startServers } from './support/server-plane.ts';

/** Publishes to the topic of one tenant. The record itself does not name the tenant. */
async function publishTo(tenant: string, brokers: readonly string[]): Promise<void> {
  const producer = await plainProducer(brokers);
  const value = JSON.stringify({ event: 'action.requested', action: look('own-1') });
  await producer.send({
    topic: topicOfTenant(tenant),
    messages: [{ key: agentKey(tenant, 'researcher'), value }],
  });
}

async function issueKey(path: string, tenant: string): Promise<string> {
  const { key, record } = issueApiKey({ tenant, scopes: ['audit'], agents: ['*'], name: tenant });
  await fileKeyStore(path).add(record);
  return key;
}

type Answer = { decision: { id: string; verdict: string; code: string } | null };
type Page = { decisions: readonly { id: string }[] };

const look = (id: string) => ({ id, agentId: 'researcher', type: 'tool_call', tool: 'search_web' });

describeWithOwnServers(['kafka', 'redis', 'clickhouse'], 'mandate up', () => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers();
  });
  afterAll(() => servers?.[Symbol.asyncDispose]());

  async function up(data: string, args: readonly string[], env: Record<string, string>) {
    const plane = await startPlane({ data, args, env });
    onTestFinished(async () => {
      await plane.kill();
    });
    return plane;
  }

  test('two planes on the same servers act as one, although one is set by flags and the other by environment', async () => {
    const { kafka, redis, clickhouse } = servers;
    const { MANDATE_KAFKA_BROKERS: brokers = '', ...topics } = environmentOf(servers);
    const first = dataFolder(temporaryFolder());
    const flags = ['--kafka', brokers, '--redis', redis.url, '--clickhouse', clickhouse.url];
    const receiver = await startOtlpReceiver();
    const tenants = { MANDATE_DECIDER_TENANT_TOPICS: 'globex', MANDATE_OTLP_URL: receiver.url };
    const { url, keys } = await up(first.path, flags, { ...topics, ...tenants });
    const second = dataFolder(temporaryFolder());
    for (const file of ['keys', 'secret', 'mandates'] as const) copyFileSync(first[file], second[file]);
    const other = await up(second.path, [], { ...environmentOf(servers), ...tenants });
    expect(kafka.brokers.join(',')).toBe(brokers);

    const [here, there] = [url, other.url].map((at) => createApiClient({ url: at, key: keys.operator }));
    const allowed = await here?.post<Answer>('/v1/actions?waitMs=60000', look('a-1'));
    expect(allowed?.decision).toMatchObject({ verdict: 'ALLOW' });
    await waitUntil('its row, asked of the other', async () => {
      const page = await there?.get<Page>('/v1/audit/decisions');
      return page?.decisions.some(({ id }) => id === allowed?.decision?.id);
    });
    await publishTo('globex', kafka.brokers);
    const globex = createApiClient({ url, key: await issueKey(first.keys, 'globex') });
    await waitUntil('what a tenant published to its own topic', async () => {
      const page = await globex.get<Page>('/v1/audit/decisions').catch(() => null);
      return page?.decisions.length === 1;
    });
    // Two planes send the spans of a trace, so their order is not fixed.
    const traced = async (name: string, length: number) => {
      const root = await waitUntil(`a trace of ${name}`, () =>
        receiver.spans.find((span) => span.name === name && span.parentSpanId === null),
      );
      return waitUntil(`${length} spans of it`, () => {
        const spans = receiver.spans.filter(({ traceId }) => traceId === root.traceId);
        return spans.length >= length ? spans : null;
      });
    };
    const trace = await traced('POST /v1/actions', WHOLE_WAY.length);
    expect(traceTree(trace)).toEqual(WHOLE_WAY);
    const said = Object.fromEntries(trace.map(({ name, attributes }) => [name, attributes]));
    expect(said).toMatchObject({
      'append mandate.actions.v1': { 'messaging.system': 'kafka' },
      'ledger step': { 'db.system.name': 'redis' },
    });
    expect(traceTree(await traced(`process ${topicOfTenant('globex')}`, 7))).toHaveLength(7);
    const reconciled = await runMandate(['reconcile'], {
      env: { ...environmentOf(servers), MANDATE_URL: other.url, MANDATE_API_KEY: keys.operator ?? '' },
    });
    expect(reconciled).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('drift 0 micro-dollars'),
    });

    const listening = await listenToKills(url, keys.operator ?? '');
    onTestFinished(listening.leave);
    await there?.post('/v1/agents/researcher/kill', { reason: 'test' });
    await waitUntil('the kill to be heard of at the first', () =>
      listening.events.some(({ event }) => event === 'killed'),
    );
    const refused = await here?.post<Answer>('/v1/actions?waitMs=60000', look('a-2'));
    expect(refused?.decision).toMatchObject({ code: 'AGENT_KILLED' });
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
  });

  test('refuses a shared log together with a ledger in memory, and says what to set', async () => {
    const starting = startPlane({
      data: temporaryFolder(),
      args: ['--kafka', servers.kafka.brokers.join(',')],
    });
    await expect(starting).rejects.toThrow(/MANDATE_REDIS_URL: is not set.*budget of their own/);
  });
});
