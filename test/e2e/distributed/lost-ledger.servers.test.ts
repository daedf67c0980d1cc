/**
 * Empties Redis during a run. One of two deciders is paused before Redis is emptied, and goes on after the ledger is
 * rebuilt, so its late decisions are void. The valid decisions must exceed no budget, and every request must have
 * one. Killed agents must stay killed. If the log has a snapshot, a rebuild must read only the records after the
 * snapshot.
 */
import { randomUUID } from 'node:crypto';
import type { LogRecord } from '@mandate/bus';
import { createKafkaBus } from '@mandate/bus/kafka';
import { createMemoryLedger } from '@mandate/ledger';
import { foldLog } from '@mandate/ledger-log';
import { silentLogger, systemClock } from '@mandate/runtime';
import { agentKey, type Decision, readDecisionsRecord, settingsOfTopic, TOPICS } from '@mandate/schemas';
import { describeWithOwnServers, emptyRedis, IS_SHORT, plainProducer, waitUntil } from '@mandate/testing';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { runMandate } from '../cli/run-mandate.ts';
import {
  decisionsBy,
  environmentOf,
  type Servers,
  serverPlane,
  startServers,
} from './support/server-plane.ts';

const MANDATES = `
version: 1
id: thrifty
agents: ["*"]
maxCostTotal: 0.50
toolPolicies: { lookup: { cost: 0.01 } }
`;

const TENANT = 'acme';
const KILLED = 'killed';
const AGENTS = [KILLED, ...Array.from({ length: 16 }, (_, at) => `agent-${at}`)];
/** Together more calls than the mandate allows. Most of the calls come before Redis is emptied. */
const [FIRST_CALLS, LATER_CALLS] = [60, 10];
/**
 * The shortest session timeout that a broker accepts. The partitions of the paused decider soon move to the other
 * decider.
 */
const DECIDER = { BATCH_RECORDS: '10', SESSION_TIMEOUT_MS: '6000' };
const PATIENCE_MS = 120_000;
const PARTITIONS = settingsOfTopic(TOPICS.decisions).partitions;

type KillStatus = { killed: object | null };
type Balances = { balances: readonly { budget: { subject: string }; spentMicros: number }[] };

