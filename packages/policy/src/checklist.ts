/**
 * What calls of one kind are held to. That follows from the mandate alone, so it is worked out once for its LLM calls, for
 * each tool that one of its policies speaks of, and for all other tools: a plan asks only what applies, and its lists have
 * the right length from the start.
 */
import { type Action, DEFAULTS } from '@mandate/schemas';
import type { Calls, LimitCheck, LimitOf, Look, StaticCheck } from './checks/check.ts';
import type { Mandate } from './mandate/mandate.ts';
import { type Pricing, pricingOf } from './price.ts';

export type Checklist = {
  pricings: readonly Pricing[];
  /** Every policy is asked the first check before any is asked the second. */
  looks: readonly Look[];
  limits: readonly LimitOf[];
  leaseMs: number;
  /** Only where none of the policies is enforced. */
  observe: boolean;
  expiriesMs: readonly number[];
};

type OfMandate = { llmCalls: Checklist; tools: ReadonlyMap<string, Checklist>; otherTools: Checklist };

/** What is made stays for as long as its mandate. */
export function checklists(
  staticChecks: readonly StaticCheck[],
  limitChecks: readonly Pick<LimitCheck, 'limits'>[],
): (mandate: Mandate, action: Action) => Checklist {
  const made = new WeakMap<Mandate, OfMandate>();
  return (mandate, action) => {
    let known = made.get(mandate);
    if (known === undefined) {
      known = ofMandate(mandate, listOf);
      made.set(mandate, known);
    }
    if (action.type === 'llm_call') return known.llmCalls;
    return known.tools.get(action.tool) ?? known.otherTools;
  };

  function listOf(calls: readonly Calls[]): Checklist {
    const leases = calls.map(({ tool }) => tool?.leaseMs ?? DEFAULTS.leaseMs);
    return {
      pricings: calls.map(({ policy, tool }) => pricingOf(policy, tool)),
      looks: staticChecks.flatMap((check) => calls.flatMap((ofPolicy) => lookOf(check, ofPolicy) ?? [])),
      limits: limitChecks.flatMap((check) => check.limits(calls)),
      leaseMs: Math.min(...leases),
      observe: calls.every(({ policy }) => policy.observe),
      expiriesMs: calls.flatMap(({ policy }) => policy.expiresAtMs ?? []),
    };
  }
}

function ofMandate({ policies }: Mandate, listOf: (calls: readonly Calls[]) => Checklist): OfMandate {
  const calls = (type: Action['type'], named: string | null) =>
    listOf(
      policies.map((policy) => ({
        type,
        policy,
        tool: named === null ? null : (policy.tools.get(named) ?? null),
      })),
    );
  const names = new Set(policies.flatMap(({ tools }) => [...tools.keys()]));
  return {
    llmCalls: calls('llm_call', null),
    tools: new Map([...names].map((name) => [name, calls('tool_call', name)])),
    otherTools: calls('tool_call', null),
  };
}

/** Where a mandate has several policies, its findings say whose they are. */
function lookOf(check: StaticCheck, calls: Calls): Look | null {
  const look = check(calls);
  const { name } = calls.policy;
  if (look === null || name === null) return look;
  return (subject) => {
    const found = look(subject);
    if (found.said === 'pass') return { ...found, policy: name };
    const { reason, ...objection } = found.objection;
    return {
      said: 'block',
      check: { ...found.check, policy: name },
      objection: { ...objection, reason: `${reason} That is of the policy "${name}".` },
    };
  };
}
