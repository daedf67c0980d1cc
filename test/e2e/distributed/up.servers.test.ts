/** `mandate up` on servers: the whole plane, in as many processes as one likes. */
import { copyFileSync } from 'node:fs';
import { createApiClient } from '@mandate/cli';
import { dataFolder } from '@mandate/runtime';
import { describeWithOwnServers, startPlane, temporaryFolder, waitUntil } from '@mandate/testing';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { environmentOf, type Servers, startServers } from './server-plane.ts';

type Answer = { decision: { id: string; verdict: string; code: string } | null };
type Page = { decisions: readonly { id: string }[] };

const look = (id: string) => ({ id, agentId: 'bot', type: 'tool_call', tool: 'search_web' });

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

  test('two planes on the same servers are one: by flags and by environment', async () => {
    const { kafka, redis, clickhouse } = servers;
    const { MANDATE_KAFKA_BROKERS: brokers = '', ...topics } = environmentOf(servers);
    const first = dataFolder(temporaryFolder());
    const flags = ['--kafka', brokers, '--redis', redis.url, '--clickhouse', clickhouse.url];
    const { url, keys } = await up(first.path, flags, topics);
    const second = dataFolder(temporaryFolder());
    for (const file of ['keys', 'secret', 'mandates'] as const) copyFileSync(first[file], second[file]);
    const other = await up(second.path, [], environmentOf(servers));
    expect(kafka.brokers.join(',')).toBe(brokers);

    const [here, there] = [url, other.url].map((at) => createApiClient({ url: at, key: keys.operator }));
    const allowed = await here?.post<Answer>('/v1/actions?waitMs=60000', look('a-1'));
    expect(allowed?.decision).toMatchObject({ verdict: 'ALLOW' });
    await waitUntil('its row, asked of the other', async () => {
      const page = await there?.get<Page>('/v1/audit/decisions');
      return page?.decisions.some(({ id }) => id === allowed?.decision?.id);
    });
    await there?.post('/v1/agents/bot/kill', { reason: 'test' });
    const refused = await here?.post<Answer>('/v1/actions?waitMs=60000', look('a-2'));
    expect(refused?.decision).toMatchObject({ code: 'AGENT_KILLED' });
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
  });

  test('a log of many with a ledger of one is refused, and what to set is said', async () => {
    const starting = startPlane({
      data: temporaryFolder(),
      args: ['--kafka', servers.kafka.brokers.join(',')],
    });
    await expect(starting).rejects.toThrow(/MANDATE_REDIS_URL: is not set.*budget of their own/);
  });
});
