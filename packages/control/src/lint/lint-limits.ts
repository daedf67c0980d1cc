/**
 * Finds limits that contradict each other, in one policy or in two policies that always apply together: limits that
 * never refuse first, and tools with a price above a limit.
 */

import type { NamedPolicy } from '@mandate/policy';
import { consume, priceOf, pricingOf } from '@mandate/policy/parts';
import { formatMicros, policyNamed, type ToolCall } from '@mandate/schemas';
import { policiesOf } from '../compile-control.ts';
import type { TenantControl } from '../tenant-control.ts';
import { tenantLimitsOf } from '../tenant-limits.ts';
import type { Covered } from './covering-rules.ts';
import type { Finding } from './finding.ts';
import { countsAllOf, type Limit, type Limits, limitsOf } from './limits.ts';
import { type LintBudget, skip } from './lint-budget.ts';
import { neverHold } from './never-hold.ts';
import type { RuleRead } from './rules-read.ts';

/**
 * A policy that applies to an agent. `rule` is the rule that gives the policy. Null for the tenant limits, and if the
 * policy is examined without a rule.
 */
type Held = { name: string; policy: NamedPolicy; limits: Limits; rule: RuleRead | null };

/**
 * @param names the policies to examine, as rules name them
 * @param covered the rules with other policies that always apply together with them
 */
export function contradictingLimits(
  control: TenantControl,
  names: ReadonlySet<string>,
  covered: readonly Covered[],
  stepBudget: LintBudget,
): Finding[] {
  const policyOf = policiesOf(control);
  const heldTo = (name: string, rule: RuleRead | null): Held[] => {
    const { id, version } = policyNamed(name);
    const policy = policyOf(id, version);
    return policy === null ? [] : [{ name, policy, limits: limitsOf(policy), rule }];
  };
  const given = (rule: RuleRead) =>
    rule.document.mode === 'shadow' ? [] : heldTo(rule.document.policy, rule);
  const tenantLimits = tenantLimitsOf(control.opened);
  const ofTenant: Held[] =
    tenantLimits === null
      ? []
      : [{ name: tenantLimits.name, policy: tenantLimits, limits: limitsOf(tenantLimits), rule: null }];

  const found = new Map<string, Finding>();
  /** Every agent under the first policy is also under the second policy. */
  const compare = (one: Held, other: Held) => {
    if (stepBudget.left < costOf(one, other)) {
      skip(stepBudget, 'LIMIT_WITHOUT_EFFECT', 'policies');
      skip(stepBudget, 'TOOL_NEVER_AFFORDED', 'policies');
      return;
    }
    consume(stepBudget, costOf(one, other));
    const findings = [
      ...withoutEffect(one, other),
      ...neverAfforded(one, other, stepBudget),
      ...(one === other ? [] : neverAfforded(other, one, stepBudget)),
    ];
    for (const { as, finding } of findings) if (!as.some((key) => found.has(key))) found.set(as[0], finding);
  };

  for (const one of [...names].flatMap((name) => heldTo(name, null))) {
    for (const other of [one, ...ofTenant]) compare(one, other);
  }
  for (const { rule, beside } of covered)
    for (const one of given(rule)) for (const other of beside.flatMap(given)) compare(one, other);
  return [...found.values()];
}

/** Returns the cost of comparing each limit and each price of one policy with those of the other policy. */
function costOf(one: Held, other: Held): number {
  const of = ({ limits, policy }: Held) => limits.all.length + policy.tools.size;
  return 1 + of(one) * other.limits.mostOfTool + of(other) * one.limits.mostOfTool;
}

/**
 * `as`: the key of the finding, then other keys. If a finding with one of these keys exists, the same problem was
 * reported already.
 */
type Told = { as: readonly [string, ...string[]]; finding: Finding };

