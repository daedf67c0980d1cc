import { silentLogger } from '@mandate/runtime';
import { describeWithOwnServers, startRedis, startRedisCluster, waitUntil } from '@mandate/testing';
import { Cluster, Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { createRedisKillBroadcast } from './kill-broadcast.ts';
import { staySubscribed } from './stay-subscribed.ts';

const CHANNEL = 'test:news';

describeWithOwnServers(['redis'], 'a subscription', () => {
  async function scene() {
    const server = await startRedis();
    const admin = new Redis(server.url);
    const heard = { messages: [] as string[], begun: 0, stood: 0 };
    const subscription = await staySubscribed({
      channel: CHANNEL,
      newClient: () => {
        heard.begun += 1;
        return new Redis(server.url, { lazyConnect: true, retryStrategy: () => null, commandTimeout: 1_000 });
      },
      onMessage: (text) => heard.messages.push(text),
      onSubscribed: () => {
        heard.stood += 1;
      },
      log: silentLogger(),
      askEveryMs: 300,
    });
    onTestFinished(async () => {
      subscription.close();
      admin.disconnect();
      await server.stop();
    });
    const subscribers = async () => ((await admin.pubsub('NUMSUB', CHANNEL)) as [string, number])[1];
    const isHeardAgain = async () => {
      expect(await subscribers()).toBe(1);
      await admin.publish(CHANNEL, 'again');
      await waitUntil('what is published', () => heard.messages.length === 1);
    };
    return { server, admin, heard, subscribers, subscription, isHeardAgain };
  }

  test('is repeated until it succeeds, if the server refuses it after a cut connection', async () => {
    const { admin, heard, subscribers, isHeardAgain } = await scene();
    await admin.acl('SETUSER', 'default', '-subscribe');
    await admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await waitUntil('to be refused twice', () => heard.begun > 3);
    expect([await subscribers(), heard.stood]).toEqual([0, 1]);
    await admin.acl('SETUSER', 'default', '+subscribe');
    await waitUntil('it to stand again', () => heard.stood === 2);
    await isHeardAgain();
  });

  test('begins again if the connection falls silent', async () => {
    const { server, heard, isHeardAgain } = await scene();
    server.pause();
    await waitUntil('it to be given up', () => heard.begun > 1);
    server.resume();
    await waitUntil('it to stand again', () => heard.stood > 1);
    await isHeardAgain();
  });

  test('reports a cut connection at any node of a cluster', async () => {
    await using cluster = await startRedisCluster();
    const clusterNodes = cluster.nodes.map(({ port }) => ({ host: '127.0.0.1', port }));
    const broadcast = await createRedisKillBroadcast({
      clusterNodes,
      namespace: 'test',
      log: silentLogger(),
    });
    onTestFinished(() => broadcast.close());
    const heard = { notices: 0, gaps: 0 };
    broadcast.subscribe({
      onNotice: () => {
        heard.notices += 1;
      },
      onGap: () => {
        heard.gaps += 1;
      },
    });
    const admin = new Cluster(clusterNodes);
    onTestFinished(() => admin.disconnect());
    await waitUntil('the cluster', () => admin.nodes('master').length === 3);
    // Connects to each node before the cut. Otherwise the cut could hit a new subscription at another node.
    await Promise.all(admin.nodes('master').map((node) => node.ping()));
    for (let cuts = 1; cuts <= 3; cuts += 1) {
      await Promise.all(admin.nodes('master').map((node) => node.call('CLIENT', 'KILL', 'TYPE', 'pubsub')));
      await waitUntil('to be told of the gap', () => heard.gaps === 1 + cuts);
    }
    await broadcast.publish({ target: { scope: 'all' }, killed: true, revision: 1 });
    await waitUntil('a notice after it', () => heard.notices === 1);
  });
});
