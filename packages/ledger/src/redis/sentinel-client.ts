/**
 * A client of the server that the sentinels call the primary. The sentinels tell it of a new primary. A primary that
 * hangs, or that only this client can still reach, keeps its connections, and for some seconds after its return takes
 * writes that the new one will never see. The client's own way to learn of a failover (`failoverDetector`) writes to the
 * console if sentinels are down, and ends the process if a sentinel hangs while it subscribes again.
 */
import type { ConnectionOptions } from 'node:tls';
import type { Logger, SentinelUrl } from '@mandate/runtime';
import { type CommonRedisOptions, Redis } from 'ioredis';
import { reconnectAfterMs, SAFE } from './connected.ts';
import { staySubscribed } from './stay-subscribed.ts';

export type ClientOptions = typeof SAFE &
  Pick<CommonRedisOptions, 'connectTimeout' | 'commandTimeout' | 'username' | 'password'> & {
    tls?: ConnectionOptions;
  };
/** How to connect to the servers, and with which user to ask the sentinels. */
export type SentinelAccess = { client: ClientOptions; asking: { username?: string; password?: string } };

const MOVED = '+switch-master';
/** One that stays away is asked for no more often. */
const LONGEST_WAIT_MS = 30_000;

export function createSentinelClient(watched: SentinelUrl, access: SentinelAccess, log: Logger): Redis {
  const { client: options, asking } = access;
  const { sentinels, name, db, username = options.username, password = options.password } = watched;
  const tls = tlsOf(watched, options);
  let wasReady = false;
  const client = new Redis({
    ...options,
    db,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    name,
    sentinels: [...sentinels],
    ...(asking.username !== undefined && { sentinelUsername: asking.username }),
    ...(asking.password !== undefined && { sentinelPassword: asking.password }),
    sentinelCommandTimeout: options.commandTimeout,
    ...(tls !== undefined && { tls, enableTLSForSentinelMode: true, sentinelTLS: tls }),
    // The first connection fails if no sentinel can be reached; a client that was ready before does not give up.
    sentinelRetryStrategy: (times) => (wasReady ? reconnectAfterMs(times) : null),
    retryStrategy: (times) => reconnectAfterMs(times),
    // It is a replica now. What it refused is sent again by the caller alone.
    reconnectOnError: ({ message }) => message.startsWith('READONLY'),
    lazyConnect: true,
  });
  client.once('ready', () => {
    wasReady = true;
    followPrimary(client, watched, access, log);
  });
  return client;
}

type SentinelAt = SentinelUrl['sentinels'][number];

/** One that does not connect by itself, neither at first nor again. */
export function newSentinelClient(
  { host, port }: SentinelAt,
  watched: SentinelUrl,
  { client: options, asking: { username, password } }: SentinelAccess,
): Redis {
  const { connectTimeout, commandTimeout } = options;
  const tls = tlsOf(watched, options);
  return new Redis({
    ...SAFE,
    host,
    port,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(tls !== undefined && { tls }),
    connectTimeout,
    commandTimeout,
    enableReadyCheck: false,
    retryStrategy: () => null,
    lazyConnect: true,
  });
}

/** As with one server: files that are named are there to be used. */
function tlsOf({ tls }: SentinelUrl, options: ClientOptions): ConnectionOptions | undefined {
  return options.tls ?? (tls ? {} : undefined);
}

/** Until the client ends. After a gap it asks again for the primary, because missed messages are not repeated. */
function followPrimary(client: Redis, watched: SentinelUrl, access: SentinelAccess, log: Logger): void {
  const { sentinels, name } = watched;
  let later: string | null = null;
  const lookAgain = (unlessAt: string) => {
    const isConnected = client.status === 'ready' || client.status === 'connect';
    // While it looks for its way, to be cut would end it for good.
    later = isConnected ? null : unlessAt;
    if (!isConnected || placeOf(client) === unlessAt) return;
    log.warn({ primary: name, now: unlessAt }, 'the primary may be another now: the sentinels are asked');
    client.disconnect(true);
  };
  client.on('ready', () => {
    if (later !== null) lookAgain(later);
  });
  for (const at of sentinels) {
    let stood = 0;
    void staySubscribed({
      channel: MOVED,
      newClient: () => newSentinelClient(at, watched, access),
      onMessage(text) {
        const [ofWhat, , , host, port] = text.split(' ');
        if (ofWhat === name) lookAgain(`${host} ${port}`);
      },
      onStanding() {
        if (stood++ > 0) lookAgain('');
      },
      log,
      mayBeginLater: true,
      longestWaitMs: LONGEST_WAIT_MS,
    }).then((standing) => client.once('end', () => standing.close()));
  }
}

/** As the sentinels tell of a place. */
function placeOf({ stream }: Redis): string {
  return 'remoteAddress' in stream ? `${stream.remoteAddress} ${stream.remotePort}` : '';
}
