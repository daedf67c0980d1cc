/**
 * The kill broadcast over Redis Pub/Sub. It has its own connections, so that the ledger's commands never wait for the
 * broadcast. Pub/Sub stores nothing for an absent listener. So after each reconnect the listeners get `onGap`.
 */
import type { Logger } from '@mandate/runtime';
import { killTarget } from '@mandate/schemas';
import { Cluster, type Redis } from 'ioredis';
import type { KillBroadcast, KillListener, KillNotice } from '../kill-broadcast.ts';
import { createClient, type RedisAddress, reach } from './connection.ts';
import { ledgerFailure, unavailable } from './failure.ts';
import { type Subscription, staySubscribed } from './stay-subscribed.ts';

export async function createRedisKillBroadcast(
  options: RedisAddress & { namespace: string; log: Logger },
): Promise<KillBroadcast> {
  const { namespace, log } = options;
  const channel = `${namespace}:kills`;
  const listeners = new Set<KillListener>();
  const publisher = createClient(options, 0, log);
  let subscription: Subscription | undefined;
  const close = () => {
    listeners.clear();
    publisher.disconnect();
    subscription?.close();
  };
  // Sentinel has named another primary. The subscription must connect to it, because the old server sends no more
  // notices.
  publisher.on('close', () => subscription?.reconnect());
  try {
    await reach(publisher, options, (err) =>
      log.warn({ err }, 'the connection of the kill broadcast failed'),
    );
    subscription = await staySubscribed({
      channel,
      newClient: () => newClientLike(publisher),
      onMessage(text) {
        const notice = noticeIn(text);
        if (notice !== null) for (const { onNotice } of [...listeners]) onNotice(notice);
      },
      onSubscribed() {
        for (const { onGap } of [...listeners]) onGap();
      },
      log,
    });
  } catch (error) {
    close();
    throw ledgerFailure(error);
  }
  return {
    async publish(notice) {
      await publisher.publish(channel, JSON.stringify(notice)).catch((error: unknown) => {
        throw ledgerFailure(error);
      });
    },
    subscribe(listener) {
      listeners.add(listener);
      listener.onGap();
      return () => void listeners.delete(listener);
    },
    close,
  };
}

/** Connects to the same server. In a cluster connects to any node, because every node forwards every notice. */
function newClientLike(publisher: Redis | Cluster): Redis {
  const nodes = publisher instanceof Cluster ? publisher.nodes() : [publisher];
  const node = nodes[Math.floor(Math.random() * nodes.length)];
  if (node === undefined) throw unavailable('No node of the cluster is known.');
  return node.duplicate({ lazyConnect: true, retryStrategy: () => null, sentinelRetryStrategy: () => null });
}

/** Returns null if the text is not a notice. Any user of this server may publish. */
function noticeIn(text: string): KillNotice | null {
  try {
    const { target, killed, revision } = JSON.parse(text) as Partial<KillNotice>;
    const named = killTarget.safeParse(target);
    if (!named.success || typeof killed !== 'boolean' || !Number.isSafeInteger(revision)) return null;
    return { target: named.data, killed, revision: Number(revision) };
  } catch {
    return null;
  }
}
