/** The only place where a topic, a key or a consumer group is named. */

export const TOPICS = {
  /** Written by the gateway, and by producers that are trusted for every tenant. */
  actions: 'mandate.actions.v1',
  decisions: 'mandate.decisions.v1',
  deadLetters: 'mandate.deadletters.v1',
} as const;

export const GROUPS = {
  decider: 'mandate.decider',
  recorder: 'mandate.recorder',
} as const;

/** A set of audit tables is filled by a group of its own: new tables are filled from the start of the log. */
export function recorderGroup(auditId: string): string {
  return `${GROUPS.recorder}.${auditId}`;
}

/** One agent's records share a key, so they stay in order. A tenant's name holds no slash, so this is reversible. */
export function agentKey(tenant: string, agentId: string): string {
  return `${tenant}/${agentId}`;
}

/** A tenant that publishes directly has a topic of its own, guarded by the log's ACL: whose it is, or null for the shared one. */
export function tenantOfTopic(topic: string): string | null {
  const prefix = `${TOPICS.actions}.`;
  return topic.startsWith(prefix) ? topic.slice(prefix.length) : null;
}

/** The topic of its own that a tenant publishes to directly: the inverse of `tenantOfTopic`. */
export function topicOfTenant(tenant: string): string {
  return `${TOPICS.actions}.${tenant}`;
}
