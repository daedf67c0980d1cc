/** A decision as the searches give it: what one lists and filters by, and the record itself. */
import { CODES, DECISION_KINDS, time, VERDICTS } from '@mandate/schemas';
import { z } from 'zod';

export const DECISION_COLUMNS = `id, kind, action_id AS actionId, attempt, agent_id AS agentId, type,
      nullIf(tool, '') AS tool, nullIf(model, '') AS model, verdict, code,
      nullIf(observed_verdict, '') AS observedVerdict, nullIf(observed_code, '') AS observedCode,
      charged_micros AS chargedMicros, cumulative_micros AS cumulativeMicros, decided_at AS decidedAt,
      log_topic AS logTopic, log_partition AS logPartition, log_offset AS logOffset, payload`;

export const decisionSummary = z.object({
  id: z.string(),
  kind: z.enum(DECISION_KINDS),
  actionId: z.string(),
  attempt: z.int(),
  agentId: z.string(),
  type: z.string(),
  tool: z.string().nullable(),
  model: z.string().nullable(),
  verdict: z.enum(VERDICTS),
  code: z.enum(CODES),
  observedVerdict: z.enum(VERDICTS).nullable(),
  observedCode: z.enum(CODES).nullable(),
  chargedMicros: z.int(),
  cumulativeMicros: z.int(),
  decidedAt: time,
  /** Where the decision itself lies; where its request lay is `decision.source` in the payload. */
  logTopic: z.string(),
  logPartition: z.int(),
  logOffset: z.int(),
  /** The record `action.decided` as it lies on the log: JSON text. */
  payload: z.string(),
});
export type DecisionSummary = z.output<typeof decisionSummary>;
