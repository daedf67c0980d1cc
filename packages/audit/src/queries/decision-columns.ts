/** A decision as searches return it: the columns that people display and use in filters. */
import {
  CODES,
  DECISION_KINDS,
  described,
  GOVERNANCE_EVENTS,
  SHADOW_VERDICTS,
  time,
  VERDICTS,
} from '@mandate/schemas';
import { z } from 'zod';

export const DECISION_COLUMNS = `id, kind, action_id AS actionId, attempt, agent_id AS agentId, type,
      subject, nullIf(tool, '') AS tool, nullIf(model, '') AS model, nullIf(provider, '') AS provider, verdict, code,
      nullIf(observed_verdict, '') AS observedVerdict, nullIf(observed_code, '') AS observedCode,
      nullIf(shadow_verdict, '') AS shadowVerdict, nullIf(shadow_code, '') AS shadowCode, shadow_rules AS shadowRules, reason,
      nullIf(principal_id, '') AS principalId, nullIf(principal_role, '') AS principalRole,
      nullIf(mandate_id, '') AS mandateId, policies, rules, nullIf(obligations, '') AS obligations,
      nullIf(notes, '') AS notes, nullIf(violations, '') AS violations, events, nullIf(trace_id, '') AS traceId,
      charged_micros AS chargedMicros, cumulative_micros AS cumulativeMicros,
      appended_at AS appendedAt, decided_at AS decidedAt,
      log_topic AS logTopic, log_partition AS logPartition, log_offset AS logOffset`;

export const decisionSummary = z.object({
  id: described(z.string(), 'The id of the decision.', 'dec_01ke6qx4f8c6ede247811a2d78f78a'),
  kind: described(
    z.enum(DECISION_KINDS),
    '`first` and `expired` decide the action and attempt. `duplicate` and `unremembered` do not.',
  ),
  actionId: described(z.string(), 'The action that was decided.', 'act_7f3a'),
  attempt: described(z.int(), 'The attempt that was decided, from 1.', 1),
  agentId: described(z.string(), 'The agent that asked.', 'airline-007'),
  type: described(z.string(), 'The kind of the action.', 'tool_call'),
  subject: described(
    z.string(),
    'What the action is about: the tool, the model, or the subject of another kind of action.',
    'send_certificate',
  ),
  tool: described(
    z.string().nullable(),
    'The tool of a tool call. null: another kind of action.',
    'send_certificate',
  ),
  model: described(
    z.string().nullable(),
    'The normal form of the model. null: no LLM call.',
    'claude-sonnet-4-5',
  ),
  provider: described(
    z.string().nullable(),
    'The normal form of the provider. null: no LLM call, or none is named.',
    'anthropic',
  ),
  verdict: described(z.enum(VERDICTS), 'The verdict: ALLOW, BLOCK, or DEFER if a person must confirm.'),
  code: described(z.enum(CODES), 'Why, as a stable code.'),
  observedVerdict: described(
    z.enum(VERDICTS).nullable(),
    'The verdict that enforcement would have given. null: the mandate was enforced, or would have allowed it too.',
    'BLOCK',
  ),
  observedCode: described(
    z.enum(CODES).nullable(),
    'The code that enforcement would have given. null: the mandate was enforced, or would have allowed it too.',
    'TOOL_DENIED',
  ),
  shadowVerdict: described(
    z.enum(SHADOW_VERDICTS).nullable(),
    'What the matching rules in shadow would have decided. null: none matched.',
    'BLOCK',
  ),
  shadowCode: described(
    z.enum(CODES).nullable(),
    'Why the rules in shadow would have decided so. null: none matched, or the verdict is UNKNOWN.',
    'TOOL_DENIED',
  ),
  shadowRules: described(z.array(z.string()), 'The rules in shadow that matched.', ['no-certificates']),
  reason: described(z.string(), 'Why, as a sentence.', 'Every check passed.'),
  principalId: described(z.string().nullable(), 'The user for whom the agent acts. null: none.', 'u1'),
  principalRole: described(z.string().nullable(), 'The role of that user. null: none.', 'user'),
  mandateId: described(z.string().nullable(), 'The mandate that was applied. null: none.', 'support-bot'),
  policies: described(z.array(z.string()), 'The policies of the mandate, each with its version.', [
    'read-only@3',
  ]),
  rules: described(z.array(z.string()), 'The rules that gave these policies.', ['support-reads']),
  obligations: described(
    z.string().nullable(),
    'What the program that executes the action must do, as JSON text. null: nothing.',
    '{"arguments":{"absent":["bcc"]}}',
  ),
  notes: described(
    z.string().nullable(),
    'What the decision changed of the request, as JSON text. null: nothing.',
    '[{"code":"RESULTS_CLAMPED","store":"episodic","asked":100,"given":5}]',
  ),
  violations: described(
    z.string().nullable(),
    'What a model chose that it must not choose, as JSON text. null: nothing.',
    '[{"rule":"force_save","field":"hints.save"}]',
  ),
  events: described(
    z.array(z.enum(GOVERNANCE_EVENTS)),
    'The events that the policies mark on the decision (`log_events`).',
    ['tool_invocation'],
  ),
  traceId: described(
    z.string().nullable(),
    'The W3C trace id of the request. null: none.',
    '4bf92f3577b34da6a3ce929d0e0e4736',
  ),
  chargedMicros: z.int(),
  cumulativeMicros: z.int(),
  appendedAt: described(time, 'When the log took the request.'),
  decidedAt: described(time, 'When it was decided, by the clock of the ledger.'),
  /** The log position of the decision. The log position of its request is `decision.source` in the payload. */
  logTopic: z.string(),
  logPartition: z.int(),
  logOffset: z.int(),
});
export type DecisionSummary = z.output<typeof decisionSummary>;

/** A decision with its whole record `action.decided`, as JSON text exactly as the log contains it. */
export const wholeDecision = decisionSummary.extend({ payload: z.string() });
