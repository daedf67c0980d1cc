/** Describes the effect of a control event in a plain sentence. */
import type { ControlEventFound } from '@mandate/query';
import { dollars } from './money.ts';
import { counted } from './numbers.ts';
import { duration } from './time.ts';

type Event = Omit<ControlEventFound, 'log'>;

/** A refused change had no effect, and the sentence says so. */
export function changeInWords(event: Event): string {
  const sentence = SENTENCES[event.event](event);
  return event.refusal === null ? sentence : `Refused, so nothing changed. Asked for: «${sentence}»`;
}

type Sentence = (event: Event) => string;

const SENTENCES: Readonly<Record<Event['event'], Sentence>> = {
  'agent.killed': (event) => `${agentsOf(event)} killed.${stillOpen(event)}`,
  'agent.revived': (event) => `${agentsOf(event)} revived, and may act again.`,
  'budget.adjusted': ({ deltaMicros, ...event }) => {
    if (deltaMicros === null) return `The counter of ${budgetOf(event)} was corrected.`;
    const amount = dollars(Math.abs(deltaMicros));
    return deltaMicros < 0
      ? `${amount} was given back to ${budgetOf(event)}.`
      : `${amount} was charged to ${budgetOf(event)}.`;
  },
  'approval.recorded': ({ agentId, actionId, answer }) =>
    `A person ${answer === 'denied' ? 'denied' : 'approved'} the action ${actionId} of ${agentId}.`,
  'ledger.epoch': ({ ledgerEpoch }) => `The ledger began the epoch ${ledgerEpoch}.`,
  'agent.put': ({ subject }) => `The agent ${subject} was registered, or its document was changed.`,
  'agent.retired': ({ subject }) => `The agent ${subject} was taken off the register.`,
  'key.issued': ({ subject, agentId }) => `The agent ${agentId} got the key ${subject}.`,
  'key.revoked': ({ subject, agentId }) => `The key ${subject} of the agent ${agentId} was revoked.`,
  'role.granted': ({ subject, keyName, role }) => `${keyName} got the key ${subject} with the role ${role}.`,
  'role.revoked': ({ subject }) => `The key ${subject} of a person or a service was revoked.`,
  'policy.published': ({ subject, policyVersion }) =>
    policyVersion === null
      ? `A version of the policy ${subject} was published.`
      : `Version ${policyVersion} of the policy ${subject} was published.`,
  'policy.archived': ({ subject }) => `The policy ${subject} was archived, so no rule can give it.`,
  'rule.put': ({ subject }) => `The rule ${subject} was made or changed.`,
  'rule.removed': ({ subject }) => `The rule ${subject} was removed.`,
  'rules.reordered': () => 'The rules were put into another order. This changes no decision.',
  'grant.issued': ({ subject, agentId }) => `The agent ${agentId} got the grant ${subject}.`,
  'grant.revoked': ({ subject }) => `The grant ${subject} was revoked.`,
  'manifest.published': ({ subject, policyVersion }) =>
    policyVersion === null
      ? `A version of the manifest ${subject} was published.`
      : `Version ${policyVersion} of the manifest ${subject} was published.`,
  'manifest.removed': ({ subject }) =>
    `The manifest ${subject} was removed, with its agents, policies and rules.`,
  'tenant.put': ({ subject }) => `The tenant ${subject} was opened, or its document was changed.`,
  'tenant.closed': ({ subject }) => `The tenant ${subject} was closed. Nothing is allowed in it.`,
};

function agentsOf({ scope, agentId }: Event): string {
  if (scope === 'all') return 'Every agent of every tenant was';
  if (scope === 'tenant') return 'Every agent of the tenant was';
  return scope === 'subtree' ? `${agentId} and its descendants were` : `The agent ${agentId} was`;
}

function stillOpen({ openCount }: Event): string {
  if (openCount === null) return '';
  if (openCount === 0) return ' No call was running.';
  return ` ${counted(openCount)} ${openCount === 1 ? 'call' : 'calls'} could still run.`;
}

function budgetOf({
  budgetScope,
  budgetSubject,
  budgetId,
  budgetWindowMs,
}: Pick<Event, 'budgetScope' | 'budgetSubject' | 'budgetId' | 'budgetWindowMs'>): string {
  const owner = budgetScope === 'tenant' ? 'the tenant' : `the ${budgetScope} ${budgetSubject}`;
  const window = budgetWindowMs === null ? '' : `, which counts ${duration(budgetWindowMs)}`;
  return `the budget «${budgetId}» of ${owner}${window}`;
}
