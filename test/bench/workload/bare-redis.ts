/**
 * Rivals that enforce a limit in the same Redis, over one connection: the smallest possible shared budget, and a
 * widely used library.
 */
import { plainRedis } from '@mandate/testing';
import { RateLimiterRedis } from 'rate-limiter-flexible';

/** KEYS[1] is the key of the counter, ARGV[1] the cost in micro-dollars, and ARGV[2] the limit in micro-dollars. */
const CHARGE = `#!lua
local spent = tonumber(redis.call('GET', KEYS[1]) or 0) + ARGV[1]
if spent > tonumber(ARGV[2]) then return 0 end
redis.call('SET', KEYS[1], spent)
return 1
`;

const COST_MICROS = 1_500;
const MOST_MICROS = 2 ** 40;

type Action = { readonly tenant: string; readonly agentId: string };

export type BareRedis = ReturnType<typeof bareRedis>;

export function bareRedis(url: string) {
  const redis = plainRedis(url);
  redis.defineCommand('charge', { numberOfKeys: 1, lua: CHARGE });
  // The library sends a separate command for each limit. Auto-pipelining sends all commands in one write, as the bare
  // scripts do.
  const together = plainRedis(url, { enableAutoPipelining: true });
  const limits = limitersOn(together);
  return {
    redis,
    /** Sends an EVALSHA for each action, all in one write. */
    async compareAndSet(actions: readonly Action[]): Promise<void> {
      const pipeline = redis.pipeline();
      const charge = Reflect.get(pipeline, 'charge') as (...args: (string | number)[]) => void;
      for (const { tenant, agentId } of actions)
        charge.call(pipeline, `bare:{${tenant}}:${agentId}`, COST_MICROS, MOST_MICROS);
      for (const [error, charged] of (await pipeline.exec()) ?? []) {
        if (error !== null || charged !== 1) throw error ?? new Error('a limit was reached');
      }
    },
    /**
     * Consumes from each limit of the bench mandate. The library has one limiter for each limit. Rejects if a limit
     * is reached.
     */
    async consumeAll(actions: readonly Action[]): Promise<void> {
      await Promise.all(actions.flatMap((action) => limits.map((consume) => consume(action))));
    },
    close() {
      redis.disconnect();
      together.disconnect();
    },
  };
}

/** Returns limiters for the three budgets and two rates that mandate.ts sets. */
function limitersOn(storeClient: ReturnType<typeof plainRedis>) {
  const limiter = (keyPrefix: string, points: number, duration: number) =>
    new RateLimiterRedis({ storeClient, keyPrefix, points, duration });
  const team = limiter('team', MOST_MICROS, 86_400);
  const [total, hour] = [limiter('total', MOST_MICROS, 0), limiter('hour', MOST_MICROS, 3_600)];
  const [calls, callsOfTool] = [limiter('calls', 100_000, 60), limiter('tool', 100_000, 60)];
  return [
    ({ tenant }: Action) => team.consume(tenant, COST_MICROS),
    ...[total, hour].map((budget) => (action: Action) => budget.consume(action.agentId, COST_MICROS)),
    ...[calls, callsOfTool].map((rate) => (action: Action) => rate.consume(action.agentId, 1)),
  ];
}
