/**
 * A subscription that comes back however it ended: cut, refused, or silent, as after packets were dropped on the way.
 * Each time it begins on a new connection. The client's own way back subscribes without looking at the answer, so that a
 * refusal ends the process or leaves a connection that hears nothing; in a cluster it does not report the gap.
 */
import type { Logger } from '@mandate/runtime';
import type { Redis } from 'ioredis';
import { connected, reconnectAfterMs } from './connected.ts';
import { ledgerFailure } from './failure.ts';

/** A path that is dropped without a word is noticed as soon. */
const ASK_EVERY_MS = 5_000;

export type Subscription = {
  /** For who knows that its server is no longer the right one. */
  beginAnew(): void;
  close(): void;
};

/**
 * Rejects when it does not stand at once, unless it `mayBeginLater`; from then on it does not give up until it is closed.
 */
export async function staySubscribed(options: {
  channel: string;
  /** A new client that does not connect by itself, neither at first nor again. */
  newClient(): Redis;
  onMessage(text: string): void;
  /** At the start, and each time that it stands again. */
  onStanding(): void;
  log: Logger;
  askEveryMs?: number;
  mayBeginLater?: boolean;
  /** Between two attempts at most. */
  longestWaitMs?: number;
}): Promise<Subscription> {
  const { channel, newClient, onMessage, onStanding, log, longestWaitMs } = options;
  const { askEveryMs = ASK_EVERY_MS, mayBeginLater = false } = options;
  let client: Redis | undefined;
  let waiting: NodeJS.Timeout | undefined;
  let failures = 0;
  let isClosed = false;

  async function begin(): Promise<void> {
    const begun = newClient();
    client = begun;
    const giveUp = () => begun.disconnect();
    const ended = new Promise<void>((resolve) => begun.once('close', () => resolve()));
    begun.on('message', (_channel, text) => onMessage(text));
    try {
      await connected(begun, (err) => log.warn({ err, channel }, 'the connection of a subscription failed'));
      await begun.subscribe(channel);
    } catch (error) {
      giveUp();
      throw error;
    }
    const asking = setInterval(() => {
      begun.ping().catch(() => {
        clearInterval(asking);
        giveUp();
      });
    }, askEveryMs);
    void ended.then(() => {
      clearInterval(asking);
      beginAgain();
    });
    failures = 0;
    onStanding();
  }

  function beginAgain(): void {
    if (isClosed) return;
    waiting = setTimeout(tryToBegin, reconnectAfterMs(failures++, longestWaitMs));
  }

  function tryToBegin(): void {
    begin().catch((error: unknown) => {
      log.warn({ err: ledgerFailure(error), channel }, 'not subscribed');
      beginAgain();
    });
  }

  if (mayBeginLater) tryToBegin();
  else await begin();
  return {
    beginAnew() {
      // For a connection that has ended, the client would wait for its end.
      if (!isClosed) client?.disconnect();
    },
    close() {
      isClosed = true;
      clearTimeout(waiting);
      client?.disconnect();
    },
  };
}
