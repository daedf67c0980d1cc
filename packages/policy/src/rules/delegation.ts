/**
 * Composes the mandate for an action of a sub-agent: the mandate that rules give the agent, and the mandate that they
 * give each ancestor for the same action. The composed mandates are cached and shared. So the cost grows with the
 * number of ancestors, but not with the number of policies.
 */
import type { Action } from '@mandate/schemas';
import { composeWithAncestors, nameOf } from '../mandate/compose-with-ancestors.ts';
import type { Mandate } from '../mandate/mandate.ts';
import { recentlyUsed } from '../recently-used.ts';
import { intersectionOf } from '../validity-interval.ts';
import { type AgentAttributes, type StepBudgets, stepBudgetsOfAction } from './ask-rules.ts';
import type { InShadow, Resolved, RulesInForce } from './rules-in-force.ts';

/** An ancestor. `agent` is null if the ancestor is no longer registered. Such an ancestor has no mandate. */
export type Ancestor = { id: string; agent: AgentAttributes | null };

export type Delegation = {
  /** @param ancestors the ancestors, the nearest first */
  resolve(
    own: Resolved,
    ancestors: readonly Ancestor[],
    rules: RulesInForce,
    action: Action,
    atMs: number,
    /** The step budgets that are left after `own` was found. */
    stepBudgets?: StepBudgets,
  ): Resolved;
};

type ResolvedAncestor = { ancestor: string; held: Resolved };

const MOST_COMPOSED = 5_000;
const NOTHING: Resolved = {
  mandate: null,
  shadow: null,
  matches: [],
  steps: 0,
  holdsFromMs: 0,
  holdsUntilMs: null,
};

export function createDelegation(): Delegation {
  const composedMandates = recentlyUsed<Mandate>(MOST_COMPOSED);
  const numbers = new WeakMap<Mandate, number>();
  let made = 0;

  /** Returns a number that identifies this mandate object. The same object always has the same number. */
  function numberOf(mandate: Mandate | null): number {
    if (mandate === null) return 0;
    const known = numbers.get(mandate);
    if (known !== undefined) return known;
    made += 1;
    numbers.set(mandate, made);
    return made;
  }

  function composed(
    own: Mandate | null,
    ancestors: readonly ResolvedAncestor[],
    mandateOf: (held: Resolved) => Mandate | null,
  ): Mandate | null {
    if (own === null) return null;
    let key = `${numberOf(own)}`;
    // Ids contain no blank, so different mandates have different keys.
    for (const { ancestor, held } of ancestors) key += ` ${ancestor} ${numberOf(mandateOf(held))}`;
    const known = composedMandates.get(key);
    if (known !== undefined) return known;
    const mandate = composeWithAncestors(
      own,
      ancestors.map(({ ancestor, held }) => ({ ancestor, mandate: mandateOf(held) })),
    );
    composedMandates.set(key, mandate);
    return mandate;
  }

  /**
   * Returns the combined result of rules in shadow for the agent and all its ancestors. Null if no rule in shadow
   * matches.
   */
  function inShadow(own: Resolved, ancestors: readonly ResolvedAncestor[]): InShadow | null {
    const all = [own, ...ancestors.map(({ held }) => held)];
    if (all.every(({ shadow }) => shadow === null)) return null;
    const isKnown = all.every(({ shadow }) => shadow?.mandate !== null);
    const mandate = isKnown ? composed(withShadow(own), ancestors, withShadow) : null;
    if (isKnown && mandate === null) return null;
    const namesOf = (what: 'rules' | 'policies') => [
      ...(own.shadow?.[what] ?? []),
      ...ancestors.flatMap(({ ancestor, held }) =>
        (held.shadow?.[what] ?? []).map((name) => nameOf(name, ancestor)),
      ),
    ];
    const validity = intersectionOf(all.map(({ shadow, ...held }) => shadow ?? held));
    const steps = all.reduce((sum, { shadow }) => sum + (shadow?.steps ?? 0), 0);
    return { mandate, rules: namesOf('rules'), policies: namesOf('policies'), steps, ...validity };
  }

  return {
    resolve(own, agents, rules, action, atMs, stepBudgets = stepBudgetsOfAction()) {
      if (agents.length === 0) return own;
      const ids = agents.map(({ id }) => id);
      if (own.tooCostly !== undefined) return { ...own, ancestors: ids };
      const ancestors: ResolvedAncestor[] = [];
      for (const { id, agent } of agents) {
        const held =
          agent === null ? NOTHING : rules.resolve(agent, { ...action, agentId: id }, atMs, stepBudgets);
        ancestors.push({ ancestor: id, held });
        if (held.tooCostly === undefined) continue;
        const validity = intersectionOf([own, ...ancestors.map(({ held }) => held)]);
        return { ...held, ancestors: ids, tooCostly: { ...held.tooCostly, agent: id }, ...validity };
      }
      const all = [own, ...ancestors.map(({ held }) => held)];
      return {
        mandate: composed(own.mandate, ancestors, ({ mandate }) => mandate),
        shadow: inShadow(own, ancestors),
        matches: [
          ...own.matches,
          ...ancestors.flatMap(({ ancestor, held }) =>
            held.matches.map((match) => ({ ...match, agent: ancestor })),
          ),
        ],
        ancestors: ids,
        steps: all.reduce((sum, { steps }) => sum + steps, 0),
        ...intersectionOf(all),
      };
    },
  };
}

function withShadow({ mandate, shadow }: Resolved): Mandate | null {
  return shadow?.mandate ?? mandate;
}
