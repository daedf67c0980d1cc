/**
 * The checks and limits that apply to calls of one kind. They follow from the mandate alone, so they are computed
 * once: for its LLM calls, for each tool that a policy names, and for all other tools. Each list has two versions,
 * because a call without an estimate may have more limits. A plan runs only the checks that apply, and its arrays
 * have the right length from the start.
 */

import type { Action, ActionType, GovernanceEvent, MandateReference } from '@mandate/schemas';
import { ACTION_KINDS, DEFAULTS, isToolCall } from '@mandate/schemas/core';
import { attribution } from './attribution.ts';
import type {
  Calls,
  CheckFn,
  Finding,
  JointCheck,
  LimitCheck,
  LimitOf,
  StaticCheck,
} from './checks/check.ts';
import { governedOf } from './checks/governed/governed.ts';
import type { JointFn } from './checks/run-checks.ts';
import type { Mandate, Policy } from './mandate/mandate.ts';
import { type Pricing, pricingOf } from './price.ts';
import { type TokenPricesOf, tokenPricesOf } from './prices/token-prices.ts';
import { type SettlingOf, settlingOf } from './settling.ts';
import { type UnitReservesOf, unitReservesOf } from './unit-reserves.ts';

export type Checklist = {
  pricings: readonly Pricing[];
  settlingOf: SettlingOf;
  tokenPricesOf: TokenPricesOf;
  /** Null if the calls reserve nothing in units other than money. */
  unitReservesOf: UnitReservesOf | null;
  /**
   * The checks of all policies. The first check runs for each policy, then the second check for each policy, and so
   * on.
   */
  checkFns: readonly CheckFn[];
  /** The checks about all policies together. They run after the others. */
  jointFns: readonly JointFn[];
  limits: readonly LimitOf[];
  leaseMs: number;
  /**
   * At most this many steps are needed for each character of a name, for the patterns of all policies together.
   * `mostExpensive` is the policy with the most expensive patterns.
   */
  steps: number;
  mostExpensive: string;
  /** The events that a policy marks on decisions. Null if no policy has the section `governance`. */
  events: readonly GovernanceEvent[] | null;
  /** True if all policies are in observe mode. */
  observe: boolean;
  expiriesMs: readonly number[];
};

/** `stating`: for calls that state an estimate. `notStating`: for calls without an estimate. */
type ListsOfMandate = { readonly stating: KnownLists; readonly notStating: KnownLists };

type KnownLists = {
  /** The checklist of each kind of action that is not a tool call. */
  kinds: Map<ActionType, Checklist>;
  /** The checklists of tools that a policy names and that were called already. */
  tools: Map<string, Checklist>;
  otherTools: Checklist | null;
};

type Kind = Pick<Calls, 'type' | 'judgedAs' | 'statesEstimate'>;

/**
 * At most this many tools of one mandate have a cached checklist. One more tool clears the cache. This limits memory,
 * because a mandate may name very many tools.
 */
const TOOLS_KNOWN = 1_000;

/**
 * Returns a function that returns the checklist of an action. A checklist is made at its first use, and kept as long
 * as its mandate object exists.
 */
export function checklists(
  staticChecks: readonly StaticCheck[],
  limitChecks: readonly Pick<LimitCheck, 'limits'>[],
  jointChecks: readonly JointCheck[] = [],
): (mandate: Mandate, action: Action) => Checklist {
  const made = new WeakMap<Mandate, ListsOfMandate>();
  // The mandate of the last action. Consecutive actions often belong to one agent, and a comparison is cheaper than a
  // look-up.
  let latest: { mandate: Mandate; lists: ListsOfMandate } | null = null;
  return (mandate, action) => {
    if (latest?.mandate !== mandate) latest = { mandate, lists: listsOf(mandate) };
    const statesEstimate = (action.estimatedCostMicros ?? 0) > 0;
    const known = statesEstimate ? latest.lists.stating : latest.lists.notStating;
    if (!isToolCall(action))
      return known.kinds.get(action.type) ?? kindOf(known, mandate, action.type, statesEstimate);
    const kind = { type: action.type, judgedAs: 'tool', statesEstimate } as const;
    if (isNamed(mandate, action.tool))
      return known.tools.get(action.tool) ?? toolOf(known, mandate, kind, action.tool);
    known.otherTools ??= listOf(mandate, callsUnder(mandate, kind, null));
    return known.otherTools;
  };

  function listsOf(mandate: Mandate): ListsOfMandate {
    let lists = made.get(mandate);
    if (lists === undefined) {
      lists = { stating: noLists(), notStating: noLists() };
      made.set(mandate, lists);
    }
    return lists;
  }

  function kindOf(known: KnownLists, mandate: Mandate, type: ActionType, statesEstimate: boolean): Checklist {
    const { judgedAs } = ACTION_KINDS[type];
    const list = listOf(mandate, callsUnder(mandate, { type, judgedAs, statesEstimate }, null));
    known.kinds.set(type, list);
    return list;
  }

  function toolOf(known: KnownLists, mandate: Mandate, kind: Kind, tool: string): Checklist {
    const list = listOf(mandate, callsUnder(mandate, kind, tool));
    if (known.tools.size >= TOOLS_KNOWN) known.tools.clear();
    known.tools.set(tool, list);
    return list;
  }

  function listOf({ reference }: Mandate, calls: readonly Calls[]): Checklist {
    const leases = calls.map(({ tool }) => tool?.leaseMs ?? DEFAULTS.leaseMs);
    const steps = calls.map(stepsOf);
    const mostExpensive = calls[steps.indexOf(Math.max(...steps))]?.policy;
    const pricings = calls.map(({ policy, tool }) => pricingOf(policy, tool));
    return {
      steps: steps.reduce((sum, one) => sum + one, 0),
      mostExpensive: mostExpensive?.name ?? mostExpensive?.id ?? '',
      pricings,
      settlingOf: settlingOf(calls),
      tokenPricesOf: tokenPricesOf(pricings),
      unitReservesOf: unitReservesOf(calls),
      checkFns: staticChecks.flatMap((check) =>
        calls.flatMap((ofPolicy) => checkFnOf(check, ofPolicy, reference) ?? []),
      ),
      jointFns: jointChecks.flatMap((check) => jointFnOf(check, calls, reference) ?? []),
      limits: limitChecks.flatMap((check) => check.limits(calls)),
      leaseMs: Math.min(...leases),
      events: eventsOf(calls),
      observe: calls.every(({ policy }) => policy.observe),
      expiriesMs: calls.flatMap(({ policy }) => policy.expiresAtMs ?? []),
    };
  }
}

