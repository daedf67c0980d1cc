/** Creates test ledgers in their own namespace that can lose parts, and states that a log restores. */
import { manualClock } from '@mandate/runtime';
import type { KillTarget, StepRequest } from '@mandate/schemas';
import { expect, onTestFinished } from 'vitest';
import { AGENT, TENANT } from '../contract/builders.ts';
import { createMemoryLedger } from '../memory/memory-ledger.ts';
import { createState, type LedgerState } from '../memory/state.ts';
import { freshNamespace, rebuildFrom, START_MS } from './fresh-ledger.fixture.ts';
import type { ownRedis } from './own-redis.fixture.ts';
import { createRedisLedger, type RedisLedger } from './redis-ledger.ts';

export const REPLAY_MS = 86_400_000;
export const ONE: KillTarget = { scope: 'agent', tenant: TENANT, agentId: AGENT };
export const ALL: KillTarget = { scope: 'all' };
export const order = (id: string, reason = 'stop') => ({ id, by: 'op', reason });

export const unready = (why: RegExp) =>
  expect.objectContaining({
    code: 'LEDGER_UNAVAILABLE',
    retryable: true,
    message: expect.stringMatching(why),
  });

export function sceneOn(own: ReturnType<typeof ownRedis>) {
  const namespace = freshNamespace();
  const clock = manualClock(START_MS);
  const connect = async (ownClock = clock): Promise<RedisLedger> => {
    const ledger = await createRedisLedger({ url: own.server.url, namespace, clock: ownClock });
    onTestFinished(() => ledger.close());
    return ledger;
  };
  const ready = async (): Promise<RedisLedger> => {
    const ledger = await connect();
    await rebuildFrom(ledger, createState(REPLAY_MS), 'epoch-1');
    return ledger;
  };
  const keys = () => own.redis.keys(`${namespace}:*`);
  const lose = async (pattern: string) => {
    const lost = (await keys()).filter((key) => key.includes(pattern));
    expect(lost.length).toBeGreaterThan(0);
    await own.redis.del(lost);
  };
  return { namespace, clock, connect, ready, keys, lose };
}

/** Returns the state of a fold, in which everything is published. */
export async function stateOfLog(requests: readonly StepRequest[]): Promise<LedgerState> {
  const state = createState(REPLAY_MS);
  const memory = createMemoryLedger({ clock: () => START_MS, epoch: 'epoch-1', state });
  await memory.step(requests);
  await memory.confirm('epoch-1', requests);
  return state;
}
