/**
 * A client of the server that the sentinels call the primary. The sentinels announce a new primary. An old primary
 * that hangs keeps its connections. For some seconds after its return it accepts writes that the new primary never
 * gets. ioredis has its own detection (`failoverDetector`). But it writes to the console if sentinels are down, and
 * ends the process if a sentinel hangs while it subscribes again.
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
/** The options for the servers, and the user for the sentinels. */
export type SentinelAccess = { client: ClientOptions; asking: { username?: string; password?: string } };

const MOVED = '+switch-master';
/** The longest pause between two attempts to reach a sentinel, in milliseconds. */
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
    // The first connection fails if no sentinel can be reached. A client that was ready before tries again without
    // end.
    sentinelRetryStrategy: (times) => (wasReady ? reconnectAfterMs(times) : null),
    retryStrategy: (times) => reconnectAfterMs(times),
    // Reconnects if the server is a replica now. The client does not send the refused command again. Only the caller
    // may do that.
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

/** Returns a client of one sentinel. The client connects only when it is told to. */
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

/** Uses the TLS files of the settings, as for one server. */
function tlsOf({ tls }: SentinelUrl, options: ClientOptions): ConnectionOptions | undefined {
  return options.tls ?? (tls ? {} : undefined);
}

/**
 * Follows the primary until the client ends. After a lost subscription it asks for the primary again, because missed
 * messages are not repeated.
 */
function followPrimary(client: Redis, watched: SentinelUrl, access: SentinelAccess, log: Logger): void {
  const { sentinels, name } = watched;
  let later: string | null = null;
  const lookAgain = (unlessAt: string) => {
    const isConnected = client.status === 'ready' || client.status === 'connect';
    // A disconnect during connecting would end the client for good. So the disconnect waits until the client is
    // ready.
    later = isConnected ? null : unlessAt;
    if (!isConnected || placeOf(client) === unlessAt) return;
    log.warn({ primary: name, now: unlessAt }, 'there may be another primary now: asking the sentinels');
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
      onSubscribed() {
        if (stood++ > 0) lookAgain('');
      },
      log,
      mayBeginLater: true,
      longestWaitMs: LONGEST_WAIT_MS,
    }).then((standing) => client.once('end', () => standing.close()));
  }
}

/** Returns the address of the connected server, in the format of the sentinels. */
function placeOf({ stream }: Redis): string {
  return 'remoteAddress' in stream ? `${stream.remoteAddress} ${stream.remotePort}` : '';
}
