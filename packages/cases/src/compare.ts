/** Compares a decision or a settlement with what the case expects. */

import type { Evaluated } from '@mandate/engine';
import type { Ledger } from '@mandate/ledger';
import { type MandatesInForce, planInForce } from '@mandate/policy';
import { contentFinders } from '@mandate/privacy';
import {
  type Action,
  type BudgetLimit,
  type Check,
  DEFAULTS,
  type Decision,
  type Expectation,
  formatMicros,
  type RuleDocument,
  signedMicros,
} from '@mandate/schemas';
import { dutyDifferences } from './compare-duties.ts';
import type { Difference } from './difference.ts';
import { budgetNamed } from './named-budgets.ts';

/** `told` explains the result. Empty if the result is as expected. */
export type Compared = { differences: readonly Difference[]; told: readonly string[] };

export type Around = {
  /** The action that was decided or settled. Null if the case contains no request for this action. */
  action: Action | null;
  atMs: number;
  ledger: Ledger;
  control: MandatesInForce;
  rules: ReadonlyMap<string, RuleDocument>;
  /** Returns the reason of a decision in words for the person who reads the result. */
  reasonOf: ReasonOf;
};

export type ReasonOf = (decision: Pick<Decision, 'reason' | 'retryAfterMs'>) => string;

const { tenant } = DEFAULTS;

export async function compare(answer: Evaluated, expected: Expectation, around: Around): Promise<Compared> {
  if (answer.event === 'dead.letter') {
    const { reason, remedy } = answer.deadLetter.fault;
    const unread = { what: 'action', expected: 'one that can be read', seen: reason };
    return { differences: [unread], told: [remedy] };
  }
  const { facts, decision } =
    answer.event === 'action.decided'
      ? { facts: answer.decision, decision: answer.decision }
      : { facts: answer.settlement, decision: null };
  const differences = [
    ...plainDifferences(expected, facts, decision),
    ...(decision === null ? [] : boundDifferences(expected, decision, around)),
    ...(decision === null ? [] : dutyDifferences(expected, decision)),
    ...(await budgetDifferences(expected, around)),
  ];
  if (differences.length === 0) return { differences, told: [] };
  return { differences, told: decision === null ? [facts.reason] : toldOf(decision, around.reasonOf) };
}

type Facts = { code: string; chargedMicros: number };

function plainDifferences(
  expected: Expectation,
  { code, chargedMicros }: Facts,
  decision: Decision | null,
): Difference[] {
  const { verdict, observed, shadow, remainingCalls, retryAfterMs } = decision ?? {};
  return [
    ...differing('verdict', expected.verdict, verdict),
    ...differing('code', expected.code, code),
    ...differing('observed', expected.observed, observed?.code),
    ...differing('shadow', expected.shadow, shadow?.code ?? shadow?.verdict),
    ...differing('charged', dollarsOf(expected.charged), formatMicros(chargedMicros)),
    ...differing('callsLeft', expected.callsLeft, remainingCalls),
    ...differing('retryAfterMs', expected.retryAfterMs, retryAfterMs),
  ];
}

/** Returns the difference of one field; none if the case does not expect a value of the field. */
function differing(
  what: string,
  expected: string | number | undefined,
  seen: string | number | null | undefined,
): Difference[] {
  if (expected === undefined || expected === seen) return [];
  return [{ what, expected: String(expected), seen: String(seen ?? 'none') }];
}

function dollarsOf(amount: number | undefined): string | undefined {
  return amount === undefined ? undefined : formatMicros(signedMicros(amount) ?? 0);
}

/**
 * Compares the policy and the rule that set the deciding limit with the expected `policy` and `rule`. The expected
 * names may leave out the version and the ancestor.
 */
function boundDifferences(expected: Expectation, decision: Decision, { rules }: Around): Difference[] {
  const bound = boundBy(decision);
  const [policy = null] = bound?.split(' of ') ?? [];
  const isMeant = [bound, policy, policy?.split('@')[0]].includes(expected.policy);
  const giving = (decision.mandate?.rules ?? []).filter((name) => {
    const [id = '', ancestor] = name.split(' of ');
    const given = rules.get(id)?.policy;
    const whose = ancestor === undefined ? '' : ` of ${ancestor}`;
    return given !== undefined && (given + whose === bound || latestOf(given) + whose === bound);
  });
  const isGiving = giving.some((name) => [name, name.split(' of ')[0]].includes(expected.rule));
  return [
    ...(isMeant ? [] : differing('policy', expected.policy, bound)),
    ...(isGiving ? [] : differing('rule', expected.rule, giving.join(', ') || 'none')),
  ];
}

/** Checks that the decider itself makes. No policy sets them. */
const OF_NO_POLICY: ReadonlySet<string> = new Set([
  'duplicate',
  'deadline',
  'kill-switch',
  'tenant-open',
  'mandate-found',
  'within-steps',
]);

/**
 * Returns the policy that set the deciding limit, by its name in the record. If a mandate file set the limit, returns
 * the id of the mandate. Otherwise null.
 */
function boundBy({ checks, mandate }: Decision): string | null {
  const first = checks.find(objects);
  if (first === undefined || OF_NO_POLICY.has(first.check)) return null;
  return first.policy ?? mandate?.id ?? null;
}

function objects({ result }: Check): boolean {
  return result === 'block' || result === 'defer';
}

/** Returns the policy version for a rule that names no version. Files contain only one version of each policy. */
function latestOf(policy: string): string {
  return `${policy}@1`;
}

async function budgetDifferences(
  { spent = {}, left = {} }: Expectation,
  { action, atMs, ledger, control }: Around,
): Promise<Difference[]> {
  const wanted = [
    ...Object.entries(spent).map(([name, amount]) => ({ what: 'spent', name, amount })),
    ...Object.entries(left).map(([name, amount]) => ({ what: 'left', name, amount })),
  ];
  if (wanted.length === 0) return [];
  const limits =
    action === null ? [] : planInForce(control, tenant, action, atMs, action, contentFinders).limits;
  const budgets = limits.filter((limit): limit is BudgetLimit => limit.kind === 'budget');
  const balances = await ledger.balances(tenant);
  const spentOf = ({ scope, subject, id, windowMs }: BudgetLimit) =>
    balances.find(
      ({ budget }) =>
        budget.unit === undefined &&
        budget.scope === scope &&
        budget.subject === subject &&
        budget.id === id &&
        budget.windowMs === windowMs,
    )?.spent ?? 0;
  return wanted.flatMap(({ what, name, amount }) => {
    const named = budgetNamed(name, budgets);
    const seen = () => {
      if (!named.ok) return named.message;
      const { maxMicros } = named.budget;
      if (what === 'spent') return formatMicros(spentOf(named.budget));
      return maxMicros === null ? 'no limit' : formatMicros(maxMicros - spentOf(named.budget));
    };
    return differing(`${what} of ${name}`, dollarsOf(amount), seen());
  });
}

function toldOf(decision: Decision, reasonOf: ReasonOf): string[] {
  const { mandate, checks } = decision;
  const [, ...others] = checks.filter(objects);
  const heldTo =
    mandate === null
      ? []
      : mandate.policies.length === 0
        ? [`held to the mandate ${mandate.id}`]
        : [`held to ${mandate.policies.join(', ')}, by ${mandate.rules.join(', ')}`];
  const also = others.map(({ check, policy }) => `${check}${policy === undefined ? '' : ` of ${policy}`}`);
  return [
    reasonOf(decision),
    ...heldTo,
    ...(also.length === 0 ? [] : [`other objections: ${also.join(', ')}`]),
  ];
}
