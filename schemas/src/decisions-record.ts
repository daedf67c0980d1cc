/** Everything that stands in the decisions topic. */
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
 * Reads what a decider or gateway wrote. Fields it does not know are left out, so that newer writers and older
 * readers live together. Throws on anything else: a decisions topic that cannot be read must stop its reader.
 */
export function readDecisionsRecord(value: Uint8Array): DecisionsRecord {
  return decisionsRecord.parse(JSON.parse(utf8.decode(value)));
}
