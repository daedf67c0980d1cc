/** A decision as searches return it: the columns that people list and filter by. */
import { CODES, DECISION_KINDS, SHADOW_VERDICTS, time, VERDICTS } from '@mandate/schemas';
import { z } from 'zod';

export const DECISION_COLUMNS = `id, kind, action_id AS actionId, attempt, agent_id AS agentId, type,
      subject, nullIf(tool, '') AS tool, nullIf(model, '') AS model, nullIf(provider, '') AS provider, verdict, code,
      nullIf(observed_verdict, '') AS observedVerdict, nullIf(observed_code, '') AS observedCode,
      nullIf(shadow_verdict, '') AS shadowVerdict, nullIf(shadow_code, '') AS shadowCode, shadow_rules AS shadowRules, reason,
      nullIf(principal_id, '') AS principalId, nullIf(principal_role, '') AS principalRole,
      nullIf(mandate_id, '') AS mandateId, policies, rules, nullIf(obligations, '') AS obligations, nullIf(trace_id, '') AS traceId,
      charged_micros AS chargedMicros, cumulative_micros AS cumulativeMicros,
      appended_at AS appendedAt, decided_at AS decidedAt,
      log_topic AS logTopic, log_partition AS logPartition, log_offset AS logOffset`;

export const decisionSummary = z.object({
  id: z.string(),
  kind: z.enum(DECISION_KINDS),
  actionId: z.string(),
  attempt: z.int(),
  agentId: z.string(),
  type: z.string(),
  /** What the action is about: the tool, the model, or the subject of another kind of action. */
  subject: z.string(),
  tool: z.string().nullable(),
  model: z.string().nullable(),
  provider: z.string().nullable(),
  verdict: z.enum(VERDICTS),
  code: z.enum(CODES),
  observedVerdict: z.enum(VERDICTS).nullable(),
  observedCode: z.enum(CODES).nullable(),
  shadowVerdict: z.enum(SHADOW_VERDICTS).nullable(),
  shadowCode: z.enum(CODES).nullable(),
  shadowRules: z.array(z.string()),
  reason: z.string(),
  principalId: z.string().nullable(),
  principalRole: z.string().nullable(),
  mandateId: z.string().nullable(),
  policies: z.array(z.string()),
  rules: z.array(z.string()),
  /** JSON. Null if the decision has no obligations. */
  obligations: z.string().nullable(),
  traceId: z.string().nullable(),
  chargedMicros: z.int(),
  cumulativeMicros: z.int(),
  /** When its request reached the log. */
  appendedAt: time,
  decidedAt: time,
  /** The log position of the decision. The log position of its request is `decision.source` in the payload. */
  logTopic: z.string(),
  logPartition: z.int(),
  logOffset: z.int(),
});
export type DecisionSummary = z.output<typeof decisionSummary>;

/** The record `action.decided` exactly as on the log, as JSON text. */
export const wholeDecision = decisionSummary.extend({ payload: z.string() });
