/**
 * The current rules of a tenant, with an index of the agents that each rule may match. Only changed rules are indexed
 * again.
 */

import type { Rule } from '@mandate/policy';
import { type RuleChange, type RulesOfAgents, rulesOfAgents } from '@mandate/policy/parts';
import type { RuleDocument } from '@mandate/schemas';
import { ruleOf } from './compile-control.ts';
import type { Revisioned } from './revisioned.ts';
import type { TenantControl } from './tenant-control.ts';

export type StandingRules = {
  readonly ofAgents: RulesOfAgents;
  /** The shadow rules, as if they were in force. */
  readonly watching: RulesOfAgents;
  readonly areWatching: boolean;
  /** Updates the index to the current rules of the tenant. */
  follow(control: Pick<TenantControl, 'rules' | 'rulesRevision'>): void;
};

const AGENTS_KNOWN = 10_000;
/**
 * If more rules than this changed at once, all rules are indexed again. Many single changes would take longer,
 * because each moves all later entries of a list.
 */
const MANY = 1_000;

export function standingRules(): StandingRules {
  let known = new Map<string, Revisioned<RuleDocument>>();
  let ofAgents = rulesOfAgents([], AGENTS_KNOWN);
  let watching = rulesOfAgents([], AGENTS_KNOWN);
  let inShadow = 0;
  let followedTo = 0;

  function startAnew(): void {
    const all = [...known.values()].map((kept) => ruleOf(kept));
    const enforced = all.flatMap((rule) => asEnforced(rule) ?? []);
    ofAgents = rulesOfAgents(all, AGENTS_KNOWN);
    watching = rulesOfAgents(enforced, AGENTS_KNOWN);
    inShadow = enforced.length;
  }

  function change(changes: readonly RuleChange[]): void {
    ofAgents.change(changes);
    const ofShadow = changes
      .map(({ before, after }) => ({ before: asEnforced(before), after: asEnforced(after) }))
      .filter(({ before, after }) => before !== null || after !== null);
    watching.change(ofShadow);
    for (const { before, after } of ofShadow) inShadow += Number(after !== null) - Number(before !== null);
  }

  return {
    get ofAgents() {
      return ofAgents;
    },
    get watching() {
      return watching;
    },
    get areWatching() {
      return inShadow > 0;
    },
    follow({ rules, rulesRevision }) {
      const changes: {
        before: Revisioned<RuleDocument> | undefined;
        after: Revisioned<RuleDocument> | undefined;
      }[] = [];
      let removed = known.size - rules.size;
      for (const after of rules.values()) {
        if (after.revision <= followedTo) continue;
        const before = known.get(after.document.id);
        if (before === undefined) removed += 1;
        changes.push({ before, after });
      }
      followedTo = rulesRevision;
      for (const [id, before] of removed === 0 ? [] : known)
        if (!rules.has(id)) changes.push({ before, after: undefined });
      if (changes.length > MANY) {
        known = new Map(rules);
        startAnew();
        return;
      }
      for (const { before, after } of changes) {
        if (after !== undefined) known.set(after.document.id, after);
        else if (before !== undefined) known.delete(before.document.id);
      }
      const compiled = (kept: Revisioned<RuleDocument> | undefined) =>
        kept === undefined ? null : ruleOf(kept);
      change(changes.map(({ before, after }) => ({ before: compiled(before), after: compiled(after) })));
    },
  };
}

function asEnforced(rule: Rule | null): Rule | null {
  return rule?.mode === 'shadow' ? { ...rule, mode: 'enforce' } : null;
}
