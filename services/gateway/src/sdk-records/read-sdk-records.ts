/**
 * Reads the decisions and settlements that an SDK reports, and marks them with the key that reported them. The tenant
 * is the tenant of the key, whatever a record says.
 */

import {
  type Action,
  type ActionDecided,
  type ActionSettled,
  type ApiKeyRecord,
  actionDecided,
  actionSettled,
  agentKey,
  type ListedFault,
  readSome,
  type SdkRecord,
} from '@mandate/schemas';
import { HttpProblem } from '@mandate/server';
import { z } from 'zod';
import type { Gateway } from '../gateway.ts';
import { mustSpeakFor } from '../own-agents.ts';
import type { ReportedRecord } from '../publish/append-reported.ts';
import { badRecord, badRecords, LISTED, MAX_RECORDS } from '../publish/read-submission.ts';
import { redactAction } from '../publish/redact-action.ts';
import { faultOf } from './sdk-record-fault.ts';

const CODE = 'INVALID_AUDIT_RECORD';

/** A record as an SDK wrote it. */
export const reportedRecord = z.discriminatedUnion('event', [actionDecided, actionSettled]);

/**
 * Either returns all records, or throws a problem that names the first bad records. Yields after each record.
 *
 * @throws HttpProblem INVALID_AUDIT_RECORD, AGENT_NOT_ALLOWED, PERSON_ERASED
 */
export function* readSdkRecords(
  gateway: Gateway,
  key: ApiKeyRecord,
  body: Buffer,
): Generator<void, readonly ReportedRecord[]> {
  const some = yield* readSome(body, () => reportedRecord, { records: MAX_RECORDS, faults: LISTED });
  if ('faults' in some) throw badRecords(CODE, some.faults, { wrong: some.wrong, records: some.records });
  if (!some.read.ok) throw badRecord(CODE, some.read.fault);
  if (!some.many || some.read.value.length === 0) throw noList();
  const records = some.read.value;
  const nowMs = gateway.clock();
  const faults: ListedFault[] = [];
  let wrong = 0;
  for (const [index, record] of records.entries()) {
    const fault = faultOf(record, nowMs);
    if (fault !== null) {
      wrong += 1;
      if (faults.length < LISTED)
        faults.push({ code: 'INVALID_ACTION', ...fault, line: 1, column: 1, index });
    }
    yield;
  }
  if (wrong > 0) throw badRecords(CODE, faults, { wrong, records: records.length });
  const marked: ReportedRecord[] = [];
  for (const record of records) {
    marked.push(mark(gateway, key, record));
    yield;
  }
  return marked;
}

function mark(gateway: Gateway, key: ApiKeyRecord, record: ActionDecided | ActionSettled): ReportedRecord {
  const decidedBy = { keyId: key.id };
  const { tenant } = key;
  if (record.event === 'action.settled') {
    const { id, agentId } = record.settlement;
    mustSpeakFor(key, { agentId });
    const made: SdkRecord = {
      event: 'sdk.settled',
      decidedBy,
      settlement: { ...record.settlement, tenant },
    };
    return reported(tenant, id, made);
  }
  const { decision } = record;
  mustSpeakFor(key, { agentId: decision.agentId });
  // The SDK has redacted the action by its own rules. The privacy document of the plane applies to the action too. It
  // does not change the texts and evidence that the SDK wrote about the action.
  const { action } = redactAction(gateway, { ...decision.action, tenant } as Action, tenant);
  const made: SdkRecord = { event: 'sdk.decided', decidedBy, decision: { ...decision, tenant, action } };
  return reported(tenant, decision.id, made);
}

/** The key of a record is its id. So a repeat is always in the same partition, after the first. */
function reported(tenant: string, id: string, record: SdkRecord): ReportedRecord {
  return { key: agentKey(tenant, id), id, event: record.event, value: JSON.stringify(record) };
}

function noList(): HttpProblem {
  return new HttpProblem(400, CODE, 'the body is not a list of records', {
    remedy: `Nothing was recorded. Send 1 to ${MAX_RECORDS} records in a list.`,
  });
}
