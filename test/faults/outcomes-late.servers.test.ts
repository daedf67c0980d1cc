/**
 * Tests outcomes of allowed actions, which the seed chooses. Some are reported twice, report more than was reserved,
 * or are never reported. Others are reported after the lease ended and a second attempt was allowed. In each part of
 * the test, a decider is killed with SIGKILL. In the end every agent's spending must agree with the table of charging
 * policies.
 */
import type { Outgoing } from '@mandate/bus';
import { agentKey, type Decision, TOPICS } from '@mandate/schemas';
import { describeWithOwnServers, SEED, seededRandom, waitUntil } from '@mandate/testing';
import { expect, test } from 'vitest';
import { request } from './support/agents-at-work.ts';
import { PATIENCE_MS } from './support/breakable-servers.ts';
import { followAnswers } from './support/follow-answers.ts';
import { wholePlane } from './support/whole-plane.ts';

const ACTIONS = 600;
const AGENTS = 20;
const MANDATES = ['patient', 'hasty', 'poor']
  .map(
    (name) => `
version: 1
id: ${name}
agents: ["${name}-*"]
maxCostTotal: ${name === 'poor' ? 0.06 : 1_000}
toolPolicies:
  success: { cost: 0.05${leaseOf(name)} }
  attempt: { cost: 0.05, chargingPolicy: { type: ATTEMPT_BASED }${leaseOf(name)} }
  tiered: { chargingPolicy: { type: TIERED, attempt: 0.001, success: 0.002, verification: 0.0005 }${leaseOf(name)} }
`,
  )
  .join('---');
function leaseOf(name: string): string {
  return name === 'hasty' ? ', executionLeaseMs: 1000' : '';
}

const ESTIMATE_MICROS = 50_000;

type Outcome = {
  status: 'success' | 'failure' | 'cancelled';
  actualCostMicros?: number;
  verification?: { ok: boolean };
};
/**
 * Outcomes of "hasty" agents are reported after all leases have ended. Some actions have a second attempt by then.
 */
type Fate = { tool: string; agentId: string; outcomes: Outcome[]; second: Outcome | null };
type Balances = { balances: readonly { budget: { scope: string; subject: string }; spentMicros: number }[] };

describeWithOwnServers(
  ['kafka', 'redis', 'clickhouse'],
  'outcomes that are reported twice, late or never',
  () => {
    test(`settle once, to the micro-dollar (SEED=${SEED})`, async () => {
      const random = seededRandom(SEED);
      const fates = new Map(Array.from({ length: ACTIONS }, (_, at) => [`act-${at}`, drawFate(at, random)]));
      const { bus, api, startDecider, expectLawsHold } = await wholePlane(MANDATES);
      const deciders = await Promise.all([startDecider(), startDecider()]);
      const answers = await followAnswers(bus);
      const isFirst = ({ kind }: Decision) => kind !== 'duplicate';
      const firsts = () =>
        new Map(
          answers
            .decisions()
            .filter(isFirst)
            .map((each) => [nameOf(each), each]),
        );
      const settled = () => new Set(answers.settlements().map(({ id }) => id)).size;
      let killed = 0;
      /** Appends the records, kills a decider after some answers, and waits for the other answers. */
      const appendAndKill = async (records: readonly Outgoing[], count: () => number) => {
        const before = count();
        const some = before + Math.floor(random() * records.length);
        await bus.append(TOPICS.actions, records);
        await waitUntil('some of it', () => count() >= some, PATIENCE_MS);
        const at = killed++ % deciders.length;
        await deciders[at]?.kill('SIGKILL');
        deciders[at] = await startDecider();
        await waitUntil('all of it', () => count() >= before + records.length, PATIENCE_MS);
      };
      const decided = () => firsts().size;
      const outcomesOf = (isHasty: boolean) =>
        [...fates].flatMap(([id, { agentId, outcomes }]) =>
          agentId.startsWith('hasty') === isHasty
            ? outcomes.map((outcome) => completed(id, agentId, 1, outcome))
            : [],
        );

      await appendAndKill(
        [...fates].map(([id, { agentId, tool }]) => request({ id, agentId, tool })),
        decided,
      );
      const allAllowed = () => [...firsts().values()].every(({ verdict }) => verdict === 'ALLOW');
      expect(allAllowed()).toBe(true);
      await appendAndKill(outcomesOf(false), settled);

      const leases = [...firsts().values()]
        .filter(({ agentId }) => agentId.startsWith('hasty'))
        .map(({ leaseExpiresAt }) => Date.parse(leaseExpiresAt ?? ''));
      await waitUntil('the leases to run out', () => Date.now() > Math.max(...leases), PATIENCE_MS);
      const seconds = [...fates].filter(([, { second }]) => second !== null);
      await appendAndKill(
        seconds.map(([id, { agentId, tool }]) => again({ id, agentId, tool })),
        decided,
      );
      expect(allAllowed()).toBe(true);
      await appendAndKill(outcomesOf(true), settled);
      await appendAndKill(
        seconds.flatMap(([id, { agentId, second }]) => (second ? [completed(id, agentId, 2, second)] : [])),
        settled,
      );

      const expected = new Map<string, number>();
      for (const { agentId, tool, outcomes, second } of fates.values()) {
        const micros = costOf(tool, outcomes[0]) + (second === null ? 0 : costOf(tool, second));
        expected.set(agentId, (expected.get(agentId) ?? 0) + micros);
      }
      const { balances } = await api.get<Balances>('/v1/ledger/balances');
      const spent = new Map(balances.map(({ budget, spentMicros }) => [budget.subject, spentMicros]));
      // The balances of the ledger do not list an agent that spent nothing.
      const spenders = [...expected].filter(([, micros]) => micros > 0);
      expect(Object.fromEntries(spent)).toEqual(Object.fromEntries(spenders));
      const moved = answers.settlements().filter(({ kind }) => kind === 'settled');
      const settlements = new Map(
        moved.map(({ id, actionId, attempt }) => [id, nameOf({ actionId, attempt })]),
      );
      expect(new Set(settlements.values()).size).toBe(settlements.size);

      // The actual cost of these agents is above their budget. So nothing more may be allowed to them.
      const poor = [...spent].filter(([agentId, micros]) => agentId.startsWith('poor') && micros > 60_000);
      expect(poor.length).toBeGreaterThan(0);
      await bus.append(
        TOPICS.actions,
        poor.map(([agentId]) => request({ id: `more-${agentId}`, agentId, tool: 'success' })),
      );
      await waitUntil(
        'them to be refused',
        () => poor.every(([agentId]) => firsts().get(`more-${agentId} 1`)?.code === 'COST_LIMIT_EXCEEDED'),
        PATIENCE_MS,
      );
      await expectLawsHold();
    });
  },
);

