/** Faults of a Redis that deciders use. Each function resolves when its fault is over. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type FaultProxy, IS_LONG, plainRedis, type RedisServer } from '@mandate/testing';

/** For how long Redis is away, in ms. The test must wait for this time, because the time is the fault itself. */
const AWAY_MS = IS_LONG ? 60_000 : 3_000;
const REPLIES = 5;
const FLUSHES = 20;

export type TroubledRedis = {
  readonly server: RedisServer;
  /** The proxy that every service uses. */
  readonly proxy: FaultProxy;
  /** Resolves when every decider waits for Redis. */
  readonly missed: () => Promise<void>;
};

export const REDIS_FAULTS: Readonly<Record<string, (redis: TroubledRedis) => Promise<void>>> = {
  /** Only calls of the step script name actions. So the lost answers are answers of steps that were executed. */
  async 'answers lost'({ proxy }) {
    for (let lost = 0; lost < REPLIES; lost += 1) await proxy.loseAnswer('act-');
  },

  async 'scripts forgotten, batch after batch'({ server }) {
    await withClient(server, async (redis) => {
      for (let flushed = 0; flushed < FLUSHES; flushed += 1) {
        await redis.script('FLUSH');
        await sleep(20);
      }
    });
  },

  async restarted({ server }) {
    await server.restart();
  },

  async full({ server, missed }) {
    await withClient(server, async (redis) => {
      await redis.config('SET', 'maxmemory', '1');
      await missed();
      await redis.config('SET', 'maxmemory', '0');
    });
  },

  async away({ server, missed }) {
    server.pause();
    await Promise.all([missed(), sleep(AWAY_MS)]);
    server.resume();
  },
};

async function withClient(
  { url }: RedisServer,
  use: (redis: ReturnType<typeof plainRedis>) => Promise<void>,
): Promise<void> {
  const redis = plainRedis(url);
  try {
    await use(redis);
  } finally {
    redis.disconnect();
  }
}
