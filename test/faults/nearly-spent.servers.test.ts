/**
 * A thousand actions at once on a hierarchy of budgets that is nearly spent, decided by eight processes. What each budget
 * and rate has left is drawn from the seed. Whoever adds up the log in the order of the ledger's sequences finds that each
 * ALLOW fitted every limit, and that each refusal did not fit one: exactly what fits is allowed, to the micro-dollar.
 */
import { type Decision, TOPICS } from '@mandate/schemas';
import { describeWithOwnServers, SEED, seededRandom, waitUntil } from '@mandate/testing';
import { expect, test } from 'vitest';
import { request } from './agents-at-work.ts';
import { PATIENCE_MS } from './breakable-servers.ts';
import { allAtWork } from './deciders-at-work.ts';
import { followLog } from './follow-log.ts';
import { wholePlane } from './whole-plane.ts';

const [ACTIONS, DECIDERS] = [1_000, 8];
const [AGENTS, PRINCIPALS] = [40, 8];
/** Odd, so that what fits comes out differently for each order. */
const COST_MICROS: Readonly<Record<string, number>> = { small: 7_001, middling: 33_333, large: 100_003 };

/** So many processes that start at once leave little of a small machine to Redis. */
const PATIENT = { MANDATE_REDIS_COMMAND_TIMEOUT_MS: '20000' };

type Limits = Readonly<Record<'agent' | 'principal' | 'mandate' | 'tenant' | 'calls', number>>;
type Balances = { balances: readonly { budget: { scope: string; subject: string }; spentMicros: number }[] };

describeWithOwnServers(
  ['kafka', 'redis', 'clickhouse'],
  'a hierarchy of budgets that is nearly spent',
  () => {
    test(`takes exactly what fits, of ${ACTIONS} at once from ${DECIDERS} processes (SEED=${SEED})`, async () => {
      const random = seededRandom(SEED);
      const limits = drawLimits(random);
      const { bus, api, startDecider, expectLawsHold } = await wholePlane(mandatesOf(limits), {
        settings: PATIENT,
      });
      const deciders = await Promise.all(Array.from({ length: DECIDERS }, () => startDecider()));
      const log = await followLog(bus);
      let asked = 0;
      const ask = async (count: number) => {
        const actions = Array.from({ length: count }, () => action(asked++, random));
        await bus.append(TOPICS.actions, actions.map(request));
      };
      const allDecided = () =>
        waitUntil('everything to be decided', () => log.decisions.size === asked, PATIENCE_MS);

      await allAtWork(deciders, async () => {
        if (log.decisions.size === asked) await ask(2 * AGENTS);
      });
      await allDecided();
      await ask(ACTIONS);
      await allDecided();

      expect(log.contradictions).toEqual([]);
      const { spent, misjudged, full } = addUp([...log.decisions.values()], limits);
      expect(misjudged).toEqual([]);
      expect([...full].sort()).toEqual(['agent', 'calls', 'mandate', 'principal', 'tenant']);
      const { balances } = await api.get<Balances>('/v1/ledger/balances');
      const held = balances.map(({ budget, spentMicros }) => [
        `${budget.scope} ${budget.subject}`,
        spentMicros,
      ]);
      expect(Object.fromEntries(held)).toEqual(Object.fromEntries(spent));
      await expectLawsHold();
    });
  },
);

/** Little of what is asked for: each of them is too little for some. */
function drawLimits(random: () => number): Limits {
  const between = (low: number, high: number) => Math.floor(low + random() * (high - low));
  const mandate = between(3_300_000, 3_500_000);
  return {
    agent: between(200_000, 260_000),
    principal: between(850_000, 950_000),
    mandate,
    tenant: mandate + between(1_000_000, 1_300_000),
    calls: between(6, 9),
  };
}

/** Spenders share the mandate's budget, callers have the rate, and what others ask for is the tenant's alone to bear. */
function mandatesOf({ agent, principal, mandate, tenant, calls }: Limits): string {
  const document = (id: string, budgets: string, more: string) => `
version: 1
id: ${id}
agents: ["${id}-*"]
maxCostTotal: ${agent / 1e6}
budgets:
  - { id: own, scope: principal, max: ${principal / 1e6} }
  - { id: team, scope: tenant, max: ${tenant / 1e6} }
${budgets}${more}toolPolicies:
${Object.entries(COST_MICROS)
  .map(([tool, micros]) => `  ${tool}: { cost: ${micros / 1e6} }\n`)
  .join('')}`;
  return [
    document('spender', `  - { id: held, scope: mandate, max: ${mandate / 1e6} }\n`, ''),
    document('caller', '', `rateLimit: { maxCalls: ${calls}, windowMs: 3600000 }\n`),
    document('other', '', ''),
  ].join('---');
}

const KINDS = ['spender', 'caller', 'spender', 'other'];

function action(number: number, random: () => number) {
  const agent = Math.floor(random() * AGENTS);
  const kind = KINDS[agent % KINDS.length] ?? '';
  const tools = Object.keys(COST_MICROS);
  return {
    id: `act-${number}`,
    agentId: `${kind}-${agent}`,
    tool: tools[kind === 'spender' ? Math.floor(random() * tools.length) : 0] ?? '',
    principal: { id: principalOf(agent) },
  };
}

function principalOf(agent: number): string {
  return `user-${agent % PRINCIPALS}`;
}

/** What is spent by whom, which decisions were not what the limits asked for, and which limits refused something. */
function addUp(decisions: readonly Decision[], limits: Limits) {
  const used = new Map<string, number>();
  const spent = new Map<string, number>();
  const misjudged: Decision[] = [];
  const full = new Set<string>();
  for (const decision of decisions.toSorted((one, other) => one.ledgerSequence - other.ledgerSequence)) {
    const { agentId, tool, verdict } = decision;
    const micros = COST_MICROS[tool ?? ''] ?? 0;
    const [kind = '', agent = ''] = agentId.split('-');
    const asks: [limit: keyof Limits, subject: string, amount: number][] = [
      ['agent', agentId, micros],
      ['principal', principalOf(Number(agent)), micros],
      ['tenant', '', micros],
    ];
    if (kind === 'spender') asks.push(['mandate', kind, micros]);
    if (kind === 'caller') asks.push(['calls', agentId, 1]);
    const after = (limit: string, subject: string, amount: number) =>
      (used.get(`${limit} ${subject}`) ?? 0) + amount;
    const lacking = asks.filter(([limit, ...ask]) => after(limit, ...ask) > limits[limit]);
    for (const [limit] of lacking) full.add(limit);
    if (verdict !== (lacking.length === 0 ? 'ALLOW' : 'BLOCK')) misjudged.push(decision);
    if (verdict !== 'ALLOW') continue;
    for (const [limit, ...ask] of asks) used.set(`${limit} ${ask[0]}`, after(limit, ...ask));
  }
  for (const [name, amount] of used) if (!name.startsWith('calls ')) spent.set(name, amount);
  return { spent, misjudged, full };
}
