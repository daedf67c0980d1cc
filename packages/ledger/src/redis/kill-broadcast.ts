/**
 * The broadcast over Redis Pub/Sub, on connections of its own: nothing that the ledger asks waits behind it. Pub/Sub keeps
 * nothing for who is away, so each time that the subscription stands again its listeners are told of the gap.
 */
import type { Logger } from '@mandate/runtime';
import { killTarget } from '@mandate/schemas';
import type { KillBroadcast, KillListener, KillNotice } from '../kill-broadcast.ts';
import { createClient, type RedisAddress } from './connection.ts';
import { ledgerFailure } from './failure.ts';

export async function createRedisKillBroadcast(
  options: RedisAddress & { namespace: string; log: Logger },
): Promise<KillBroadcast> {
  const { namespace, log } = options;
  const channel = `${namespace}:kills`;
  const listeners = new Set<KillListener>();
  const [publisher, subscriber] = [createClient(options, 0), createClient(options, 0)];
  for (const client of [publisher, subscriber]) {
    client.on('error', (error) => log.warn({ err: error }, 'the connection of the kill broadcast failed'));
  }
  subscriber.on('message', (_channel, text) => {
    const notice = noticeIn(text);
    if (notice !== null) for (const { onNotice } of [...listeners]) onNotice(notice);
  });
  const subscribe = async () => {
    await subscriber.subscribe(channel);
    for (const { onGap } of [...listeners]) onGap();
  };
  const close = () => {
    listeners.clear();
    publisher.disconnect();
    subscriber.disconnect();
  };
  try {
    await Promise.all([publisher.connect(), subscriber.connect()]);
    await subscribe();
  } catch (error) {
    close();
    throw ledgerFailure(error);
  }
  subscriber.on('ready', () => {
    // A connection that fails in between comes back, and is subscribed again then.
    subscribe().catch((error: unknown) => log.warn({ err: error }, 'not subscribed to the kill broadcast'));
  });
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

/** null for what is none: anybody who may use this server may publish. */
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
