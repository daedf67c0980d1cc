/** Finds one decision by its id. The answer shows the decision exactly as the log has it. */
import { decisionById } from '@mandate/audit';
import { actionDecided, decision, described, logPosition } from '@mandate/schemas';
import { HttpProblem } from '@mandate/server';
import type { z } from 'zod';
import type { Asker, BoundedAsk } from './bounded-ask.ts';

/** Newer versions may add fields that this version does not know. The answer shows such fields too. */
export const wholeDecision = actionDecided.extend({
  decision: described(decision.loose(), 'The decision. Fields of a newer writer are kept.'),
  log: described(logPosition, 'The log position of the record.'),
});

/** Returns the record, and the trace id from its header. Throws HttpProblem 404 if no record has this id. */
export async function findWhole(
  ask: BoundedAsk,
  asker: Asker,
  id: string,
): Promise<z.output<typeof wholeDecision> & { traceId: string | null }> {
  const [row] = await ask(asker, decisionById, { tenant: asker.tenant, id });
  if (row === undefined) {
    throw new HttpProblem(404, 'DECISION_NOT_FOUND', 'the audit has no such decision', {
      remedy:
        'Give the id of a decision (dec_…). /v1/audit/decisions?actionId=… lists the decisions on an action. A new decision may take a second to appear.',
    });
  }
  const { logTopic: topic, logPartition: partition, logOffset: offset, traceId } = row;
  const log = { topic, partition, offset };
  return { ...wholeDecision.parse({ ...JSON.parse(row.payload), log }), traceId };
}
