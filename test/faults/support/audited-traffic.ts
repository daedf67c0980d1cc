/**
 * Makes the records of a history from numbers. From the same numbers, a test can compute every answer that the audit
 * must give.
 */
import type { DeadLetter, DecisionsRecord } from '@mandate/schemas';
import { buildReservation } from '@mandate/testing';
import { deadLetterOf, decided, killed, settled } from '../../e2e/audit/support/log-records.ts';

const AGENTS = 4;
const CHARGED_MICROS = 100_000;
const DELTA_MICROS = -10_000;
const OPERATOR_EVERY = 50;
const EXPLAINED_EVERY = 40;

/** Gets an answer of the query service. Fails if the service fails. */
export type Get = (path: string, query?: Record<string, string>) => Promise<Body>;
// biome-ignore lint/suspicious/noExplicitAny: what is in it is what the tests are about
type Body = any;

const agentOf = (n: number) => `agent-${n % AGENTS}`;
const isBlocked = (n: number) => n % 5 === 4;

/** Returns the records of number `n` for the decisions topic. */
export function recordsOf(n: number): DecisionsRecord[] {
  const kill = killed(killId(n), { scope: 'agent', tenant: 'acme', agentId: agentOf(n) });
  return [decisionOf(n), ...(isBlocked(n) ? [] : [settled(n)]), ...(isByOperator(n) ? [kill] : [])];
}

/** Returns the dead letters of number `n`. */
export function deadLettersOf(n: number): DeadLetter[] {
  return isByOperator(n) ? [deadLetterOf(n)] : [];
}

export function decisionOf(n: number) {
  if (isBlocked(n)) {
    return decided(n, { verdict: 'BLOCK', code: 'TOOL_DENIED', tool: 'drop_admin', chargedMicros: 0 });
  }
  const subject = agentOf(n);
  return decided(n, {
    reservation: buildReservation(CHARGED_MICROS, {
      budgets: [{ kind: 'budget', scope: 'agent', subject, id: 'total', windowMs: null, maxMicros: null }],
    }),
  });
}

function isByOperator(n: number): boolean {
  return n % OPERATOR_EVERY === 0;
}

function killId(n: number): string {
  return `kill-${String(n).padStart(9, '0')}`;
}

/** Returns the expected answers for a history of the numbers below `count`. */
export function answersTo(count: number): Awaited<ReturnType<typeof everyAnswer>> {
  const newestFirst = Array.from({ length: count }, (_, n) => count - 1 - n);
  const allowed = newestFirst.filter((n) => !isBlocked(n));
  const blocked = newestFirst.filter(isBlocked);
  const byOperator = newestFirst.filter(isByOperator);
  const decisionIds = (numbers: readonly number[]) => numbers.map((n) => decisionOf(n).decision.id);
  const agents = Array.from({ length: AGENTS }, (_, at) => `agent-${at}`);
  const of = (agent: string, numbers: readonly number[]) => numbers.filter((n) => agentOf(n) === agent);
  const spent = (calls: number) => ({
    chargedMicros: calls * CHARGED_MICROS,
    settledMicros: calls * DELTA_MICROS,
    spentMicros: calls * (CHARGED_MICROS + DELTA_MICROS),
  });
  const perAgent = <T>(tell: (agent: string) => T) =>
    Object.fromEntries(agents.map((agent) => [agent, tell(agent)]));
  const spentByAgent = perAgent((agent) => spent(of(agent, allowed).length));
  return {
    decisions: decisionIds(newestFirst),
    decisionsOfAgent: decisionIds(of('agent-1', newestFirst)),
    blocked: decisionIds(blocked),
    settlements: allowed.map((n) => settled(n).settlement.id),
    kills: byOperator.map(killId),
    deadLetters: byOperator.map((n) => deadLetterOf(n).deadLetter.id),
    verdicts: { ALLOW: allowed.length, BLOCK: blocked.length },
    codes: { ALLOWED: allowed.length, TOOL_DENIED: blocked.length },
    tools: { get_user: allowed.length, drop_admin: blocked.length },
    agents: perAgent((agent) => of(agent, newestFirst).length),
    spent: spent(allowed.length),
    spentByAgent,
    sums: spentByAgent,
    budgets: spentByAgent,
    doubled: [],
    explained: explainedBelow(count).map(decisionOf),
    decisionsOfAction: explainedBelow(count).map(() => 1),
  };
}

function explainedBelow(count: number): number[] {
  return Array.from({ length: Math.ceil(count / EXPLAINED_EVERY) }, (_, at) => at * EXPLAINED_EVERY);
}

/** Returns all answers of the query service about a history of `count` numbers. */
export async function everyAnswer(get: Get, count: number) {
  const analytics = (name: string) => get(`/v1/audit/analytics/${name}`);
  const ids = async (path: string, list: string, query: Record<string, string> = {}) =>
    (await pagesOf(get, path, list, query)).map(({ id }) => id as string);
  const [{ verdicts }, { codes }, { tools }, { agents }, spend, sums, budgets] = await Promise.all([
    ...['verdicts', 'codes', 'tools', 'agents', 'spend'].map(analytics),
    get('/v1/audit/sums'),
    get('/v1/audit/sums/budgets'),
  ]);
  const explained = [];
  const decisionsOfAction = [];
  for (const n of explainedBelow(count)) {
    const { log, ...record } = await get(`/v1/audit/decisions/${decisionOf(n).decision.id}`);
    explained.push(record);
    const { decisions } = await get('/v1/audit/decisions', { actionId: `act-${n}` });
    decisionsOfAction.push(decisions.length as number);
  }
  return {
    decisions: await ids('/v1/audit/decisions', 'decisions', { limit: '1000' }),
    decisionsOfAgent: await ids('/v1/audit/decisions', 'decisions', { agent: 'agent-1', limit: '97' }),
    blocked: await ids('/v1/audit/decisions', 'decisions', { verdict: 'BLOCK' }),
    settlements: await ids('/v1/audit/settlements', 'settlements', { limit: '997' }),
    kills: await ids('/v1/audit/control-events', 'events', { event: 'agent.killed', limit: '7' }),
    deadLetters: await ids('/v1/audit/dead-letters', 'deadLetters', { limit: '7' }),
    verdicts: counted(verdicts, 'verdict', 'decisions'),
    codes: counted(codes, 'code', 'decisions'),
    tools: counted(tools, 'tool', 'calls'),
    agents: counted(agents, 'agentId', 'calls'),
    spent: amounts(spend.total),
    spentByAgent: byAgent(spend.agents, 'agentId'),
    sums: byAgent(sums.agents, 'agentId'),
    budgets: byAgent(budgets.budgets, 'subject'),
    doubled: sums.doubled as unknown[],
    explained,
    decisionsOfAction,
  };
}

/** Reads all pages of a list and returns them. */
export async function pagesOf(
  get: Get,
  path: string,
  list: string,
  query: Record<string, string>,
): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await get(path, { ...query, ...(cursor === '' ? {} : { cursor }) });
    rows.push(...page[list]);
    cursor = page.next;
  }
  return rows;
}

function counted(rows: Body[], name: string, count: string): Record<string, number> {
  return Object.fromEntries(rows.map((row) => [row[name], row[count]]));
}

function byAgent(rows: Body[], name: string) {
  return Object.fromEntries(rows.map((row) => [row[name], amounts(row)]));
}

function amounts({ chargedMicros, settledMicros, spentMicros }: Record<string, number>) {
  return { chargedMicros, settledMicros, spentMicros };
}
