/** The only place that names topics, keys and consumer groups. */

export const TOPICS = {
  /** The gateway writes this topic, and producers that are trusted for every tenant. */
  actions: 'mandate.actions.v1',
  decisions: 'mandate.decisions.v1',
  deadLetters: 'mandate.deadletters.v1',
  /** Folds of the decisions. The next fold begins there instead of at the start of the log. */
  snapshots: 'mandate.snapshots.v1',
  /** Alerts, and the webhooks that received them. */
  alerts: 'mandate.alerts.v1',
  /** Reads of the audit. */
  access: 'mandate.access.v1',
  /** Persons that were forgotten. */
  persons: 'mandate.persons.v1',
  /** Every change of agents, policies and rules. */
  control: 'mandate.control.v1',
  /** Folds of the control topic. A process that starts begins there instead of at the start of the topic. */
  controlSnapshots: 'mandate.controlsnapshots.v1',
} as const;

export const GROUPS = {
  decider: 'mandate.decider',
  recorder: 'mandate.recorder',
  alerter: 'mandate.alerter',
} as const;

/**
 * Returns the consumer group of a set of audit tables. New tables have a new group, so that they are filled from the
 * start of the log.
 */
export function recorderGroup(auditId: string): string {
  return `${GROUPS.recorder}.${auditId}`;
}

/**
 * Returns the key of an agent's records. Records with one key stay in order. The name of a tenant has no slash, so
 * the key can be split again.
 */
export function agentKey(tenant: string, agentId: string): string {
  return `${tenant}/${agentId}`;
}

/**
 * Returns the tenant of a topic that the tenant writes itself, protected by the log's ACL. Null for a shared topic.
 */
export function tenantOfTopic(topic: string): string | null {
  const prefix = `${TOPICS.actions}.`;
  return topic.startsWith(prefix) ? topic.slice(prefix.length) : null;
}

/** Returns the topic that a tenant writes itself: the inverse of `tenantOfTopic`. */
export function topicOfTenant(tenant: string): string {
  return `${TOPICS.actions}.${tenant}`;
}

const DAY_MS = 24 * 60 * 60 * 1_000;

/** The settings that a topic needs for its records. `retentionMs: null`: records are always kept. */
export type TopicSettings = {
  /**
   * The number of partitions of a new topic. More partitions later would move keys, and so change the order of an
   * agent's records.
   */
  partitions: number;
  retentionMs: number | null;
  /** The largest batch of records. One record always fits, because its own cap is lower (CAPS.recordBytes). */
  maxBatchBytes: number;
};

/**
 * Requests are needed until they are decided, and people may look at them for some days. Decisions are always kept.
 */
const REQUESTS: TopicSettings = { partitions: 8, retentionMs: 7 * DAY_MS, maxBatchBytes: 1_048_588 };
/** A decision contains its request and the evidence of each check. A dead letter contains its bytes in base64. */
const KEPT: TopicSettings = { partitions: 8, retentionMs: null, maxBatchBytes: 2_097_164 };
/** One partition has the snapshots, and the other lists them: the last listed snapshot is the newest. */
const SNAPSHOTS: TopicSettings = { ...KEPT, partitions: 2 };

/** One partition: alerts and deliveries have one order, and one alerter at a time delivers. */
const ALERTS: TopicSettings = { ...KEPT, partitions: 1 };

/** One partition: people ask a few questions a second, and their reads form one list that can miss nothing. */
const ACCESS: TopicSettings = { ...KEPT, partitions: 1 };

/** One partition: erasures are rare, and the first record of the topic names the key file of this log. */
const PERSONS: TopicSettings = { ...KEPT, partitions: 1 };

/** One partition: changes have one order, in which every reader finds which change came first. */
const CONTROL: TopicSettings = { ...KEPT, partitions: 1 };

/** Returns the settings of a topic. Unknown topics always keep their records. */
export function settingsOfTopic(topic: string): TopicSettings {
  const takesRequests = topic === TOPICS.actions || tenantOfTopic(topic) !== null;
  if (takesRequests) return REQUESTS;
  if (topic === TOPICS.alerts) return ALERTS;
  if (topic === TOPICS.access) return ACCESS;
  if (topic === TOPICS.persons) return PERSONS;
  if (topic === TOPICS.control) return CONTROL;
  return topic === TOPICS.snapshots || topic === TOPICS.controlSnapshots ? SNAPSHOTS : KEPT;
}
