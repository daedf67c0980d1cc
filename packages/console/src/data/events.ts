/** What each control event means, in words. */
import type { ControlEventFound } from '@mandate/query';

type EventName = ControlEventFound['event'];

/** The title of an event, and the description of its effect. */
export const EVENTS: Readonly<Record<EventName, readonly [title: string, meaning: string]>> = {
  'agent.killed': [
    'Kill',
    'An agent, its descendants, a tenant or everything was killed: nothing is allowed.',
  ],
  'agent.revived': ['Revive', 'A kill was ended. The agent may act again.'],
  'budget.adjusted': ['Budget adjusted', 'A person charged money to a budget, or gave money back.'],
  'approval.recorded': ['Approval answered', 'A person approved or denied a call that waited.'],
  'ledger.epoch': ['Ledger epoch', 'The ledger began, or was rebuilt from the log.'],
  'agent.put': ['Agent registered or changed', 'The document of an agent was written.'],
  'agent.retired': ['Agent retired', 'No rule applies to the agent any more.'],
  'key.issued': ['Agent key issued', 'An agent got an API key.'],
  'key.revoked': ['Agent key revoked', 'An API key of an agent holds no more.'],
  'role.granted': ['Key of a person issued', 'A person or a service got an API key with a role.'],
  'role.revoked': ['Key of a person revoked', 'An API key with a role holds no more.'],
  'policy.published': [
    'Policy published',
    'A new version of a policy. Rules that name no version give it at once.',
  ],
  'policy.archived': ['Policy archived', 'Rules cannot give the policy any more. Rules that name it block.'],
  'rule.put': ['Rule written', 'A rule was made or changed. It says which agents get a policy.'],
  'rule.removed': ['Rule removed', 'The rule gives its policy to nobody any more.'],
  'rules.reordered': ['Rules reordered', 'The order in which people read rules. It changes no decision.'],
  'grant.issued': ['Grant issued', 'One agent got authority for a limited time and one context.'],
  'grant.revoked': ['Grant revoked', 'A grant ended before its time.'],
  'manifest.published': [
    'Manifest published',
    'A version of an agent manifest, with its agents, policies and rules.',
  ],
  'manifest.removed': ['Manifest removed', 'The agents, policies and rules of a manifest are gone.'],
  'tenant.put': ['Tenant opened or changed', 'The limits of a tenant were written.'],
  'tenant.closed': ['Tenant closed', 'No action of the tenant is allowed.'],
};

export function titleOf(event: string): string {
  return (EVENTS as Readonly<Record<string, readonly [string, string]>>)[event]?.[0] ?? event;
}
