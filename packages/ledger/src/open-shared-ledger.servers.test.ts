import { silentLogger } from '@mandate/runtime';
import { loadConfig, redisSettings } from '@mandate/runtime/settings';
import { describeWithOwnServers, type RedisServer, startRedis, startRedisCluster } from '@mandate/testing';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { LedgerNotReady, openSharedLedger } from './index.ts';

const open = (env: Record<string, string>) =>
  openSharedLedger(loadConfig(redisSettings, env), silentLogger());

/** Expects an answer of a server that is reachable and empty, because no process has loaded a ledger yet. */
async function expectReached(env: Record<string, string>): Promise<void> {
  const ledger = await open(env);
  onTestFinished(() => ledger?.close());
  await expect(ledger?.ping()).rejects.toBeInstanceOf(LedgerNotReady);
}

test('opens no ledger if the settings name no server', async () => {
  expect(await open({})).toBe(null);
});

describeWithOwnServers(['redis'], 'the ledger that the settings name', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis({ appendonly: true, password: 'hush hush' });
  });
  afterAll(() => server?.stop());

  test('accepts the password in the URL or as a separate setting', async () => {
    await expectReached({ MANDATE_REDIS_URL: server.url });
    const address = { MANDATE_REDIS_URL: `redis://127.0.0.1:${server.port}` };
    await expectReached({ ...address, MANDATE_REDIS_PASSWORD: 'hush hush' });
    await expect(open(address)).rejects.toMatchObject({ code: 'LEDGER_UNAVAILABLE' });
  });

  test('is refused on a server without append-only file, unless a setting allows it', async () => {
    await using forgetful = await startRedis();
    const address = { MANDATE_REDIS_URL: forgetful.url };
    await expect(open(address)).rejects.toThrow('append-only');
    await expectReached({ ...address, MANDATE_REDIS_REQUIRE_APPEND_ONLY: 'false' });
  });

  test('opens a cluster', async () => {
    await using cluster = await startRedisCluster({ appendonly: true });
    const nodes = cluster.nodes.map(({ port }) => `127.0.0.1:${port}`).join(',');
    await expectReached({ MANDATE_REDIS_CLUSTER_NODES: nodes });
  });
});
