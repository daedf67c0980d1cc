import type { KillBroadcast, Ledger } from '@mandate/ledger';
import type { KillTarget } from '@mandate/schemas';
import { expect, onTestFinished, test } from 'vitest';
import type { Kill } from '../types.ts';
import { DistributedKills } from './distributed-kills.ts';

const TARGET: KillTarget = { scope: 'subtree', tenant: 'default', agentId: 'bot' };

type Subscriber = Parameters<KillBroadcast['subscribe']>[0];

/** Follows a ledger without kills. Afterwards the ledger answers with the functions of `later`. */
async function following(later: Partial<Pick<Ledger, 'killed' | 'flag'>>) {
  let current: Partial<Ledger> = { killed: async () => [] };
  const ledger = {
    killed: (tenant: string) => current.killed?.(tenant),
    flag: (target: KillTarget) => current.flag?.(target),
  } as unknown as Ledger;
  let subscriber: Subscriber | undefined;
  const broadcast = {
    subscribe: (one: Subscriber) => {
      subscriber = one;
    },
  } as unknown as KillBroadcast;
  const errors: unknown[] = [];
  const kills = new DistributedKills(
    async () => ledger,
    (error) => errors.push(error),
  );
  onTestFinished(() => kills.stop());
  await kills.follow(ledger, broadcast);
  current = later;
  const heard: Kill[] = [];
  kills.onKill((kill) => heard.push(kill));
  return {
    errors,
    heard,
    serve: (other: typeof later) => {
      current = other;
    },
    told: (reason: string) =>
      expect.poll(() => heard, { timeout: 5_000 }).toMatchObject([{ agentId: 'bot', reason }]),
    gap: () => subscriber?.onGap(),
    notice: () => subscriber?.onNotice({ target: TARGET, killed: true } as never),
  };
}

const away = async () => {
  throw new Error('Redis is away');
};

test('reports a kill during an interruption, even if Redis answers only after the subscription works again', async () => {
  let failures = 3;
  const { errors, told, gap } = await following({
    killed: async () => {
      if (failures-- > 0) return away();
      return [{ target: TARGET, revision: 1, reason: 'runaway' }] as never;
    },
  });
  gap();
  gap();
  await told('runaway');
  expect(errors).toHaveLength(1);
});

test('reports a kill that was revived before its flag could be read', async () => {
  const flag = async () => ({ killed: false, revision: 2 }) as never;
  const { told, notice } = await following({ killed: async () => [], flag });
  notice();
  await told('another process killed it');
});

test('reports a kill whose flag cannot be read', async () => {
  const { told, notice, errors } = await following({ killed: away });
  notice();
  await told('another process killed it');
  await expect.poll(() => errors).toHaveLength(1);
});

test('remembers a bounded number of reported kills, and forgets the oldest', async () => {
  const flags = Array.from({ length: 10_001 }, (_, number) => ({
    target: { ...TARGET, agentId: `agent-${number}` },
    revision: 1,
    reason: 'runaway',
  }));
  const { heard, gap, serve } = await following({ killed: async () => flags as never });
  gap();
  gap();
  await expect.poll(() => heard.length, { timeout: 5_000 }).toBe(10_001);
  heard.length = 0;
  serve({ killed: async () => [flags[10_000], flags[0]] as never });
  gap();
  await expect.poll(() => heard.map(({ agentId }) => agentId)).toEqual(['agent-0']);
});