describeWithOwnServers(
  ['kafka', 'redis', 'clickhouse'],
  'a Redis that is emptied while two deciders work:',
  () => {
    let servers: Servers;
    beforeAll(async () => {
      servers = await startServers();
    });
    afterAll(() => servers?.[Symbol.asyncDispose]());

    test('no budget is exceeded, every call has a decision, and a killed agent stays killed', async () => {
      const plane = serverPlane(servers, MANDATES);
      const [gateway, decider, heldUp] = await Promise.all([
        plane.start('gateway'),
        plane.start('decider', DECIDER),
        plane.start('decider', DECIDER),
      ]);
      const api = plane.api(gateway.url, await plane.issueKey(TENANT));
      const isReady = async () => (await fetch(`${gateway.url}/readyz`)).ok;
      await waitUntil('the ledger', isReady);
      await api.post(`/v1/agents/${KILLED}/kill`, { reason: 'test' });
      const log = await followLog(servers.kafka.brokers);
      const producer = await plainProducer(servers.kafka.brokers);
      let published = 0;
      const publish = async (calls: number) => {
        const messages = AGENTS.flatMap((agent) => callsOf(agent, calls));
        await producer.send({ topic: TOPICS.actions, messages });
        published += messages.length;
      };

      await publish(FIRST_CALLS);
      await waitUntil('both to have decided something', async () => {
        const [one = 0, other = 0] = await Promise.all([decider, heldUp].map(decisionsBy));
        // A decider that joined the group late may find nothing to decide, so more actions are published.
        if (one + other >= published) await publish(1);
        return one > 0 && other > 0;
      });
      heldUp.process.kill('SIGSTOP');
      const emptiedAtMs = await emptyRedis(servers.redis.url);
      await waitUntil(
        'the ledger to be rebuilt',
        async () => log.epochs().size > 1 && (await isReady()),
        PATIENCE_MS,
      );
      heldUp.process.kill('SIGCONT');
      await publish(LATER_CALLS);

      const decisions = await waitUntil(
        'a valid decision on every call',
        () => {
          const valid = log.valid();
          return new Set(valid.map(({ actionId }) => actionId)).size === published && valid;
        },
        PATIENCE_MS,
      );
      // On a busy machine, a rebuild may be interrupted and tried again. Each try begins a new epoch.
      expect(log.epochs().size).toBeGreaterThanOrEqual(2);
      const [lostEpoch] = log.epochs();
      const decidedLate = log.all().filter(({ ledgerEpoch, decidedAt }) => {
        return ledgerEpoch === lostEpoch && Date.parse(decidedAt) > emptiedAtMs;
      });
      expect(decidedLate).toEqual([]);

      const allowed = Map.groupBy(
        decisions.filter(({ verdict }) => verdict === 'ALLOW'),
        ({ agentId }) => agentId,
      );
      const found = AGENTS.map((agent) => {
        const each = allowed.get(agent) ?? [];
        const actions = new Set(each.map(({ actionId }) => actionId)).size;
        return { agent, allowed: actions, ids: new Set(each.map(({ id }) => id)).size };
      });
      expect(found).toEqual(
        AGENTS.map((agent) =>
          agent === KILLED ? { agent, allowed: 0, ids: 0 } : { agent, allowed: 50, ids: 50 },
        ),
      );

      const { killed } = await api.get<KillStatus>(`/v1/agents/${KILLED}/kill-status`);
      expect(killed).not.toBe(null);
      const { balances } = await api.get<Balances>('/v1/ledger/balances');
      const { fold } = await foldLog(log.bus);
      const folded = createMemoryLedger({ clock: systemClock, epoch: 'folded', state: fold.state });
      const expected = (await folded.balances(TENANT)).map(({ budget, spent }) => [budget.subject, spent]);
      expect(balances.map(({ budget, spentMicros }) => [budget.subject, spentMicros])).toEqual(expected);
      expect(new Set(expected.map(([, spentMicros]) => spentMicros))).toEqual(new Set([500_000]));
    });

    test.skipIf(IS_SHORT)(
      'after a snapshot, a rebuild reads only later records, and every budget is as before',
      async () => {
        const plane = serverPlane(servers, MANDATES);
        const gateway = await plane.start('gateway');
        const decider = await plane.start('decider', DECIDER);
        const api = plane.api(gateway.url, await plane.issueKey(TENANT));
        const isReady = async () => (await fetch(`${gateway.url}/readyz`)).ok;
        await waitUntil('the ledger', isReady, PATIENCE_MS);
        const log = await followLog(servers.kafka.brokers);
        const producer = await plainProducer(servers.kafka.brokers);
        const decided = async (agent: string, calls: number) => {
          await producer.send({ topic: TOPICS.actions, messages: callsOf(agent, calls) });
          await waitUntil(
            `the calls of ${agent}`,
            () => log.valid().filter(({ agentId }) => agentId === agent).length === calls,
            PATIENCE_MS,
          );
        };
        await decided('before', 30);
        const taken = await runMandate(['snapshot', '--after', '1', '--json'], {
          env: environmentOf(servers),
        });
        expect(taken).toMatchObject({ exitCode: 0 });
        await decided('after', 20);
        const spent = async () => (await api.get<Balances>('/v1/ledger/balances')).balances;
        const before = await spent();
        expect(before.find(({ budget }) => budget.subject === 'before')?.spentMicros).toBe(300_000);
        expect(before.find(({ budget }) => budget.subject === 'after')?.spentMicros).toBe(200_000);

        const folded = decider.says('stderr', (line): number | undefined => {
          const { msg, records } = JSON.parse(line);
          return msg === 'the ledger is rebuilt' ? records : undefined;
        });
        await emptyRedis(servers.redis.url);
        // The rebuild reads the later calls, and one epoch record on each partition.
        expect(await folded).toBe(20 + PARTITIONS);
        const ranges = await log.bus.ranges(TOPICS.decisions);
        expect(ranges.reduce((sum, { endOffset }) => sum + endOffset, 0)).toBeGreaterThan(1_000);
        await waitUntil('the gateway to see it', isReady, PATIENCE_MS);
        expect(await spent()).toEqual(before);
        const { killed } = await api.get<KillStatus>(`/v1/agents/${KILLED}/kill-status`);
        expect(killed).not.toBe(null);
      },
    );
  },
);

function callsOf(agentId: string, count: number) {
  return Array.from({ length: count }, () => {
    const action = {
      id: randomUUID(),
      tenant: TENANT,
      agentId,
      type: 'tool_call',
      tool: 'lookup',
      deadlineMs: 3_600_000,
    };
    return { key: agentKey(TENANT, agentId), value: JSON.stringify({ event: 'action.requested', action }) };
  });
}

/**
 * Reads all decisions on the log, and finds the valid ones: after the record of an epoch, decisions of other epochs
 * are void. In this test, no rebuild is replaced by a newer rebuild.
 */
async function followLog(brokers: readonly string[]) {
  const bus = await createKafkaBus({ brokers, clientId: 'test', log: silentLogger() });
  const inForce = new Map<number, string>();
  const epochs = new Set<string>();
  const all: Decision[] = [];
  const valid: Decision[] = [];
  const take = ({ position: { partition }, value }: LogRecord) => {
    const record = readDecisionsRecord(value);
    if (record.event === 'ledger.epoch') {
      inForce.set(partition, record.epoch.id);
      epochs.add(record.epoch.id);
    }
    if (record.event !== 'action.decided') return;
    all.push(record.decision);
    if (inForce.get(partition) === record.decision.ledgerEpoch) valid.push(record.decision);
  };
  const reader = await bus.read({
    topics: [TOPICS.decisions],
    from: 'earliest',
    onRecords: (records) => records.forEach(take),
  });
  onTestFinished(async () => {
    await reader.stop();
    await bus.close();
  });
  return { bus, epochs: () => epochs, all: () => all, valid: () => valid };
}