function noLists(): KnownLists {
  return { kinds: new Map(), tools: new Map(), otherTools: null };
}

const LISTS = {
  tool: ({ allowedTools, delegableTools, deniedTools }: Policy) => [
    allowedTools,
    delegableTools,
    deniedTools,
  ],
  model: ({ allowedModels, deniedModels, allowedProviders, deniedProviders }: Policy) => [
    ...[allowedModels, deniedModels],
    ...[allowedProviders, deniedProviders],
  ],
  own: () => [],
};

function stepsOf({ judgedAs, policy }: Calls): number {
  const lists: readonly ({ readonly steps: number } | null)[] = LISTS[judgedAs](policy);
  return lists.reduce((sum, list) => sum + (list?.steps ?? 0), 0);
}

function isNamed({ policies }: Mandate, tool: string): boolean {
  for (const policy of policies) if (policy.tools.has(tool)) return true;
  return false;
}

/** @param named the name of the tool; null if no policy names the tool */
function callsUnder({ policies }: Mandate, kind: Kind, named: string | null): readonly Calls[] {
  return policies.map((policy, at) => ({
    ...kind,
    policy,
    at,
    tool: named === null ? null : (policy.tools.get(named) ?? null),
  }));
}

/** Prepares a check for calls of one kind. If a mandate has several policies, each finding names its policy. */
function checkFnOf(check: StaticCheck, calls: Calls, mandate: MandateReference): CheckFn | null {
  const checkFn = check(calls);
  const { name, ancestor } = calls.policy;
  if (checkFn === null) return null;
  const named = name === null ? checkFn : namingPolicy(name, attribution(name, mandate), checkFn);
  return ancestor === null ? named : (subject) => namingAncestor(ancestor, named(subject));
}

function namingPolicy(name: string, whose: string, checkFn: CheckFn): CheckFn {
  return (subject) => named(name, whose, checkFn(subject));
}

function named(name: string, whose: string, found: Finding): Finding {
  if (found.result === 'pass') return { ...found, policy: name };
  if (found.result === 'oblige') return { ...found, check: { ...found.check, policy: name } };
  const { reason, ...violation } = found.violation;
  return {
    ...found,
    check: { ...found.check, policy: name },
    violation: { ...violation, reason: `${reason}${whose}` },
  };
}

/** Prepares a joint check for calls of one kind. A finding about one policy names that policy. */
function jointFnOf(check: JointCheck, calls: readonly Calls[], mandate: MandateReference): JointFn | null {
  const joint = check(calls);
  if (joint === null) return null;
  return {
    check: joint.check,
    run(subject) {
      const { of = null, ...found } = joint.run(subject);
      const finding = found as Finding;
      if (of === null) return finding;
      const { name, ancestor } = of;
      const about = name === null ? finding : named(name, attribution(name, mandate), finding);
      return ancestor === null ? about : namingAncestor(ancestor, about);
    },
  };
}

function eventsOf(calls: readonly Calls[]): readonly GovernanceEvent[] | null {
  const governed = governedOf(calls);
  if (governed.length === 0) return null;
  return [...new Set(governed.flatMap(({ governance }) => governance.events))];
}

function namingAncestor(ancestor: string, found: Finding): Finding {
  return found.result === 'pass' ? { ...found, ancestor } : { ...found, check: { ...found.check, ancestor } };
}
