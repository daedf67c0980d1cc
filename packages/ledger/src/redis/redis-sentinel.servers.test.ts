/**
 * Tests a ledger that finds its server by Sentinel: it follows the primary by itself, and reports why it cannot
 * connect.
 */
import { silentLogger } from '@mandate/runtime';
import {
  describeWithOwnServers,
  IS_SHORT,
  type RedisSentinels,
  startRedisSentinels,
  waitUntil,
} from '@mandate/testing';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { allow, decide } from '../contract/bench.ts';
import { stepRequest, TENANT } from '../contract/builders.ts';
import { createState } from '../memory/state.ts';
import { freshNamespace, rebuildFrom } from './fresh-ledger.fixture.ts';
import { createRedisKillBroadcast } from './kill-broadcast.ts';
import { createRedisLedger, type RedisLedger, type RedisLedgerOptions } from './redis-ledger.ts';

const REPLAY_MS = 86_400_000;
const OPERATOR = 'all of it';
const sentinel = { username: 'mandate', password: 'ask me' };
/** The same rights as in infra/redis/README.md. */
const RIGHTS =
  '+ping +subscribe +sentinel|get-master-addr-by-name +sentinel|sentinels +sentinel|masters &+switch-master';

describeWithOwnServers(['redis'], 'a ledger behind Sentinel', () => {
  let servers: RedisSentinels;
  beforeAll(async () => {
    servers = await startRedisSentinels({
      appendonly: true,
      password: 'p@ss/word',
      sentinelPassword: OPERATOR,
      config: { appendfsync: 'everysec' },
    });
    for (const { port } of servers.sentinels) {
      const operator = new Redis(port, '127.0.0.1', { password: OPERATOR });
      const { username, password } = sentinel;
      await operator.call(
        'ACL',
        'SETUSER',
        username,
        'on',
        `>${password}`,
        'resetchannels',
        ...RIGHTS.split(' '),
      );
      operator.disconnect();
    }
  });
  afterAll(() => servers?.stop());

  async function ledgerAt(options: RedisLedgerOptions): Promise<RedisLedger> {
    const ledger = await createRedisLedger({ sentinel, commandTimeoutMs: 1_000, ...options });
    onTestFinished(() => ledger.close());
    return ledger;
  }

  const rebuilt = (ledger: RedisLedger, epoch: string) =>
    waitUntil('the ledger to be rebuilt', () =>
      rebuildFrom(ledger, createState(REPLAY_MS), epoch).then(
        () => true,
        () => false,
      ),
    );

  test('reports the reason: no sentinel, an unknown primary, or a refused login', async () => {
    const [first] = servers.sentinels;
    const refused = (url: string, options: RedisLedgerOptions = {}) =>
      ledgerAt({ url, ...options }).then(
        () => null,
        (error: Error) => error,
      );
    expect(await refused('redis+sentinel://127.0.0.1:1,127.0.0.1:2/main')).toMatchObject({
      code: 'LEDGER_UNAVAILABLE',
      message: expect.stringMatching(/^No sentinel can be reached: 127.0.0.1:1: .*; 127.0.0.1:2: /),
      remedy: expect.stringContaining('MANDATE_REDIS_URL'),
    });
    expect(await refused(servers.url.replace(/main$/, 'mian'))).toMatchObject({
      code: 'LEDGER_UNAVAILABLE',
      message: 'No sentinel knows a primary named "mian"; known: main.',
      remedy: expect.stringContaining('MANDATE_REDIS_URL'),
    });
    for (const wrong of [{}, { ...sentinel, password: 'hush' }]) {
      const fault = await refused(servers.url, { sentinel: wrong });
      expect(fault).toMatchObject({
        message: expect.stringMatching(/^All sentinels refuse this process: /),
        remedy: expect.stringContaining('MANDATE_REDIS_SENTINEL_PASSWORD'),
      });
      expect(JSON.stringify([fault, fault?.stack, fault?.cause])).not.toContain('hush');
    }
    const others = servers.url.replace(/:[^:@]*@/, ':hush@');
    expect(await refused(others)).toMatchObject({
      message: 'Redis answered WRONGPASS.',
      remedy: expect.stringContaining('MANDATE_REDIS_PASSWORD'),
    });
    expect(
      await refused(`redis+sentinel://127.0.0.1:${first?.port}/main`, { client: { password: 'p@ss/word' } }),
    ).toBe(null);
  });

  test('follows a failover on command, and does not trust the new primary until the ledger is rebuilt', async () => {
    const namespace = freshNamespace();
    const ledger = await ledgerAt({ url: servers.url, namespace });
    await rebuilt(ledger, 'epoch-1');
    await allow(ledger, stepRequest());
    const before = await servers.primaryNow();
    await servers.failOver();
    await waitUntil('another primary', async () => (await servers.primaryNow()) !== before);
    await waitUntil('it to be met', () =>
      ledger.ping().then(
        () => false,
        (error: Error) => /failed over/.test(error.message),
      ),
    );
    await expect(ledger.step([stepRequest()])).rejects.toThrow(/failed over/);
    await rebuilt(ledger, 'epoch-2');
    expect((await decide(ledger, stepRequest())).epoch).toBe('epoch-2');
  });

  test.skipIf(IS_SHORT)(
    'leaves a primary that hung, even if this primary continues as a primary later',
    async () => {
      const namespace = freshNamespace();
      const log = silentLogger();
      const [ledger, idle] = await Promise.all([
        ledgerAt({ url: servers.url, namespace }),
        ledgerAt({ url: servers.url, namespace }),
      ]);
      const broadcast = await createRedisKillBroadcast({ url: servers.url, sentinel, namespace, log });
      onTestFinished(() => broadcast.close());
      await rebuilt(ledger, 'epoch-1');
      await idle.ping();
      await allow(ledger, stepRequest());
      const hung = await servers.primaryNow();
      hung.pause();
      await waitUntil('another primary', async () => (await servers.primaryNow()) !== hung);
      await rebuilt(ledger, 'epoch-2');
      hung.resume();
      const old = new Redis(hung.url);
      onTestFinished(() => old.disconnect());
      // These rights keep the old server a primary during this test. Otherwise the sentinels would soon make it a
      // replica.
      await old.call('ACL', 'SETUSER', 'default', '-slaveof', '-replicaof');
      expect((await old.role())[0]).toBe('master');
      await ledger.kill({ scope: 'tenant', tenant: TENANT }, { id: 'k', by: 'op', reason: 'r' });
      const seen = await waitUntil('the other to be there', () =>
        idle.killStatus(TENANT, 'agent-1').catch(() => null),
      );
      expect(seen).toMatchObject({ killed: { reason: 'r' } });
      expect(idle.epoch).toBe('epoch-2');

      let heard = 0;
      broadcast.subscribe({ onNotice: () => void heard++, onGap: () => {} });
      const target = { scope: 'all' } as const;
      await waitUntil('a kill to be heard again', async () => {
        await broadcast.publish({ target, killed: true, revision: 1 }).catch(() => {});
        return heard > 0;
      });
      expect((await decide(ledger, stepRequest())).kill).toMatchObject({ reason: 'r' });
    },
  );
});
