/** Tests a primary and its replica: a loss by a failover is noticed, and with a required replica nothing is lost. */
import { describeWithOwnServers, startRedis, waitUntil } from '@mandate/testing';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { allow, decide, isAllowed, spent } from '../contract/bench.ts';
import { stepRequest, TENANT } from '../contract/builders.ts';
import { createState } from '../memory/state.ts';
import { freshNamespace, rebuildFrom } from './fresh-ledger.fixture.ts';
import { createRedisLedger } from './redis-ledger.ts';

describeWithOwnServers(['redis'], 'with replicas', () => {
  const unavailable = (message: RegExp) =>
    expect.objectContaining({
      code: 'LEDGER_UNAVAILABLE',
      retryable: true,
      message: expect.stringMatching(message),
    });

  async function startPair() {
    const config = { appendfsync: 'everysec', 'repl-diskless-sync-delay': '0' };
    const [primary, replica] = await Promise.all([
      startRedis({ appendonly: true, config }),
      startRedis({ appendonly: true, config }),
    ]);
    const admin = new Redis(replica.url);
    onTestFinished(async () => {
      admin.disconnect();
      await Promise.all([primary.stop(), replica.stop()]);
    });
    await admin.replicaof('127.0.0.1', primary.port);
    await waitUntil('the replica to follow', async () =>
      (await admin.info('replication')).includes('master_link_status:up'),
    );
    return { primary, replica, admin };
  }

  /** Starts a primary with a ledger, and a replica that has all its writes. */
  async function startDecidingPair() {
    const pair = await startPair();
    const namespace = freshNamespace();
    const ledger = await createRedisLedger({ url: pair.primary.url, namespace });
    onTestFinished(() => ledger.close());
    await rebuildFrom(ledger, createState(86_400_000), 'epoch-1');
    await allow(ledger, stepRequest());
    await waitUntil(
      'the replica to have the tenant',
      async () => (await pair.admin.exists(`${namespace}:{${TENANT}}:meta`)) === 1,
    );
    return { ...pair, namespace, ledger };
  }

  test('answers an ALLOW only when the replica has it, and charges the action once even if the replica is late', async () => {
    const { primary, replica } = await startPair();
    const ledger = await createRedisLedger({
      url: primary.url,
      namespace: freshNamespace(),
      waitReplicas: { count: 1, timeoutMs: 1_000 },
    });
    onTestFinished(() => ledger.close());
    await waitUntil('the pair to acknowledge', () =>
      rebuildFrom(ledger, createState(86_400_000), 'epoch-1').then(
        () => true,
        () => false,
      ),
    );
    expect(isAllowed(await decide(ledger, stepRequest()))).toBe(true);
    replica.pause();
    const request = stepRequest();
    await expect(ledger.step([request])).rejects.toEqual(unavailable(/Only 0 of 1 replicas/));
    const kill = () => ledger.kill({ scope: 'all' }, { id: 'k', by: 'op', reason: 'r' });
    await expect(kill()).rejects.toEqual(unavailable(/Only 0 of 1 replicas/));
    replica.resume();
    const [again] = await waitUntil('the replica to have it', () => ledger.step([request]).catch(() => null));
    expect(again).toMatchObject({ kind: 'decided', redelivered: true, facts: { cumulativeMicros: 200 } });
    expect(await kill()).toMatchObject({ revision: 1, sequences: { [TENANT]: 3 } });
    expect(await spent(ledger, TENANT)).toEqual({ 'agent agent-1 total': 200 });
  });

  test('does not trust a promoted replica until the ledger is rebuilt', async () => {
    const { primary, replica, admin, namespace } = await startDecidingPair();
    const behind = await createRedisLedger({ url: replica.url, namespace });
    onTestFinished(() => behind.close());
    await expect(behind.step([stepRequest()])).rejects.toEqual(unavailable(/./));
    await primary.kill();
    await admin.replicaof('NO', 'ONE');
    await expect(behind.step([stepRequest()])).rejects.toEqual(unavailable(/failed over/));
    await expect(behind.killStatus(TENANT, 'agent-1')).rejects.toEqual(unavailable(/failed over/));
    await rebuildFrom(behind, createState(86_400_000), 'epoch-2');
    expect((await decide(behind, stepRequest())).epoch).toBe('epoch-2');
  });

  test('does not trust a primary that lost its role and got it back with the data of the other server', async () => {
    const { primary, replica, admin, ledger } = await startDecidingPair();
    await admin.replicaof('NO', 'ONE');
    await ledger.kill({ scope: 'all' }, { id: 'k', by: 'op', reason: 'the other will not hear of it' });
    const first = new Redis(primary.url);
    onTestFinished(() => first.disconnect());
    await first.replicaof('127.0.0.1', replica.port);
    await waitUntil('the old primary to follow', async () =>
      (await first.info('replication')).includes('master_link_status:up'),
    );
    await first.replicaof('NO', 'ONE');
    const notBelieved = unavailable(/failed over/);
    await expect(ledger.ping()).rejects.toEqual(notBelieved);
    await expect(ledger.step([stepRequest()])).rejects.toEqual(notBelieved);
  });
});
