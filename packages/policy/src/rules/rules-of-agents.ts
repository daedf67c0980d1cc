/**
 * The rules that may match each agent. They are found once for each agent, and updated after every changed rule. So
 * after a change, only the changed rule is evaluated again for each agent.
 */

import { recentlyUsed } from '../recently-used.ts';
import { stepBudgetOfAction } from '../step-budget.ts';
import {
  type AgentAttributes,
  type Asked,
  type Candidate,
  candidateOf,
  candidateRules,
  fieldsOf,
  fits,
  type StepBudgets,
  type StepCost,
} from './ask-rules.ts';
import type { FieldPath } from './condition.ts';
import type { Rule } from './rule.ts';

/** A change of one rule. `before` is null for a new rule, and `after` is null for a removed rule. */
export type RuleChange = { before: Rule | null; after: Rule | null };

/**
 * The rules that may match an agent, by the agent's attributes alone. Their other conditions depend on the action.
 * `fields`: the fields that these conditions read.
 */
export type Candidates = StepCost & {
  agent: AgentAttributes;
  /**
   * A number that identifies this result. It changes with the agent, and after every change of the agent or of a
   * rule.
   */
  number: number;
  enforced: Asked;
  shadow: Asked;
  fields: readonly FieldPath[];
};

export type RulesOfAgents = {
  of(agent: AgentAttributes, stepBudgets: StepBudgets): Candidates;
  change(changes: readonly RuleChange[]): void;
  /**
   * Returns a new object with the rules after these changes, for a few questions. The object on which this is called
   * stays unchanged.
   */
  after(changes: readonly RuleChange[]): RulesOfAgents;
};

/**
 * How many changes are kept. If more rules were changed since an agent's last action, all its rules are looked up
 * again.
 */
const CHANGES_KNOWN = 1_000;

type Known = Candidates & { changes: number };

/** @param known the number of agents that are cached; at most twice as many are in memory */
export function rulesOfAgents(rules: readonly Rule[], known: number): RulesOfAgents {
  const byId = rules.toSorted((one, other) => (one.id < other.id ? -1 : 1)).map(candidateOf);
  return ofCandidates(
    byId.filter(({ rule }) => !isInShadow(rule)),
    byId.filter(({ rule }) => isInShadow(rule)),
    known,
  );
}

/** Makes the object from two lists. Both must be sorted by the ids of their rules. */
function ofCandidates(enforced: Candidate[], inShadow: Candidate[], known: number): RulesOfAgents {
  const ofAgents = recentlyUsed<Known>(known);
  /** `changes` are the last changes, and `changed` is the number of all changes. */
  const changes: RuleChange[] = [];
  let changed = 0;
  let made = 0;

  function remember(agent: AgentAttributes, enforced: Asked, shadow: Asked): Candidates {
    made += 1;
    const candidates = {
      ...{ agent, enforced, shadow, number: made, changes: changed },
      fields: fieldsOf([...holdingOf(enforced), ...holdingOf(shadow)]),
      ...{ steps: enforced.steps, shadowSteps: shadow.steps },
    };
    if (enforced.ok && shadow.ok) ofAgents.set(agent.id, candidates);
    return candidates;
  }

  /** Returns the candidates, updated by the latest changes. Null if an update would cost as much as a new look-up. */
  function upToDate(one: Known): Candidates | null {
    const behind = changed - one.changes;
    if (behind === 0) return one;
    if (behind > changes.length) return null;
    const { agent, enforced, shadow } = one;
    const stepBudget = stepBudgetOfAction();
    const held = { enforced: copyOf(enforced), shadow: copyOf(shadow) };
    for (const { before, after } of changes.slice(-behind)) {
      for (const rule of [before, after]) {
        if (rule === null) continue;
        const asked = candidateRules([candidateOf(rule)], agent, stepBudget);
        if (!asked.ok) return null;
        stepBudget.left -= asked.steps;
        const side = held[isInShadow(rule) ? 'shadow' : 'enforced'];
        side.steps += rule === before ? -asked.steps : asked.steps;
        for (const candidate of asked.holding) {
          if (rule === before) remove(side.holding, rule.id);
          else insert(side.holding, candidate);
        }
      }
    }
    return remember(agent, { ok: true, ...held.enforced }, { ok: true, ...held.shadow });
  }

  return {
    of(agent, stepBudgets) {
      const before = ofAgents.get(agent.id);
      const known = before?.agent === agent ? upToDate(before) : null;
      if (known !== null && fits(stepBudgets, known)) return known;
      return remember(
        agent,
        candidateRules(enforced, agent, stepBudgets.enforced),
        candidateRules(inShadow, agent, stepBudgets.shadow),
      );
    },
    change(more) {
      for (const { before, after } of more) {
        if (before !== null) remove(isInShadow(before) ? inShadow : enforced, before.id);
        if (after !== null) insert(isInShadow(after) ? inShadow : enforced, candidateOf(after));
      }
      changes.push(...more);
      changed += more.length;
      changes.splice(0, Math.max(0, changes.length - CHANGES_KNOWN));
    },
    after(more) {
      const others = ofCandidates([...enforced], [...inShadow], 1);
      others.change(more);
      return others;
    },
  };
}

/** True if the rule is in shadow, so its verdict is only recorded. A rule in any other mode affects the mandate. */
export function isInShadow({ mode }: Rule): boolean {
  return mode === 'shadow';
}

function holdingOf(asked: Asked): readonly Candidate[] {
  return asked.ok ? asked.holding : [];
}

function copyOf(asked: Asked): { holding: Candidate[]; steps: number } {
  return { holding: [...holdingOf(asked)], steps: asked.steps };
}

/** Returns the index of a rule, or the index at which it would be inserted. */
function placeOf(byId: readonly Candidate[], id: string): number {
  let [from, to] = [0, byId.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((byId[middle] as Candidate).rule.id < id) from = middle + 1;
    else to = middle;
  }
  return from;
}

function remove(byId: Candidate[], id: string): void {
  const place = placeOf(byId, id);
  if (byId[place]?.rule.id === id) byId.splice(place, 1);
}

function insert(byId: Candidate[], candidate: Candidate): void {
  byId.splice(placeOf(byId, candidate.rule.id), 0, candidate);
}
