/**
 * A primary dies whose replica had stopped following it for a while, and the replica takes its place, with a decider held
 * up until the others work on it. What the replica lacks (charges, a kill) is on the log, from which the ledger is rebuilt:
 * no budget is exceeded, nobody is revived, each action has one decision, and log, ledger and audit agree.
 */
import { TOPICS } from '@mandate/schemas';
import {
  describeWithOwnServers,
  plainRedis,
  SEED,
  seededRandom,
  startRedisPair,
  waitUntil,
} from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { mandates, outcome, request } from './agents-at-work.ts';
import { endsWithTest, PATIENCE_MS } from './breakable-servers.ts';
import { allAtWork } from './deciders-at-work.ts';
import { expectWithin, followLog, isUsedUp } from './follow-log.ts';
import { keepAsking } from './keep-asking.ts';
import { turnedWay } from './turned-way.ts';
import { expectWhole, wholePlane } from './whole-plane.ts';

const LIMITS = { agentMicros: 1_000_000, tenantMicros: 60_000_000 };
const KILLED = 'agent-7';

describeWithOwnServers(['kafka', 'redis', 'clickhouse'], 'a failover to a replica that is behind', () => {
  test(`resets no budget and revives nobody, though a decider sleeps through it (SEED=${SEED})`, async () => {
    const random = seededRandom(SEED);
    const { primary, replica } = await endsWithTest(startRedisPair({ appendonly: true }));
    const way = await turnedWay(primary.port);
    onTestFinished(() => way[Symbol.dispose]());
    const { bus, api, gateway, startDecider, expectLawsHold } = await wholePlane(mandates(LIMITS), {
      startLedger: async () => primary,
      settings: { MANDATE_REDIS_URL: `redis://127.0.0.1:${way.port}` },
    });
    const [heldUp, ...others] = await Promise.all([startDecider(), startDecider(), startDecider()]);
    const log = await followLog(bus, (allowed) => outcome(allowed, random, allowed.chargedMicros));
    const decided = () => log.decisions.size;
    const asking = keepAsking(bus, random, { decided, ahead: 500, perSecond: 500 });
    await allAtWork([heldUp, ...others]);

    replica.pause();
    // Else what its socket holds would reach it when it goes on.
    const dying = plainRedis(primary.url);
    await dying.call('CLIENT', 'KILL', 'TYPE', 'replica');
    dying.disconnect();
    await allAtWork([heldUp, ...others]);
    await api.post(`/v1/agents/${KILLED}/kill`, { reason: 'test' });
    const epochs = log.epochs.size;
    heldUp.process.kill('SIGSTOP');
    await primary.kill();
    replica.resume();
    const promoted = plainRedis(replica.url);
    onTestFinished(() => promoted.disconnect());
    await promoted.replicaof('NO', 'ONE');
    expect(await promoted.exists('mandate:{default}:meta', 'mandate:{default}:flags')).toBe(1);
    way.turn(replica.port);
    await waitUntil(
      'the ledger to be back',
      async () => log.epochs.size > epochs && (await fetch(`${gateway.url}/readyz`)).ok,
      PATIENCE_MS,
    );
    heldUp.process.kill('SIGCONT');
    await allAtWork(others);

    await waitUntil('the budget of all to be used up', () => isUsedUp(log), PATIENCE_MS);
    await asking.stop();
    const last = request({ id: 'act-of-the-killed', agentId: KILLED, tool: 'cheap' });
    await bus.append(TOPICS.actions, [last]);
    await expectWhole(log, asking.asked() + 1);
    expect(log.decisions.get('act-of-the-killed')?.code).toBe('AGENT_KILLED');
    expect(await api.get(`/v1/agents/${KILLED}/kill-status`)).toMatchObject({ killed: { scope: 'agent' } });
    expectWithin(LIMITS, log);
    await expectLawsHold();
  });
});
