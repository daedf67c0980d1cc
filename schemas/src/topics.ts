/** The only place that names topics, keys and consumer groups. */

export const TOPICS = {
  /**
   * The requests and outcomes of agents. The gateway writes this topic, and so do producers that are trusted for
   * every tenant.
   */
  actions: 'mandate.actions.v1',
  decisions: 'mandate.decisions.v1',
  deadLetters: 'mandate.deadletters.v1',
  /**
   * Snapshots of the ledger, built from the decisions. A rebuild starts from the newest snapshot, not from the start
   * of the log.
   */
  snapshots: 'mandate.snapshots.v1',
  /** Alerts, and the webhooks that received each of them. */
  alerts: 'mandate.alerts.v1',
  /** Reads of the audit. */
  access: 'mandate.access.v1',
  /** The decisions and settlements of SDKs. The plane only records them. */
  sdkRecords: 'mandate.sdkrecords.v1',
  /** The events of runs of workflows. The key of a record is the tenant and the run. */
  runs: 'mandate.runs.v1',
  /** What the context builders of programs picked for chat requests. The plane only records it. */
  context: 'mandate.context.v1',
  /** Persons that were forgotten. */
  persons: 'mandate.persons.v1',
  /** Every change of agents, policies and rules. */
  control: 'mandate.control.v1',
  /**
   * Snapshots of the control state. A process starts from the newest snapshot, not from the start of the control
   * topic.
   */
  controlSnapshots: 'mandate.controlsnapshots.v1',
} as const;

export const GROUPS = {
  decider: 'mandate.decider',
  recorder: 'mandate.recorder',
  alerter: 'mandate.alerter',
  runner: 'mandate.runner',
} as const;

/**
 * Returns the consumer group of a set of audit tables. New tables have a new group, so they are filled from the start
 * of the log.
 */
export function recorderGroup(auditId: string): string {
  return `${GROUPS.recorder}.${auditId}`;
}

/**
 * Returns the key of an agent's records. Records with the same key stay in order. The name of a tenant contains no
 * slash, so the key can be split again.
 */
export function agentKey(tenant: string, agentId: string): string {
  return `${tenant}/${agentId}`;
}

/** Returns the key of a run's events, so that they stay in order. */
export function runKey(tenant: string, runId: string): string {
  return `${tenant}/${runId}`;
}

/**
 * Returns the tenant of a topic that the tenant writes itself. The log's ACL protects such a topic. Null for a shared
 * topic.
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

/** The settings of a topic. `retentionMs: null`: records are always kept. */
export type TopicSettings = {
  /**
   * The number of partitions of a new topic. It must not grow later, because keys would move and the order of an
   * agent's records would change.
   */
  partitions: number;
  retentionMs: number | null;
  /**
   * The largest batch of records in bytes. One record always fits, because its own limit is lower (CAPS.recordBytes).
   */
  maxBatchBytes: number;
};

/**
 * Requests are kept for some days, until they are decided and people no longer look at them. Decisions are always
 * kept.
 */
const REQUESTS: TopicSettings = { partitions: 8, retentionMs: 7 * DAY_MS, maxBatchBytes: 1_048_588 };
/** A decision contains its request and the evidence of each check. A dead letter contains its bytes in base64. */
const KEPT: TopicSettings = { partitions: 8, retentionMs: null, maxBatchBytes: 2_097_164 };
/**
 * What context builders picked is about persons, and is of use only for some weeks. The audit may keep its rows longer
 * or shorter.
 */
const CONTEXT: TopicSettings = { ...KEPT, retentionMs: 30 * DAY_MS };
/** Two partitions. One contains the snapshots, and the other lists them. The last listed snapshot is the newest. */
const SNAPSHOTS: TopicSettings = { ...KEPT, partitions: 2 };

/** One partition, so that alerts and deliveries have one order. One alerter at a time delivers. */
const ALERTS: TopicSettings = { ...KEPT, partitions: 1 };

/** One partition, so that all reads are in one complete list. People make only a few reads a second. */
const ACCESS: TopicSettings = { ...KEPT, partitions: 1 };

/** One partition, because erasures are rare. The first record of the topic names the key file of this log. */
const PERSONS: TopicSettings = { ...KEPT, partitions: 1 };

/** One partition, so that changes have one order. Every reader then finds the same change first. */
const CONTROL: TopicSettings = { ...KEPT, partitions: 1 };

/** Returns the settings of a topic. Unknown topics always keep their records. */
export function settingsOfTopic(topic: string): TopicSettings {
  const takesRequests = topic === TOPICS.actions || tenantOfTopic(topic) !== null;
  if (takesRequests) return REQUESTS;
  if (topic === TOPICS.alerts) return ALERTS;
  if (topic === TOPICS.access) return ACCESS;
  if (topic === TOPICS.context) return CONTEXT;
  if (topic === TOPICS.persons) return PERSONS;
  if (topic === TOPICS.control) return CONTROL;
  return topic === TOPICS.snapshots || topic === TOPICS.controlSnapshots ? SNAPSHOTS : KEPT;
}
