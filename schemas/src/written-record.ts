/**
 * A record of the log, as the object from which its writer made the text. Readers in the writer's process use this
 * object, because it was valid when it was written, and parsing and checking the text again would only cost time.
 * Other readers have only the text.
 *
 * All readers share the object, so none of them may change it.
 */
import type { DecisionsRecord } from './decisions-record.ts';
import type { ActionsRecord } from './read-record.ts';

export type WrittenRecord = ActionsRecord | DecisionsRecord;

/** Returns the record if it belongs to an actions topic, otherwise null. */
export function writtenAction(record: WrittenRecord | undefined): ActionsRecord | null {
  return record !== undefined && isAction(record) ? record : null;
}

/** Returns the record if it belongs to the decisions topic, otherwise null. */
export function writtenDecision(record: WrittenRecord | undefined): DecisionsRecord | null {
  return record === undefined || isAction(record) ? null : record;
}

function isAction(record: WrittenRecord): record is ActionsRecord {
  return record.event === 'action.requested' || record.event === 'action.completed';
}
