import type { KillBroadcast, Ledger } from '@mandate/ledger';
import type { KillTarget } from '@mandate/schemas';
import { expect, onTestFinished, test } from 'vitest';
import { DistributedKills } from './distributed-kills.ts';

const TARGET: KillTarget = { scope: 'subtree', tenant: 'default', agentId: 'bot' };

test('reports a kill from an interruption, although Redis answers later than the subscription returns', async () => {
  let failures = 3;
  const killed = async () => {
    if (isFollowing && failures-- > 0) throw new Error('Redis is away');
    return isFollowing ? [{ target: TARGET, revision: 1, reason: 'runaway' }] : [];
  };
  let isFollowing = false;
  let onGap = () => {};
  const ledger = { killed } as unknown as Ledger;
  const broadcast = {
    subscribe: (listener: { onGap: () => void }) => {
      onGap = listener.onGap;
    },
  } as unknown as KillBroadcast;
  const errors: unknown[] = [];
  const kills = new DistributedKills(
    async () => ledger,
    (error) => errors.push(error),
  );
  onTestFinished(() => kills.stop());
  await kills.follow(ledger, broadcast);
  isFollowing = true;
  const told = new Promise((resolve) => kills.onKill(resolve));
  onGap();
  onGap();
  expect(await told).toMatchObject({ agentId: 'bot', reason: 'runaway' });
  expect(errors).toHaveLength(1);
});
