/** Step 1: turns a record of an actions topic into an action or an outcome of a tenant, or into a dead letter. */
import { deadLetterId } from '@mandate/policy';
import {
  type ActionsRecord,
  type AskedAction,
  CAPS,
  DEFAULTS,
  type DeadLetter,
  type Fault,
  type Outcome,
  type Pinned,
  type Read,
  readActionsRecord,
  TOPICS,
  tenantOfTopic,
  wireTime,
  writtenAction,
} from '@mandate/schemas';
import type { Incoming } from './answer.ts';

/**
 * The reporter of an outcome. `keyId`: the key of the report over HTTP, or null if a producer wrote the report to the
 * topic.
 */
type ReportedBy = { keyId: string | null; mayRelease: boolean };

export type ReadIncoming =
  /** The action always names its tenant, even if the record did not. So rules about the tenant always work. */
  | { kind: 'action'; tenant: string; action: AskedAction }
  | { kind: 'outcome'; tenant: string; outcome: Outcome; reportedBy: ReportedBy }
  | { kind: 'bad'; deadLetter: DeadLetter };

export function readIncoming(incoming: Incoming, clock: () => number): ReadIncoming {
  if (incoming.unreadable !== undefined) return bad(incoming, batchFault(incoming.unreadable), clock);
  const read = actionsRecordOf(incoming);
  if (!read.ok) return bad(incoming, read.fault, clock);
  const { value } = read;
  const stated = value.event === 'action.requested' ? value.action.tenant : value.outcome.tenant;
  const owner = tenantOfTopic(incoming.source.topic);
  if (owner !== null && stated !== undefined && stated !== owner) {
    return bad(incoming, foreignTenant(stated, owner), clock);
  }
  const tenant = owner ?? stated ?? DEFAULTS.tenant;
  if (value.event === 'action.requested') {
    return { kind: 'action', tenant, action: { ...value.action, tenant, ...pinnedIn(incoming, owner) } };
  }
  const { reportedBy, ...outcome } = value.outcome;
  if (owner !== null && reportedBy !== undefined) return bad(incoming, reporterStated(owner), clock);
  return {
    kind: 'outcome',
    tenant,
    outcome,
    reportedBy: reportedBy ?? producerOf(incoming),
  };
}

function actionsRecordOf({ value, written }: Incoming): Read<ActionsRecord> {
  const known = writtenAction(written);
  return known === null ? readActionsRecord(value) : { ok: true, value: known };
}

/**
 * Returns the fields that an API key fixed. On a tenant's own topic no field counts as fixed, because the tenant
 * writes the headers itself.
 */
function pinnedIn({ pinned }: Incoming, owner: string | null): Pinned | null {
  return owner === null ? (pinned ?? null) : null;
}

function batchFault({ reason, lastOffset }: NonNullable<Incoming['unreadable']>): Fault {
  return {
    code: 'INVALID_ACTION',
    reason: `the batch of records up to offset ${lastOffset} cannot be read: ${reason}`,
    remedy:
      'have its producer send the records again, in smaller batches, with gzip, snappy, lz4, zstd or no compression',
    pointer: '',
    line: 1,
    column: 1,
  };
}

function foreignTenant(stated: string, owner: string): Fault {
  return {
    code: 'INVALID_ACTION',
    reason: `the record names the tenant "${stated}", but this topic belongs to "${owner}"`,
    remedy: 'leave the tenant out: the topic fixes it',
    pointer: '',
    line: 1,
    column: 1,
  };
}

/**
 * Returns the reporter of an outcome that a producer wrote to the topic. A producer on the shared topic is trusted
 * for every tenant. On any other topic, each outcome counts as reported by the agent itself.
 */
function producerOf({ source }: Incoming): ReportedBy {
  return { keyId: null, mayRelease: source.topic === TOPICS.actions };
}

/**
 * Returns the fault of an outcome that states its reporter on a tenant's own topic. Only the gateway may state the
 * reporter, and the gateway writes only to the shared topic.
 */
function reporterStated(owner: string): Fault {
  return {
    code: 'INVALID_ACTION',
    reason: `the record states reportedBy, which only the gateway may set, and this topic belongs to "${owner}"`,
    remedy: 'leave reportedBy out: every report on this topic counts as the agent’s own',
    pointer: '/outcome/reportedBy',
    line: 1,
    column: 1,
  };
}

function bad(
  { source, appendedAtMs, key, value, unreadable }: Incoming,
  fault: Fault,
  clock: () => number,
): ReadIncoming {
  const kept = value.subarray(0, CAPS.recordBytes);
  return {
    kind: 'bad',
    deadLetter: {
      event: 'dead.letter',
      deadLetter: {
        id: deadLetterId(source, appendedAtMs),
        source,
        ...(unreadable === undefined ? {} : { lastOffset: unreadable.lastOffset }),
        key: key === null ? null : key.slice(0, CAPS.keyUnits).toWellFormed(),
        fault,
        valueBase64: Buffer.from(kept.buffer, kept.byteOffset, kept.byteLength).toString('base64'),
        truncated: kept.length < value.length,
        bytes: value.length,
        appendedAt: wireTime(appendedAtMs),
        at: wireTime(clock()),
      },
    },
  };
}
