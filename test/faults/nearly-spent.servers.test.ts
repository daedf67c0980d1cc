/**
 * Sends a thousand actions at once under nested budgets that are nearly spent, to eight processes. The seed decides
 * what each budget and rate has left, and only these actions spend it. The test adds up the log in the order of the
 * ledger's sequences. Each ALLOW must fit every limit, and each refused action must exceed a limit. So exactly what
 * fits is allowed, to the micro-dollar.
 */
import { type Decision, TOPICS } from '@mandate/schemas';
import { describeWithOwnServers, SEED, seededRandom, waitUntil } from '@mandate/testing';
import { expect, test } from 'vitest';
import { decisionsBy } from '../e2e/distributed/support/server-plane.ts';
import { request } from './support/agents-at-work.ts';
import { PATIENCE_MS } from './support/breakable-servers.ts';
import { allAtWork } from './support/deciders-at-work.ts';
import { followLog } from './support/follow-log.ts';
import { wholePlane } from './support/whole-plane.ts';

const [ACTIONS, DECIDERS] = [1_000, 8];
const [AGENTS, PRINCIPALS] = [40, 8];
/** Uneven costs, so that the amount left over depends on the order of the actions. */
const COST_MICROS: Readonly<Record<string, number>> = { small: 7_001, middling: 33_333, large: 100_003 };

/**
 * The timeout of Redis commands is long. While eight processes start on a small machine, Redis gets little CPU time.
 */
const PATIENT = { MANDATE_REDIS_COMMAND_TIMEOUT_MS: '20000' };

type Limits = Readonly<Record<'agent' | 'principal' | 'mandate' | 'tenant' | 'calls', number>>;
type Balances = { balances: readonly { budget: { scope: string; subject: string }; spentMicros: number }[] };

describeWithOwnServers(['kafka', 'redis', 'clickhouse'], 'nested budgets that are nearly spent', () => {
  test(`allow exactly what fits, with ${ACTIONS} actions at once in ${DECIDERS} processes (SEED=${SEED})`, {
    timeout: 900_000,
  }, async () => {
    const random = seededRandom(SEED);
    const actions = Array.from({ length: ACTIONS }, (_, number) => action(number, random));
    const limits = drawLimits(random, actions);
    const { bus, api, startDecider, expectLawsHold } = await wholePlane(mandatesOf(limits), {
      settings: PATIENT,
    });
    const deciders = await Promise.all(Array.from({ length: DECIDERS }, () => startDecider()));
    const log = await followLog(bus);
    let asked = 0;
    const ask = async (asking: readonly Parameters<typeof request>[0][]) => {
      asked += asking.length;
      await bus.append(TOPICS.actions, asking.map(request));
    };
    const allDecided = () =>
      waitUntil('everything to be decided', () => log.decisions.size === asked, PATIENCE_MS);

    await allAtWork(deciders, async () => {
      if (log.decisions.size === asked) await ask(costless(asked));
    });
    await allDecided();
    const before = await Promise.all(deciders.map(decisionsBy));
    await ask(actions);
    await allDecided();
    const after = await Promise.all(deciders.map(decisionsBy));

    expect(after.filter((count, at) => count > (before[at] ?? 0)).length).toBeGreaterThan(1);
    expect(log.contradictions).toEqual([]);
    const decisions = actions.flatMap(({ id }) => log.decisions.get(id) ?? []);
    const { spent, misjudged, full } = addUp(decisions, limits);
    expect(misjudged).toEqual([]);
    // Nothing was spent before. So every full limit was filled by ALLOWs of these actions, and refused another of
    // these actions.
    expect([...full].sort()).toEqual(['agent', 'calls', 'mandate', 'principal', 'tenant']);
    const { balances } = await api.get<Balances>('/v1/ledger/balances');
    const held = balances.map(({ budget, spentMicros }) => [
      `${budget.scope} ${budget.subject}`,
      spentMicros,
    ]);
    expect(Object.fromEntries(held)).toEqual(Object.fromEntries(spent));
    await expectLawsHold();
  });
});

