/**
 * Redis loses the ledger during a run: first by a restart without its append-only file, then by FLUSHALL. Each time,
 * a decider with unpublished decisions is paused until the other deciders have rebuilt the ledger and decided
 * everything. Its late decisions are void. The valid decisions must exceed no budget. Each action must have one
 * decision, and log, ledger and audit must agree.
 */
import { TOPICS } from '@mandate/schemas';
import { describeWithOwnServers, emptyRedis, seededRandom, startRedis, waitUntil } from '@mandate/testing';
import { expect, test } from 'vitest';
import { mandates, outcome, requests } from './support/agents-at-work.ts';
import { PATIENCE_MS } from './support/breakable-servers.ts';
import { heldAtLast, PUBLISH, proxyToBroker } from './support/fault-proxies.ts';
import { expectWithin, followLog } from './support/follow-log.ts';
import { expectWhole, SMALL_BATCHES, wholePlane } from './support/whole-plane.ts';

/** The least number of actions before each loss, and after the last loss. */
const SHARE = 3_000;
/** The limits. The tenant's budget is used up after a loss and before the end. */
const LIMITS = { agentMicros: 1_400_000, tenantMicros: 80_000_000 };
const KILLED = 'agent-7';

describeWithOwnServers(['kafka', 'redis', 'clickhouse'], 'a Redis that forgets', () => {
  test('resets no budget and revives no agent, although a decider is paused meanwhile', {
    timeout: 1_800_000,
  }, async () => {
    const random = seededRandom(20_261_121);
    const broker = proxyToBroker(PUBLISH);
    const { servers, bus, api, gateway, startDecider, expectLawsHold } = await wholePlane(mandates(LIMITS), {
      startLedger: () => startRedis(),
      kafka: { via: broker.via },
      settings: { MANDATE_REDIS_REQUIRE_APPEND_ONLY: 'false' },
      deciders: SMALL_BATCHES,
    });
    const proxy = broker.proxy();
    const [heldUp, ...others] = await Promise.all([
      startDecider({ MANDATE_KAFKA_BROKERS: servers.kafka.through.join(',') }),
      startDecider(),
      startDecider(),
    ]);
    const isReady = async () => (await fetch(`${gateway.url}/readyz`)).ok;
    await waitUntil('the ledger', isReady, PATIENCE_MS);
    await api.post(`/v1/agents/${KILLED}/kill`, { reason: 'test' });
    const seen = await followLog(bus, (allowed) => outcome(allowed, random, allowed.chargedMicros));
    let asked = 0;
    const ask = async () => {
      await bus.append(TOPICS.actions, requests(asked, SHARE, random));
      asked += SHARE;
    };

    for (const lose of [() => servers.redis.restart(), () => emptyRedis(servers.redis.url)]) {
      // The others may decide everything before the paused decider is back in the group, so more actions are sent.
      const askMore = async () => seen.decisions.size === asked && ask();
      const late = await heldAtLast(proxy.hold('request'), askMore);
      const epochs = seen.epochs.size;
      heldUp.process.kill('SIGSTOP');
      await lose();
      await waitUntil(
        'the ledger to be back',
        async () => seen.epochs.size > epochs && (await isReady()),
        PATIENCE_MS,
      );
      await waitUntil('the others to decide it', () => seen.decisions.size === asked, PATIENCE_MS);
      await seen.caughtUp();
      const voids = seen.voids();
      late.forward();
      await waitUntil('what it had to say to arrive, void', () => seen.voids() > voids, PATIENCE_MS);
      heldUp.process.kill('SIGCONT');
    }
    await ask();
    await waitUntil('a decision for every action', () => seen.decisions.size === asked, PATIENCE_MS);
    await waitUntil('an end for every outcome', () => seen.settled.size === seen.outcomes(), PATIENCE_MS);
    await Promise.all([heldUp, ...others].map((decider) => decider.kill('SIGTERM')));
    await expectWhole(seen, asked);

    // On a busy machine, a rebuild may be interrupted and tried again. Each try begins a new epoch.
    expect(seen.epochs.size).toBeGreaterThanOrEqual(3);
    expect(seen.allowed.filter(({ agentId }) => agentId === KILLED)).toEqual([]);
    expect(await api.get(`/v1/agents/${KILLED}/kill-status`)).toMatchObject({ killed: { scope: 'agent' } });
    expectWithin(LIMITS, seen);
    await expectLawsHold();
  });
});
