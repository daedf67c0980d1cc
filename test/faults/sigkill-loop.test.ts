/**
 * A plane is killed with SIGKILL repeatedly while actions arrive and outcomes settle. Afterwards each action has one
 * first decision. The charges on the log, in the ledger and in the audit are equal, to the micro-dollar, and every
 * other law holds.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Bus, createSqliteBus, type LogRecord } from '@mandate/bus';
import { createApiClient } from '@mandate/client';
import { allHolds, reconcilePlane } from '@mandate/reconcile';
import { silentLogger } from '@mandate/runtime';
import { agentKey, type Decision, readDecisionsRecord, TOPICS } from '@mandate/schemas';
import {
  byLength,
  type PlaneProcess,
  SEED,
  seededRandom,
  startPlane,
  temporaryFolder,
  waitUntil,
} from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { expectLaws } from './support/expect-laws.ts';

const KILLS = byLength({ short: 2, full: 16, long: 50 });
const ACTIONS = KILLS * 400;
const AGENTS = 97;

/** Mandates with budgets of agents and of the tenant that are used up before the end. */
const MANDATES = `
version: 1
id: everybody
agents: ["*"]
maxCostTotal: ${(ACTIONS * 75) / 1e6}
budgets:
  - { id: team, scope: tenant, max: ${(ACTIONS * 5) / 1e3} }
  - { id: day, scope: tenant, max: 500.00, windowMs: 86400000 }
  - { id: own-hour, scope: agent, max: 50.00, windowMs: 3600000 }
rateLimit: { maxCalls: 100000, windowMs: 86400000 }
toolPolicies:
  cheap: { cost: 0.001 }
  dear: { cost: 0.05, chargingPolicy: { type: ATTEMPT_BASED } }
  tiered: { chargingPolicy: { type: TIERED, attempt: 0.001, success: 0.002, verification: 0.0005 } }
`;

test(`a plane that is killed ${KILLS} times during ${ACTIONS} actions breaks no law (SEED=${SEED})`, {
  timeout: 1_200_000,
}, async () => {
  const random = seededRandom(SEED);
  const data = temporaryFolder();
  const mandates = join(data, 'mandates.yaml');
  writeFileSync(mandates, MANDATES);
  const bus = await createSqliteBus({ path: join(data, 'log.sqlite'), log: silentLogger() });
  onTestFinished(() => bus.close());

  const seen = await followDecisions(bus, random);
  onTestFinished(() => seen.stop());
  let keys: PlaneProcess['keys'] = {};
  let published = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const plane = await startPlane({ data, mandates });
    if (kill === 0) keys = plane.keys;
    const target = seen.firsts() + Math.floor(random() * (ACTIONS / KILLS));
    const publishing = (async () => {
      for (const end = published + ACTIONS / KILLS; published < end; published += 50) {
        await bus.append(TOPICS.actions, actions(published, 50, random));
      }
    })();
    await waitUntil(`${target} decisions`, () => seen.firsts() >= target);
    await plane.kill('SIGKILL');
    await publishing;
  }

  const plane = await startPlane({ data, mandates });
  onTestFinished(async () => {
    await plane.kill();
  });
  await waitUntil('a first decision for every action', () => seen.firsts() === ACTIONS, 60_000);
  await waitUntil('a settlement for every outcome', () => seen.settled() === seen.outcomes(), 60_000);

  expect(seen.firstsPerAction()).toEqual(new Set([1]));
  const api = createApiClient({ url: plane.url, key: keys.operator });
  let report = await reconcilePlane(bus, api);
  // The recorder may not have caught up yet. Only a difference that does not go away is drift.
  for (let again = 0; !allHolds(report) && again < 20; again++) report = await reconcilePlane(bus, api);
  expectLaws(report);
  expect(report.requests.open).toBe(0);
  expect(report.decisions).toBeGreaterThanOrEqual(ACTIONS);
});

function actions(from: number, count: number, random: () => number) {
  return Array.from({ length: count }, (_, at) => {
    const number = from + at;
    const agentId = `agent-${number % AGENTS}`;
    const tool = pick(['cheap', 'dear', 'tiered'], random);
    const action = { id: `act-${number}`, agentId, type: 'tool_call', tool, deadlineMs: 3_600_000 };
    return {
      key: agentKey('default', agentId),
      value: JSON.stringify({ event: 'action.requested', action }),
    };
  });
}

/** Counts decisions and settlements, and reports an outcome for every ALLOW, as agents do. */
async function followDecisions(bus: Bus, random: () => number) {
  const firsts = new Map<string, number>();
  const settled = new Set<string>();
  let outcomes = 0;
  const reader = await bus.read({
    topics: [TOPICS.decisions],
    from: 'earliest',
    async onRecords(records: readonly LogRecord[]) {
      const reports = [];
      for (const { value } of records) {
        const record = readDecisionsRecord(value);
        if (record.event === 'action.settled') settled.add(record.settlement.id);
        if (record.event !== 'action.decided' || record.decision.kind !== 'first') continue;
        const { decision } = record;
        const times = (firsts.get(decision.actionId) ?? 0) + 1;
        firsts.set(decision.actionId, times);
        if (decision.verdict === 'ALLOW' && times === 1) reports.push(report(decision, random));
      }
      outcomes += reports.length;
      if (reports.length > 0) await bus.append(TOPICS.actions, reports);
    },
  });
  return {
    firsts: () => firsts.size,
    firstsPerAction: () => new Set(firsts.values()),
    settled: () => settled.size,
    outcomes: () => outcomes,
    stop: () => reader.stop(),
  };
}

function report({ actionId, agentId, tenant }: Decision, random: () => number) {
  const status = pick(['success', 'success', 'failure', 'cancelled'], random);
  const outcome = {
    actionId,
    agentId,
    status,
    ...(random() < 0.5 ? { actualCostMicros: Math.floor(random() * 60_000) } : {}),
    ...(random() < 0.3 ? { verification: { ok: random() < 0.8 } } : {}),
  };
  return { key: agentKey(tenant, agentId), value: JSON.stringify({ event: 'action.completed', outcome }) };
}

function pick<T>(values: readonly T[], random: () => number): T {
  const value = values[Math.floor(random() * values.length)];
  if (value === undefined) throw new RangeError('nothing to pick from');
  return value;
}