function drawFate(at: number, random: () => number): Fate {
  // Each "poor" agent has one action.
  const isPoor = at < AGENTS;
  const name = isPoor ? 'poor' : random() < 0.5 ? 'hasty' : 'patient';
  const tool = ['success', 'attempt', 'tiered'][Math.floor(random() * 3)] ?? '';
  const outcomes = Array.from({ length: Math.floor(random() * 3) }, () => drawOutcome(random));
  return {
    tool: isPoor ? 'success' : tool,
    agentId: `${name}-${at % AGENTS}`,
    outcomes,
    second: name === 'hasty' && random() < 0.5 ? drawOutcome(random) : null,
  };
}

function drawOutcome(random: () => number): Outcome {
  const status = (['success', 'success', 'failure', 'cancelled'] as const)[Math.floor(random() * 4)];
  return {
    status: status ?? 'success',
    ...(random() < 0.6 ? { actualCostMicros: Math.floor(random() * 4 * ESTIMATE_MICROS) } : {}),
    ...(random() < 0.3 ? { verification: { ok: true } } : {}),
  };
}

function again(action: { id: string; agentId: string; tool: string }): Outgoing {
  const second = { ...action, attempt: 2 };
  return request(second);
}

function completed(actionId: string, agentId: string, attempt: number, outcome: Outcome): Outgoing {
  const told = { actionId, agentId, attempt, ...outcome };
  return {
    key: agentKey('default', agentId),
    value: JSON.stringify({ event: 'action.completed', outcome: told }),
  };
}

function nameOf({ actionId, attempt }: { actionId: string; attempt: number }): string {
  return `${actionId} ${attempt}`;
}

/**
 * Returns what an action must cost, by the table in section 4 of docs/semantics.md. Without an outcome, this is the
 * charge at the end of the lease.
 */
function costOf(tool: string, outcome: Outcome | undefined): number {
  if (outcome?.status === 'cancelled') return 0;
  const { status, actualCostMicros: actual, verification } = outcome ?? {};
  if (tool === 'tiered') {
    if (outcome === undefined) return 3_500;
    return status === 'failure' ? 1_000 : 3_000 + (verification === undefined ? 0 : 500);
  }
  if (outcome === undefined) return ESTIMATE_MICROS;
  if (tool === 'attempt') return Math.max(ESTIMATE_MICROS, actual ?? 0);
  return status === 'failure' ? (actual ?? 0) : Math.max(ESTIMATE_MICROS, actual ?? 0);
}
