/** Finds the agents to which a change of documents applies. */
import { consume, mayMatch, type StepBudget } from '@mandate/policy/parts';
import { type ControlRecord, policyNamed } from '@mandate/schemas';
import { agentOf } from '../compile-control.ts';
import { singleChanges } from '../manifests/single-changes.ts';
import type { TenantControl } from '../tenant-control.ts';
import { STEPS_OF_ONE } from './lint-budget.ts';
import { type RuleRead, rulesOf } from './rules-read.ts';

/** At most this many agents are named, because the answer to a person lists them. */
const MOST = 100;

/** `isComplete`: false if there may be more agents than the named ones. */
export type AgentsConcerned = { ids: readonly string[]; isComplete: boolean };

/**
 * Returns the agents that the changed document governs, before or after the change, by id.
 *
 * @param before the state before the change
 * @param after the state after the change
 */
export function agentsConcerned(
  before: TenantControl,
  after: TenantControl,
  record: ControlRecord,
): AgentsConcerned {
  const stepBudget: StepBudget = { left: STEPS_OF_ONE };
  const found = new Set<string>();
  for (const change of singleChanges(before, record))
    for (const state of [before, after])
      for (const id of concerned(state, before, change, stepBudget)) {
        if (found.size === MOST && !found.has(id)) return { ids: [...found].sort(), isComplete: false };
        found.add(id);
      }
  return { ids: [...found].sort(), isComplete: stepBudget.left >= 0 };
}

function* concerned(
  state: TenantControl,
  before: TenantControl,
  change: ControlRecord,
  stepBudget: StepBudget,
): Iterable<string> {
  switch (change.event) {
    case 'agent.put':
      yield* withDescendants(state, change.agent.id);
      return;
    case 'agent.retired':
      yield* withDescendants(state, change.agentId);
      return;
    case 'key.issued':
    case 'key.revoked':
      yield change.agentId;
      return;
    case 'policy.published':
    case 'policy.archived': {
      const id = change.event === 'policy.published' ? change.policy.id : change.policyId;
      yield* matched(state, (rule) => policyNamed(rule.document.policy).id === id, stepBudget);
      return;
    }
    case 'rule.put':
    case 'rule.removed': {
      const id = change.event === 'rule.put' ? change.rule.id : change.ruleId;
      yield* matched(state, (rule) => rule.document.id === id, stepBudget);
      return;
    }
    case 'rules.reordered': {
      const places = new Map(change.ruleIds.map((id, place) => [id, place]));
      const moves = ({ document: { id } }: RuleRead) =>
        before.rules.get(id)?.document.priority !== places.get(id);
      yield* matched(state, moves, stepBudget);
      return;
    }
    case 'grant.issued':
      yield change.grant.agentId;
      return;
    case 'grant.revoked': {
      const agentId = state.issued.byId.get(change.grantId)?.document.agentId;
      if (agentId !== undefined) yield agentId;
      return;
    }
    case 'tenant.put':
    case 'tenant.closed':
      yield* state.agents.keys();
      return;
    default:
      return;
  }
}

/** The limits of an agent apply to its descendants too. */
function* withDescendants({ agents }: TenantControl, id: string): Iterable<string> {
  const childrenOf = Map.groupBy(agents.values(), ({ document }) => document.parent);
  const seen = new Set([id]);
  for (const one of seen) {
    yield one;
    for (const { document } of childrenOf.get(one) ?? []) seen.add(document.id);
  }
}

function* matched(
  state: TenantControl,
  isMeant: (rule: RuleRead) => boolean,
  stepBudget: StepBudget,
): Iterable<string> {
  const rules = rulesOf(state).filter(isMeant);
  for (const kept of state.agents.values()) {
    if (!consume(stepBudget, rules.length)) return;
    const agent = agentOf(kept);
    if (rules.some(({ read }) => read.ok && mayMatch(read.compiled, agent, stepBudget))) yield agent.id;
  }
}
