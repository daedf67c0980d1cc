/** Every record of the decisions topic. */
import { z } from 'zod';
import { actionDecided } from './decision.ts';
import { agentKilled, agentRevived, approvalRecorded, budgetAdjusted, ledgerEpoch } from './operations.ts';
import { actionSettled } from './settlement.ts';

export const decisionsRecord = z.discriminatedUnion('event', [
  actionDecided,
  actionSettled,
  agentKilled,
  agentRevived,
  budgetAdjusted,
  approvalRecorded,
  ledgerEpoch,
]);
export type DecisionsRecord = z.infer<typeof decisionsRecord>;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads a record that a decider or gateway wrote. Unknown fields are left out, so that older readers can read the
 * records of newer writers. Throws on any other content, because a reader must stop if it cannot read a decisions
 * topic.
 */
export function readDecisionsRecord(value: Uint8Array): DecisionsRecord {
  return decisionsRecord.parse(JSON.parse(utf8.decode(value)));
}
