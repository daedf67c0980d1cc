/**
 * The replicas stop following the Redis primary, and then the primary dies. Sentinel promotes a replica that lacks
 * charges and a kill that are on the log. Meanwhile a decider is paused. The ledger is rebuilt from the log: no
 * budget is exceeded, no agent is revived, each action has one decision, and log, ledger and audit agree. No process
 * is told the new address. The old primary comes back as a replica, and then an operator commands a failover.
 */
import { TOPICS } from '@mandate/schemas';
import {
  describeWithOwnServers,
  plainRedis,
  type RedisServer,
  SEED,
  seededRandom,
  startRedisSentinels,
  waitUntil,
} from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { mandates, outcome, request, requests } from './support/agents-at-work.ts';
import { endsWithTest, PATIENCE_MS } from './support/breakable-servers.ts';
import { allAtWork } from './support/deciders-at-work.ts';
import { appendUntilTaken, expectWithin, followLog, isUsedUp } from './support/follow-log.ts';
import { keepAsking } from './support/keep-asking.ts';
import { expectWhole, wholePlane } from './support/whole-plane.ts';

const LIMITS = { agentMicros: 1_000_000, tenantMicros: 60_000_000 };
/**
 * Three agents. The first is killed before the first failover, the second after it, and the third after the second
 * failover.
 */
const [LACKED, LATER, LAST] = ['agent-7', 'agent-11', 'agent-13'];
const KILLED = [LACKED, LATER, LAST];

describeWithOwnServers(
  ['kafka', 'redis', 'clickhouse'],
  'a failover by Sentinel to a replica that lags behind',
  () => {
    test(`resets no budget and revives no agent, even with a paused decider; nor does a commanded failover (SEED=${SEED})`, {
      timeout: 1_500_000,
    }, async () => {
      const random = seededRandom(SEED);
      const sentinels = await endsWithTest(startRedisSentinels({ appendonly: true }));
      const { primary, replicas } = sentinels;
      const { bus, api, gateway, recorder, startDecider, expectLawsHold } = await wholePlane(
        mandates(LIMITS),
        {
          startLedger: async () => primary,
          settings: { MANDATE_REDIS_URL: sentinels.url },
        },
      );
      const [heldUp, ...others] = await Promise.all([startDecider(), startDecider(), startDecider()]);
      const log = await followLog(bus, (allowed) => outcome(allowed, random, allowed.chargedMicros));
      const decided = () => log.decisions.size;
      const ask = (from: number, count: number) => appendUntilTaken(bus, requests(from, count, random));
      const asking = keepAsking(ask, { decided, ahead: 500, perSecond: 500 });
      const kill = (agentId: string) => api.post(`/v1/agents/${agentId}/kill`, { reason: 'test' });
      const areBack = (epochs: number) =>
        waitUntil(
          'the ledger to be back',
          async () => log.epochs.size > epochs && (await fetch(`${gateway.url}/readyz`)).ok,
          PATIENCE_MS,
        );
      await allAtWork([heldUp, ...others]);

      for (const replica of replicas) replica.pause();
      // Closes the connections of the paused replicas. Otherwise, when the replicas continue, they would still read
      // the data in their sockets.
      const dying = plainRedis(primary.url);
      await dying.call('CLIENT', 'KILL', 'TYPE', 'replica');
      dying.disconnect();
      await allAtWork([heldUp, ...others]);
      await kill(LACKED);
      const epochs = log.epochs.size;
      heldUp.process.kill('SIGSTOP');
      await primary.kill();
      for (const replica of replicas) replica.resume();
      await areBack(epochs);
      const promoted = await sentinels.primaryNow();
      expect(replicas).toContain(promoted);
      await kill(LATER);
      heldUp.process.kill('SIGCONT');
      await primary.restart();
      await allAtWork(others);

      const old = plain(primary);
      await waitUntil(
        'the old primary to follow',
        async () => (await old.role())[3] === 'connected',
        PATIENCE_MS,
      );
      const before = log.epochs.size;
      await sentinels.failOver();
      await areBack(before);
      expect(await sentinels.primaryNow()).not.toBe(promoted);
      await kill(LAST);
      await allAtWork([heldUp, ...others]);

      await waitUntil('the budget of all to be used up', () => isUsedUp(log), PATIENCE_MS);
      await asking.stop();
      const last = KILLED.map((agentId) => request({ id: `last-of-${agentId}`, agentId, tool: 'cheap' }));
      await bus.append(TOPICS.actions, last);
      await expectWhole(log, asking.asked() + last.length);
      for (const agentId of KILLED) {
        expect(log.decisions.get(`last-of-${agentId}`)?.code).toBe('AGENT_KILLED');
        const status = await api.get(`/v1/agents/${agentId}/kill-status`);
        expect(status).toMatchObject({ killed: { scope: 'agent' } });
      }
      expectWithin(LIMITS, log);
      await expectLawsHold();
      const processes = [gateway, recorder, heldUp, ...others].map(({ process }) => process.exitCode);
      expect(processes).toEqual(processes.map(() => null));
    });
  },
);

function plain({ url }: RedisServer) {
  const client = plainRedis(url);
  onTestFinished(() => client.disconnect());
  return client;
}
