/**
 * The spend and the number of allowed calls of each agent, in Redis: a hash for each agent. Only reports use these
 * numbers. Limits use the counters of the ledger.
 */
import type { connectRedis } from '@mandate/ledger/connect-redis';
import { type ActionType, DEFAULTS } from '@mandate/schemas';
import type { Cost } from '../types.ts';

type Change = { calls: number; micros: number; type: ActionType };

export type Tallies = {
  add(agentId: string, change: Change): Promise<void>;
  of(agentId: string): Promise<{ cost: Cost; calls: number }>;
  /** The time of Redis, in epoch milliseconds. */
  timeMs(): Promise<number>;
  /** Resolves when everything is counted. */
  counted(): Promise<void>;
};

export type RedisClient = Awaited<ReturnType<typeof connectRedis>>;

export function talliesIn(client: RedisClient, namespace: string): Tallies {
  const keyOf = (agentId: string) => `${namespace}:{${DEFAULTS.tenant}}:tally:${agentId}`;
  const counting = new Set<Promise<unknown>>();
  return {
    async add(agentId, { calls, micros, type }) {
      const field = type === 'llm_call' ? 'llmMicros' : 'toolMicros';
      const key = keyOf(agentId);
      const work = client.multi().hincrby(key, 'calls', calls).hincrby(key, field, micros).exec();
      counting.add(work);
      await work.finally(() => counting.delete(work));
    },
    async of(agentId) {
      const [calls, llm, tool] = await client.hmget(keyOf(agentId), 'calls', 'llmMicros', 'toolMicros');
      const [llmMicros, toolMicros] = [Number(llm ?? 0), Number(tool ?? 0)];
      return {
        calls: Number(calls ?? 0),
        cost: { totalMicros: llmMicros + toolMicros, llmMicros, toolMicros },
      };
    },
    async timeMs() {
      const [seconds, micros] = await client.time();
      return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
    },
    async counted() {
      await Promise.allSettled([...counting]);
    },
  };
}
