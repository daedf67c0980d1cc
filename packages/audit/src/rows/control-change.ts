/**
 * The parts of a control topic change that the audit stores: its kind, its subject, and the document. The row also
 * contains the result of the change. The record does not contain the result, because all earlier records determine
 * it.
 */
import type { ControlRecord } from '@mandate/schemas';
import type { Recorded } from '../recorded.ts';

export type ControlChange = ControlRecord & { outcome: ChangeOutcome };

/**
 * The result of a change. The control-log package computes it, with the same result for every reader of the control
 * topic.
 */
type ChangeOutcome = {
  /** The position of the change in the control topic, counted from 1. */
  revision: number;
  /** Why the change was refused. Null if it was applied. */
  refusal: string | null;
  /** True if the same change was made before. The repeat has no effect. */
  isRepeat: boolean;
  /** The number of the version of a policy or manifest that the change published. 0 for other changes. */
  policyVersion: number;
  /** The versions of policies that a published manifest made, such as `refunds.clerk@2`. */
  policiesMade: readonly string[];
};

/** `subject`: the id of the changed document. `kept`: the record without its author, reason and time. */
type Kept = { subject: string; agentId?: string; kept: object };

const KEPT: {
  readonly [Event in ControlRecord['event']]: (record: Extract<ControlRecord, { event: Event }>) => Kept;
} = {
  'agent.put': ({ agent }) => ({ subject: agent.id, agentId: agent.id, kept: { agent } }),
  'agent.retired': ({ agentId }) => ({ subject: agentId, agentId, kept: { agentId } }),
  // The hash of a key is left out here and below. A person who can write to the log could use the hash to get access.
  'key.issued': ({ agentId, key: { hash: _, ...key } }) => ({
    subject: key.id,
    agentId,
    kept: { agentId, key },
  }),
  'key.revoked': ({ agentId, keyId }) => ({ subject: keyId, agentId, kept: { agentId, keyId } }),
  'role.granted': ({ role, key: { hash: _, ...key }, byKey }) => ({
    subject: key.id,
    kept: { role, key, byKey },
  }),
  'role.revoked': ({ keyId, byKey }) => ({ subject: keyId, kept: { keyId, byKey } }),
  'policy.published': ({ policy }) => ({ subject: policy.id, kept: { policy } }),
  'policy.archived': ({ policyId, forced }) => ({ subject: policyId, kept: { policyId, forced } }),
  'rule.put': ({ rule }) => ({ subject: rule.id, kept: { rule } }),
  'rule.removed': ({ ruleId }) => ({ subject: ruleId, kept: { ruleId } }),
  'rules.reordered': ({ ruleIds }) => ({ subject: '', kept: { ruleIds } }),
  'grant.issued': ({ grant }) => ({ subject: grant.id, agentId: grant.agentId, kept: { grant } }),
  'grant.revoked': ({ grantId }) => ({ subject: grantId, kept: { grantId } }),
  'manifest.published': ({ manifest }) => ({ subject: manifest.id, kept: { manifest } }),
  'manifest.removed': ({ manifestId, forced }) => ({ subject: manifestId, kept: { manifestId, forced } }),
  'tenant.put': ({ tenant }) => ({ subject: tenant.id, kept: { tenant } }),
  'tenant.closed': ({ change }) => ({ subject: change.tenant, kept: {} }),
};

function keptOf(record: ControlRecord): Kept {
  // Each function accepts one kind of record only. TypeScript cannot infer this from the union type.
  return (KEPT[record.event] as (record: ControlRecord) => Kept)(record);
}

/**
 * Returns the change for its table or for quarantine, without the hashes of keys. The versions of policies that a
 * manifest made are added, because its record does not contain them.
 */
export function recordedChange(
  record: ControlRecord,
  outcome: ChangeOutcome,
  origin: Pick<Recorded<ControlRecord>, 'position' | 'recordedAtMs' | 'traceId'>,
): Recorded<ControlChange> {
  const { event, change } = record;
  const { policiesMade } = outcome;
  const made = event === 'manifest.published' ? { policiesMade } : {};
  const value = new TextEncoder().encode(JSON.stringify({ event, change, ...keptOf(record).kept, ...made }));
  return { ...origin, record: { ...record, outcome }, value, void: outcome.isRepeat };
}

/**
 * Returns the row id of a change, from its revision. The id of the change is not unique: a second change with the
 * same id is refused but stored.
 */
export function idOfChange(revision: number): string {
  return `chg_${String(revision).padStart(16, '0')}`;
}

/** Returns the columns that only the rows of changes have. */
export function toldOfChange(record: ControlChange) {
  const { change, outcome } = record;
  const { subject, agentId = '' } = keptOf(record);
  return {
    id: idOfChange(outcome.revision),
    tenant: change.tenant,
    scope: '',
    agent_id: agentId,
    made_by: change.by,
    reason: change.reason,
    ledger_epoch: '',
    happened_at: change.at,
    subject,
    policy_version: outcome.policyVersion,
    revision: outcome.revision,
    refusal: outcome.refusal ?? '',
  };
}