function withoutEffect(one: Held, other: Held): Told[] {
  return one.limits.all.flatMap((limit): Told[] => {
    const stricter = other.limits.of(limit.tool).find((wide) => leavesNothing(wide, limit));
    if (stricter === undefined) return [];
    const finding: Finding = {
      code: 'LIMIT_WITHOUT_EFFECT',
      severity: 'warning',
      ...namesOf(one, other),
      message: `In "${one.name}", ${limit.says} has no effect: ${stricter.says}${ofOther(one, other)} refuses calls earlier${together(one, other)}.`,
      remedy:
        'If several limits apply, the strictest counts. Lower this limit, raise the other one, or remove this one.',
    };
    const everywhere = JSON.stringify([limit.counter, one.name]);
    const byRule = JSON.stringify([limit.counter, one.name, one.rule?.document.id]);
    return [{ as: one.rule === null ? [everywhere] : [byRule, everywhere], finding }];
  });
}

/**
 * True if the first limit refuses every call that the second limit would refuse. Limits on tokens are compared only if
 * both policies assume the same tokens, because a call reserves the most tokens that any of them assumes.
 */
function leavesNothing(wide: Limit, limit: Limit): boolean {
  if (wide.assumes !== limit.assumes) return false;
  if (wide.counter === limit.counter) return wide.most < limit.most;
  return wide.most <= limit.most && countsAllOf(wide, limit);
}

/**
 * Finds tools with a price in the first policy that is above a limit of the second policy. The tool null means all
 * tools that the policy does not name.
 */
function neverAfforded(one: Held, other: Held, stepBudget: LintBudget): Told[] {
  return [null, ...one.policy.tools.keys()].flatMap((tool): Told[] => {
    const micros = leastPrice(one.policy, tool);
    const limit = other.limits.of(tool).find(({ of, most }) => of === 'micros' && most < micros);
    if (limit === undefined || !mayBeCalled(tool, [one, other], stepBudget)) return [];
    if (stepBudget.left < 0) {
      skip(stepBudget, 'TOOL_NEVER_AFFORDED', 'policies');
      return [];
    }
    const whose = one === other ? `"${one.name}" lets` : `"${one.name}" and "${other.name}" together let`;
    const which = tool === null ? 'a tool that it says nothing of' : `"${tool}"`;
    const finding: Finding = {
      code: 'TOOL_NEVER_AFFORDED',
      severity: 'error',
      ...namesOf(one, other),
      message: `${whose} no call of ${which} through: it costs ${formatMicros(micros)}${one === other ? '' : ` by "${one.name}"`}, over ${limit.says}${ofOther(one, other)}${together(one, other)}.`,
      remedy: 'Raise that limit, lower the price, or deny the tool if no agent should call it.',
    };
    const inPair = (dear: Held, poor: Held) => JSON.stringify([tool, dear.name, poor.name]);
    return [{ as: [inPair(one, other), inPair(one, one), inPair(other, other)], finding }];
  });
}

/** Returns the cost of a call that states no price. `tool` is null for any tool that the policy does not name. */
function leastPrice(policy: NamedPolicy, tool: string | null): number {
  const call: ToolCall = { id: '-', agentId: '-', type: 'tool_call', tool: tool ?? '-' };
  return priceOf(call, null, [pricingOf(policy, policy.tools.get(tool ?? '') ?? null)], 0).reserveMicros;
}

function mayBeCalled(tool: string | null, held: readonly Held[], stepBudget: LintBudget): boolean {
  if (tool === null)
    return held.every(({ policy: { allowedTools, registry } }) => allowedTools === null && registry === null);
  return held.every(({ policy: { allowedTools, deniedTools, registry }, rule }) => {
    if (allowedTools !== null && allowedTools(tool) === null) return false;
    if (deniedTools !== null && deniedTools(tool) !== null) return false;
    if (registry !== null && !registry.has(tool)) return false;
    const { when } = rule?.document ?? {};
    return (
      when === undefined || !neverHold([when, { field: 'action.tool', op: '==', value: tool }], stepBudget)
    );
  });
}

function namesOf(one: Held, other: Held): Pick<Finding, 'rules' | 'policies'> {
  return {
    rules: [one, other].flatMap(({ rule }) => rule?.document.id ?? []),
    policies: [...new Set([one.name, other.name])],
  };
}

function ofOther(one: Held, other: Held): string {
  return one === other ? '' : ` of "${other.name}"`;
}

function together(one: Held, other: Held): string {
  const [narrow, wide] = [one.rule?.document.id, other.rule?.document.id];
  return narrow === undefined || wide === undefined
    ? ''
    : `, because the rules "${narrow}" and "${wide}" apply together`;
}
