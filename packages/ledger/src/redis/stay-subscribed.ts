/**
 * A subscription that is always restored after it was cut, refused or silent. Each time it begins on a new
 * connection. ioredis can restore a subscription too, but ignores whether the server accepts it. So a refusal ends
 * the process, or leaves a connection that receives nothing. In a cluster ioredis does not report the gap.
 */
import type { Logger } from '@mandate/runtime';
import type { Redis } from 'ioredis';
import { connected, reconnectAfterMs } from './connected.ts';
import { ledgerFailure } from './failure.ts';

/** The interval of pings in milliseconds. A silent connection is noticed after about this time. */
const ASK_EVERY_MS = 5_000;

export type Subscription = {
  /** Begins again on a new connection. For a caller that knows of a new server. */
  reconnect(): void;
  close(): void;
};

/**
 * Subscribes. Rejects if the first attempt fails, unless `mayBeginLater` is set. After that it tries again until it
 * is closed.
 */
export async function staySubscribed(options: {
  channel: string;
  /** Returns a new client that connects only when it is told to. */
  newClient(): Redis;
  onMessage(text: string): void;
  /** Called at the start, and each time the subscription is restored. */
  onSubscribed(): void;
  log: Logger;
  askEveryMs?: number;
  mayBeginLater?: boolean;
  /** The longest pause between two attempts, in milliseconds. */
  longestWaitMs?: number;
}): Promise<Subscription> {
  const { channel, newClient, onMessage, onSubscribed, log, longestWaitMs } = options;
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
    onSubscribed();
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
    reconnect() {
      // Skipped after `close`, because ioredis would wait for the end of a connection that has already ended.
      if (!isClosed) client?.disconnect();
    },
    close() {
      isClosed = true;
      clearTimeout(waiting);
      client?.disconnect();
    },
  };
}