/**
 * Returns limits that are too small for all actions, in any order. For the spenders, the budget of the mandate is the
 * smallest limit. The other agents can spend a little more than the tenant's budget has left.
 */
function drawLimits(random: () => number, actions: readonly Asked[]): Limits {
  const between = (low: number, high: number) => Math.floor(low + random() * (high - low));
  const limits = {
    agent: between(200_000, 250_000),
    principal: between(860_000, 880_000),
    mandate: between(3_300_000, 3_400_000),
    calls: between(6, 9),
  };
  const { lacking, charge, used } = bookOf({ ...limits, tenant: Number.POSITIVE_INFINITY });
  for (const asks of actions.filter(({ agentId }) => !agentId.startsWith('spender')).map(asksOf)) {
    if (lacking(asks).length === 0) charge(asks);
  }
  const beside = used.get('tenant ') ?? 0;
  return { ...limits, tenant: limits.mandate + beside - between(20_000, 50_000) };
}

/**
 * Spenders share the budget of the mandate, and callers have the rate. The other agents share only the tenant's
 * budget.
 */
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
    `\nversion: 1\nid: idler\nagents: ["idler-*"]\n`,
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

/**
 * Returns actions of agents without limits. They give every decider work, and do not spend the budgets of the
 * thousand actions.
 */
function costless(from: number) {
  return Array.from({ length: 2 * AGENTS }, (_, agent) => ({
    id: `free-${from + agent}`,
    agentId: `idler-${agent}`,
    tool: 'look',
  }));
}

function principalOf(agent: number): string {
  return `user-${agent % PRINCIPALS}`;
}

type Asked = { agentId: string; tool?: string | null | undefined };
type Ask = readonly [limit: keyof Limits, subject: string, amount: number];

function asksOf({ agentId, tool }: Asked): Ask[] {
  const micros = COST_MICROS[tool ?? ''] ?? 0;
  const [kind = '', agent = ''] = agentId.split('-');
  const asks: Ask[] = [
    ['agent', agentId, micros],
    ['principal', principalOf(Number(agent)), micros],
    ['tenant', '', micros],
  ];
  if (kind === 'spender') asks.push(['mandate', kind, micros]);
  if (kind === 'caller') asks.push(['calls', agentId, 1]);
  return asks;
}

function bookOf(limits: Limits) {
  const used = new Map<string, number>();
  const after = ([limit, subject, amount]: Ask) => (used.get(`${limit} ${subject}`) ?? 0) + amount;
  return {
    /** The spent amounts, by limit and subject. */
    used: used as ReadonlyMap<string, number>,
    lacking: (asks: readonly Ask[]) =>
      asks.filter((ask) => after(ask) > limits[ask[0]]).map(([limit]) => limit),
    charge(asks: readonly Ask[]): void {
      for (const ask of asks) used.set(`${ask[0]} ${ask[1]}`, after(ask));
    },
  };
}

/**
 * Returns the amount that each agent spent, the decisions that contradict the limits, and the limits that refused an
 * action.
 */
function addUp(decisions: readonly Decision[], limits: Limits) {
  const { used, lacking, charge } = bookOf(limits);
  const spent = new Map<string, number>();
  const misjudged: Decision[] = [];
  const full = new Set<string>();
  for (const decision of decisions.toSorted((one, other) => one.ledgerSequence - other.ledgerSequence)) {
    const asks = asksOf(decision);
    const lacks = lacking(asks);
    for (const limit of lacks) full.add(limit);
    if (decision.verdict !== (lacks.length === 0 ? 'ALLOW' : 'BLOCK')) misjudged.push(decision);
    if (decision.verdict === 'ALLOW') charge(asks);
  }
  for (const [name, amount] of used) if (!name.startsWith('calls ')) spent.set(name, amount);
  return { spent, misjudged, full };
}
