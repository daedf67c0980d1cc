/**
 * What the audit keeps of a change of the control topic: its kind, its subject, and the document. A row also has the
 * result of the change, which no record can have: it follows from all those before it.
 */
import type { ControlRecord } from '@mandate/schemas';
import type { Recorded } from '../recorded.ts';

export type ControlChange = ControlRecord & { became: WhatBecame };

/** What its readers found, all of them the same: as the policy package tells it. */
type WhatBecame = {
  /** Its place on the log, counted from 1. */
  revision: number;
  /** Why it never took effect; null where it did. */
  refusal: string | null;
  /** The change had been made before, and happened once. */
  isRepeat: boolean;
  /** For a policy that it published: the number of this version; 0 for anything else. */
  policyVersion: number;
};

/** `subject`: the id of what was changed. `kept`: the record without who, when and why. */
type Kept = { subject: string; agentId?: string; kept: object };

const KEPT: {
  readonly [Event in ControlRecord['event']]: (record: Extract<ControlRecord, { event: Event }>) => Kept;
} = {
  'agent.put': ({ agent }) => ({ subject: agent.id, agentId: agent.id, kept: { agent } }),
  'agent.retired': ({ agentId }) => ({ subject: agentId, agentId, kept: { agentId } }),
  // Without the hash, here and below: a writer of the log could use it to let itself in, and it says nothing about the
  // change.
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
  'mandate.issued': ({ mandate }) => ({ subject: mandate.id, agentId: mandate.agentId, kept: { mandate } }),
  'mandate.revoked': ({ mandateId }) => ({ subject: mandateId, kept: { mandateId } }),
  'tenant.put': ({ tenant }) => ({ subject: tenant.id, kept: { tenant } }),
  'tenant.closed': ({ change }) => ({ subject: change.tenant, kept: {} }),
};

function keptOf(record: ControlRecord): Kept {
  // One of the functions by its own record, which TypeScript cannot follow through the union.
  return (KEPT[record.event] as (record: ControlRecord) => Kept)(record);
}

/** On its way into the table, or into quarantine: what is no business of an auditor's is in neither. */
export function recordedChange(
  record: ControlRecord,
  became: WhatBecame,
  origin: Pick<Recorded<ControlRecord>, 'position' | 'recordedAtMs' | 'traceId'>,
): Recorded<ControlChange> {
  const { event, change } = record;
  const value = new TextEncoder().encode(JSON.stringify({ event, change, ...keptOf(record).kept }));
  return { ...origin, record: { ...record, became }, value, void: became.isRepeat };
}

/** The id of its row, by its place: the change's own id may come again, of another change that is refused for that. */
export function idOfChange(revision: number): string {
  return `chg_${String(revision).padStart(16, '0')}`;
}

/** The columns of its row that are its own. */
export function toldOfChange(record: ControlChange) {
  const { change, became } = record;
  const { subject, agentId = '' } = keptOf(record);
  return {
    id: idOfChange(became.revision),
    tenant: change.tenant,
    scope: '',
    agent_id: agentId,
    made_by: change.by,
    reason: change.reason,
    ledger_epoch: '',
    happened_at: change.at,
    subject,
    policy_version: became.policyVersion,
    revision: became.revision,
    refusal: became.refusal ?? '',
  };
}
