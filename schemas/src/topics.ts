/** The only place where a topic, a key or a consumer group is named. */

export const TOPICS = {
  /** Written by the gateway, and by producers that are trusted for every tenant. */
  actions: 'mandate.actions.v1',
  decisions: 'mandate.decisions.v1',
  deadLetters: 'mandate.deadletters.v1',
  /** Folds of the decisions, so that the next one need not begin at their start. */
  snapshots: 'mandate.snapshots.v1',
  /** What people should know, and which webhooks were told. */
  alerts: 'mandate.alerts.v1',
  /** Who read what of the audit. */
  access: 'mandate.access.v1',
  /** Which persons were forgotten. */
  persons: 'mandate.persons.v1',
  /** Every change of agents, policies and rules. */
  control: 'mandate.control.v1',
  /** Folds of that, so that a process which starts need not begin at its start. */
  controlSnapshots: 'mandate.controlsnapshots.v1',
} as const;

export const GROUPS = {
  decider: 'mandate.decider',
  recorder: 'mandate.recorder',
  alerter: 'mandate.alerter',
} as const;

/** A set of audit tables is filled by a group of its own: new tables are filled from the start of the log. */
export function recorderGroup(auditId: string): string {
  return `${GROUPS.recorder}.${auditId}`;
}

/** One agent's records share a key, so they stay in order. A tenant's name holds no slash, so this is reversible. */
export function agentKey(tenant: string, agentId: string): string {
  return `${tenant}/${agentId}`;
}

/**
 * A tenant that publishes directly has its own topic, guarded by the log's ACL. Returns this tenant, or null for a shared
 * topic.
 */
export function tenantOfTopic(topic: string): string | null {
  const prefix = `${TOPICS.actions}.`;
  return topic.startsWith(prefix) ? topic.slice(prefix.length) : null;
}

/** The topic of its own that a tenant publishes to directly: the inverse of `tenantOfTopic`. */
export function topicOfTenant(tenant: string): string {
  return `${TOPICS.actions}.${tenant}`;
}

const DAY_MS = 24 * 60 * 60 * 1_000;

/** The settings that a topic needs for its records. `retentionMs: null`: records are always kept. */
export type TopicSettings = {
  /** How many it is made with. More later would move keys, and with them the order of an agent's records. */
  partitions: number;
  retentionMs: number | null;
  /** The largest batch of records; one record fits by far, for its own cap is lower (CAPS.recordBytes). */
  maxBatchBytes: number;
};

/** Requests are needed until they are decided, and some days longer for people to look at. Decisions are always kept. */
const REQUESTS: TopicSettings = { partitions: 8, retentionMs: 7 * DAY_MS, maxBatchBytes: 1_048_588 };
/** A decision holds its request, and what each check saw and said; a dead letter its bytes in base64. */
const KEPT: TopicSettings = { partitions: 8, retentionMs: null, maxBatchBytes: 2_097_164 };
/** One partition for what the snapshots hold, and one that lists them: the newest is then the last that is listed. */
const SNAPSHOTS: TopicSettings = { ...KEPT, partitions: 2 };

/** One partition: what was raised, cleared and delivered is one order, and one alerter at a time delivers. */
const ALERTS: TopicSettings = { ...KEPT, partitions: 1 };

/** One partition: people ask a few questions a second, and what they read is then one list that nothing can be missing from. */
const ACCESS: TopicSettings = { ...KEPT, partitions: 1 };

/** One partition: erasures are few, and the first record of all says with which keys this log is sealed. */
const PERSONS: TopicSettings = { ...KEPT, partitions: 1 };

/** One partition: what changes agents, policies and rules is one order, in which every reader finds who came first. */
const CONTROL: TopicSettings = { ...KEPT, partitions: 1 };

/** How to set up each topic of Mandate; an unknown topic keeps its records always. */
export function settingsOfTopic(topic: string): TopicSettings {
  const takesRequests = topic === TOPICS.actions || tenantOfTopic(topic) !== null;
  if (takesRequests) return REQUESTS;
  if (topic === TOPICS.alerts) return ALERTS;
  if (topic === TOPICS.access) return ACCESS;
  if (topic === TOPICS.persons) return PERSONS;
  if (topic === TOPICS.control) return CONTROL;
  return topic === TOPICS.snapshots || topic === TOPICS.controlSnapshots ? SNAPSHOTS : KEPT;
}
