/** Finds what a change of agents, policies, rules or a tenant newly allows. */
import type { ControlRecord, RuleDocument } from '@mandate/schemas';
import type { TenantControl } from '../tenant-control.ts';
import { agentWidening } from './agent-widening.ts';
import { attributesAsked } from './attributes-asked.ts';
import { type PolicyOf, ruleWidening } from './rule-widening.ts';
import { meant } from './rules-read.ts';
import { tenantLimitsWidening } from './tenant-limits-widening.ts';
import { widening, wideningByArrival } from './widening.ts';

/** A control record without its metadata (who made the change, when and why). */
export type ControlChange = ControlRecord extends infer Each
  ? Each extends unknown
    ? Omit<Each, 'change'>
    : never
  : never;

/**
 * Returns a line of text for each new permission. Empty if there is none. Permissions that rules give to a new agent
 * are not reported.
 *
 * @param control the state before the change
 */
export function controlWidening(
  control: TenantControl,
  change: ControlChange,
  atMs: number,
): readonly string[] {
  switch (change.event) {
    case 'agent.put': {
      const { agent } = change;
      if (control.retired.has(agent.id))
        return ['it was retired: rules apply again to it and its descendants'];
      const before = control.agents.get(agent.id)?.document;
      return before === undefined
        ? []
        : agentWidening(before, agent, attributesAsked(documentsOf(control.rules)));
    }
    case 'policy.published': {
      const { policy } = change;
      const { versions = [], isArchived = false } = control.policies.get(policy.id) ?? {};
      const there = { versions: versions.length, isArchived };
      const before = versions.at(-1)?.document;
      return [
        ...wideningByArrival(policy.id, there, documentsOf(control.rules), atMs),
        ...(before === undefined ? [] : widening(before, policy)),
      ];
    }
    case 'rule.put':
    case 'rule.removed': {
      const ruleId = change.event === 'rule.put' ? change.rule.id : change.ruleId;
      const policyOf: PolicyOf = (rule) => meant(control, rule)?.document ?? null;
      return ruleWidening(
        control.rules.get(ruleId)?.document ?? null,
        change.event === 'rule.put' ? change.rule : null,
        { atMs, was: policyOf, is: policyOf },
      );
    }
    case 'tenant.put': {
      const { opened } = control;
      if (opened === null) return [];
      return [
        ...(opened.closedAt === null ? [] : ['it was closed: nothing was allowed in it']),
        ...tenantLimitsWidening(opened.document, change.tenant),
      ];
    }
    default:
      return [];
  }
}

function documentsOf(rules: TenantControl['rules']): readonly RuleDocument[] {
  return [...rules.values()].map(({ document }) => document);
}
