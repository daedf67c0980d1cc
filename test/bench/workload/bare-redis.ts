/** The least that a shared budget can be: for each action one get, compare and set, or not even the compare. */
import { plainRedis } from '@mandate/testing';

/** KEYS the counters of the actions, in turn   ARGV[1] micro-dollars each   ARGV[2] the most that a counter may hold */
const CHARGE = `#!lua
local cost, most = tonumber(ARGV[1]), tonumber(ARGV[2])
local charged = {}
for at, key in ipairs(KEYS) do
  local spent = tonumber(redis.call('GET', key) or 0)
  local fits = spent + cost <= most
  if fits then redis.call('SET', key, spent + cost) end
  charged[at] = fits and 1 or 0
end
return charged
`;

const COST_MICROS = 1_500;
const MOST_MICROS = 2 ** 40;

export type BareRedis = ReturnType<typeof bareRedis>;

export function bareRedis(url: string) {
  const redis = plainRedis(url);
  redis.defineCommand('charge', { lua: CHARGE });
  const charge = Reflect.get(redis, 'charge') as (...args: (string | number)[]) => Promise<number[]>;
  return {
    redis,
    /** One script for all of them. */
    async compareAndSet(counters: readonly string[]): Promise<void> {
      const charged = await charge.call(redis, counters.length, ...counters, COST_MICROS, MOST_MICROS);
      if (charged.includes(0)) throw new Error('a limit was reached');
    },
    /** A command for each, all in one write. */
    async increment(counters: readonly string[]): Promise<void> {
      const pipeline = redis.pipeline();
      for (const counter of counters) pipeline.incrby(counter, COST_MICROS);
      await pipeline.exec();
    },
    close: () => redis.disconnect(),
  };
}
