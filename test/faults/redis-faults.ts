/** What goes wrong with a Redis, each as something to do to one that deciders work on; it is over when it resolves. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type BreakableWay, IS_LONG, plainRedis, type RedisServer } from '@mandate/testing';

/** How long it is away: the length of the fault itself, and no wait for anything. */
const AWAY_MS = IS_LONG ? 60_000 : 3_000;
const REPLIES = 5;
const FLUSHES = 20;

export type TroubledRedis = {
  readonly server: RedisServer;
  /** Over which every service speaks to it. */
  readonly way: BreakableWay;
  /** Resolves once no decider can go on without it. */
  readonly missed: () => Promise<void>;
};

export const REDIS_FAULTS: Readonly<Record<string, (redis: TroubledRedis) => Promise<void>>> = {
  /** Requests arrive and are carried out: steps, since nothing else names actions. */
  async 'answers lost'({ way }) {
    for (let lost = 0; lost < REPLIES; lost += 1) await way.loseAnswer('act-');
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
