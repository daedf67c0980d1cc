import { silentLogger } from '@mandate/runtime';
import { describeWithOwnServers, type RedisServer, startRedis, waitUntil } from '@mandate/testing';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import {
  type KillBroadcast,
  type KillNotice,
  localKillBroadcast,
  withKillBroadcast,
} from '../kill-broadcast.ts';
import { createMemoryLedger } from '../memory/memory-ledger.ts';
import { createRedisKillBroadcast } from './kill-broadcast.ts';

const log = silentLogger();
const target = { scope: 'agent', tenant: 'acme', agentId: 'bot' } as const;
const command = { id: 'k', by: 'op', reason: 'stop' };

/** Records the notices that a listener gets, and counts the calls of `onGap`. */
function heardBy(broadcast: KillBroadcast) {
  const heard = { notices: [] as KillNotice[], gaps: 0 };
  const stop = broadcast.subscribe({
    onNotice: (notice) => heard.notices.push(notice),
    onGap: () => {
      heard.gaps += 1;
    },
  });
  return Object.assign(heard, { stop });
}

test('gives every listener of the process all changes that took effect, until the listener unsubscribes', async () => {
  const broadcast = localKillBroadcast();
  const heard = heardBy(broadcast);
  const ledger = withKillBroadcast(createMemoryLedger({ clock: () => 1, epoch: 'e' }), broadcast, log);
  expect(ledger.epoch).toBe('e');
  await ledger.kill(target, command);
  await ledger.revive(target, 2, 'r');
  heard.stop();
  await ledger.kill(target, { ...command, id: 'k2' });
  expect(heard).toMatchObject({
    gaps: 1,
    notices: [
      { target, killed: true, revision: 1 },
      { target, killed: false, revision: 2 },
    ],
  });
});

test('keeps a kill in force if its announcement fails', async () => {
  const mute = { ...localKillBroadcast(), publish: () => Promise.reject(new Error('away')) };
  const ledger = withKillBroadcast(createMemoryLedger({ clock: () => 1, epoch: 'e' }), mute, log);
  expect(await ledger.kill(target, command)).toMatchObject({ revision: 1 });
});

describeWithOwnServers(['redis'], 'over Redis', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server?.stop());

  async function connected(namespace = 'test') {
    const broadcast = await createRedisKillBroadcast({ url: server.url, namespace, log });
    onTestFinished(() => broadcast.close());
    return broadcast;
  }

  test('gives notices to other processes, reports a gap after a cut connection, and ignores other messages', async () => {
    const [one, other] = [await connected(), await connected()];
    const heard = heardBy(other);
    const elsewhere = heardBy(await connected('another'));
    expect(heard.gaps).toBe(1);
    const stranger = new Redis(server.url);
    await stranger.publish('test:kills', 'not ours');
    stranger.disconnect();
    await one.publish({ target, killed: true, revision: 1 });
    await waitUntil('the notice', () => heard.notices.length === 1);
    expect(heard.notices).toEqual([{ target, killed: true, revision: 1 }]);

    await server.restart();
    await waitUntil('to be told of the gap', () => heard.gaps === 2);
    await waitUntil('a notice after it', async () => {
      await one.publish({ target, killed: false, revision: 2 }).catch(() => {});
      return heard.notices.length > 1;
    });
    expect(elsewhere.notices).toEqual([]);
  });

  test('fails to publish within a limited time while the server is down', async () => {
    const broadcast = await connected();
    await server.kill();
    await expect(broadcast.publish({ target, killed: true, revision: 1 })).rejects.toMatchObject({
      code: 'LEDGER_UNAVAILABLE',
    });
    await server.restart();
  });
});
