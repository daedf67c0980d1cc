/**
 * Redis hangs, and the broker dies, while actions flow. Without the ledger nothing is allowed, and what waits too long ends
 * as DEADLINE_EXCEEDED; what the log has acknowledged is decided, however often its broker is killed.
 */
import { TOPICS } from '@mandate/schemas';
import {
  describeWithOwnServers,
  seededRandom,
  startClickHouse,
  startRedis,
  waitUntil,
} from '@mandate/testing';
import { expect, test } from 'vitest';
import { serverPlane } from '../e2e/distributed/server-plane.ts';
import { mandates, outcome, request, requests } from './agents-at-work.ts';
import {
  endsWithTest,
  expectLawsHold,
  openTestLog,
  SHORT_SESSION,
  startBreakable,
} from './breakable-servers.ts';
import { appendUntilTaken, followLog, postUntilTaken } from './follow-log.ts';

const PATIENCE_MS = 120_000;
const [AGENTS, CALLS, CENT] = [20, 200, 10_000];
const CENT_A_CALL =
  'version: 1\nid: all\nagents: ["*"]\nmaxCostTotal: 100\ntoolPolicies: { look: { cost: 0.01 } }\n';

type Balances = { balances: readonly { budget: { subject: string }; spentMicros: number }[] };

describeWithOwnServers(['kafka', 'redis'], 'a Redis that hangs', () => {
  test('stops every decision; what is late by then says so, and the rest is allowed as soon as it answers', async () => {
    const servers = await startBreakable(() => startRedis({ appendonly: true }));
    const plane = serverPlane(servers, CENT_A_CALL);
    const bus = await openTestLog(servers);
    const settings = { MANDATE_REDIS_COMMAND_TIMEOUT_MS: '500' };
    const [gateway, ...deciders] = await Promise.all([
      plane.start('gateway', settings),
      plane.start('decider', settings),
      plane.start('decider', settings),
    ]);
    const api = plane.api(gateway.url, await plane.issueKey('default'));
    const log = await followLog(bus);
    const ask = (name: string, deadlineMs: number) =>
      bus.append(
        TOPICS.actions,
        Array.from({ length: CALLS }, (_, at) =>
          request({ id: `${name}-${at}`, agentId: `agent-${at % AGENTS}`, tool: 'look', deadlineMs }),
        ),
      );
    const codesOf = (name: string) => {
      const answers = Array.from({ length: CALLS }, (_, at) => log.decisions.get(`${name}-${at}`)?.code);
      return [...new Set(answers)];
    };
    await ask('before', 3_600_000);
    await waitUntil('the first decisions', () => log.decisions.size === CALLS, PATIENCE_MS);
    // Each try of the first rebuild has one of its own, and on a busy machine one may be cut short.
    const epochs = log.epochs.size;

    servers.redis.pause();
    const late = await ask('late', 1_000);
    await ask('patient', 3_600_000);
    await waitUntil(
      'every decider to wait, and the late to be late',
      async () => {
        const waits = await Promise.all(deciders.map(waitsOf));
        return waits.every((count) => count > 0) && Date.now() > (late.at(-1)?.appendedAtMs ?? 0) + 1_000;
      },
      PATIENCE_MS,
    );
    const killing = api.post('/v1/agents/agent-0/kill', {});
    await expect(killing).rejects.toMatchObject({ status: 503, code: 'LEDGER_UNAVAILABLE' });
    await log.caughtUp();
    expect(log.decisions.size).toBe(CALLS);

    servers.redis.resume();
    await waitUntil('everything to be decided', () => log.decisions.size === 3 * CALLS, PATIENCE_MS);
    expect([codesOf('before'), codesOf('late')]).toEqual([['ALLOWED'], ['DEADLINE_EXCEEDED']]);
    // Whether a kill that was answered 503 took place is open: the same again says so.
    expect(codesOf('patient')).toContain('ALLOWED');
    expect(log.epochs.size).toBe(epochs);
    expect(log.contradictions).toEqual([]);

    const charged = new Map<string, number>();
    for (const { agentId, chargedMicros } of log.decisions.values()) {
      charged.set(agentId, (charged.get(agentId) ?? 0) + chargedMicros);
    }
    const { balances } = await api.get<Balances>('/v1/ledger/balances');
    expect(new Map(balances.map(({ budget, spentMicros }) => [budget.subject, spentMicros]))).toEqual(
      charged,
    );
    expect([...charged.values()].reduce((sum, micros) => sum + micros, 0)).toBe(log.allowed.length * CENT);
  });
});

const BATCH = 50;
const BATCHES = 60;
const BROKER_KILLS = 2;

describeWithOwnServers(['kafka', 'redis', 'clickhouse'], 'a broker that is killed', () => {
  test('under the whole flow loses nothing that was acknowledged', async () => {
    const random = seededRandom(20_261_121);
    const servers = {
      ...(await startBreakable(() => startRedis({ appendonly: true }))),
      clickhouse: await endsWithTest(startClickHouse()),
    };
    const plane = serverPlane(servers, mandates({ agentMicros: 2_400_000, tenantMicros: 200_000_000 }));
    const bus = await openTestLog(servers);
    const [gateway, query, ...deciders] = await Promise.all([
      plane.start('gateway'),
      plane.start('query'),
      plane.start('decider', SHORT_SESSION),
      plane.start('decider', SHORT_SESSION),
      plane.start('recorder'),
    ]);
    const key = await plane.issueKey('default');
    const api = plane.api(gateway.url, key);
    const seen = await followLog(bus, (allowed) => outcome(allowed, random, allowed.chargedMicros));

    const acknowledged: string[] = [];
    const publishing = (async () => {
      for (let from = 0; from < BATCHES * BATCH; from += BATCH) {
        const batch = requests(from, BATCH, random);
        const actions = batch.map(({ value }) => JSON.parse(String(value)).action);
        // Every other batch by HTTP; what is refused is sent again, under the same ids.
        if (from % (2 * BATCH) === 0) await appendUntilTaken(bus, batch);
        else await postUntilTaken(api, actions);
        acknowledged.push(...actions.map(({ id }) => id));
      }
    })();
    for (let kill = 1; kill <= BROKER_KILLS; kill++) {
      const share = (kill / (BROKER_KILLS + 1)) * BATCHES * BATCH;
      await waitUntil('some to be acknowledged', () => acknowledged.length >= share, PATIENCE_MS);
      await servers.kafka.nodes[0]?.kill();
      await servers.kafka.nodes[0]?.restart();
    }
    await publishing;
    await waitUntil(
      'a decision for all that was acknowledged',
      () => acknowledged.every((id) => seen.decisions.has(id)),
      PATIENCE_MS,
    );
    await waitUntil('an end for every outcome', () => seen.settled.size === seen.outcomes(), PATIENCE_MS);

    expect(acknowledged).toHaveLength(BATCHES * BATCH);
    expect(seen.decisions.size).toBe(acknowledged.length);
    expect(seen.contradictions).toEqual([]);
    expect(seen.deadLetters()).toBe(0);
    expect(seen.lostOutcomes()).toEqual([]);
    expect(deciders.map(({ process }) => process.exitCode)).toEqual([null, null, null]);
    await expectLawsHold(bus, api, plane.api(query.url, key));
  });
});

/** How often its partitions waited for the ledger. */
async function waitsOf({ url }: { url: string }): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const [, count] =
    /^mandate_decider_waits_total\{[^}]*code="LEDGER_UNAVAILABLE"[^}]*\} (\d+)$/m.exec(text) ?? [];
  return Number(count ?? 0);
}
