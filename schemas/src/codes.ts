/**
 * The verdicts and codes of decisions. Both lists are complete: no other values exist. docs/semantics.md, section 1,
 * says which codes are `final`.
 */

export const VERDICTS = ['ALLOW', 'BLOCK', 'DEFER'] as const;
export type Verdict = (typeof VERDICTS)[number];

export const CODES = [
  'ALLOWED',
  'DUPLICATE_ACTION',
  'REPLAY_MEMORY_FULL',
  'DEADLINE_EXCEEDED',
  'AGENT_KILLED',
  'TENANT_CLOSED',
  'GRANT_REQUIRED',
  'MANDATE_NOT_FOUND',
  'MANDATE_EXPIRED',
  'TOOL_DENIED',
  'UNKNOWN_TOOL',
  'TOOL_NOT_ALLOWED',
  'ARGUMENT_VALIDATION_FAILED',
  'RULES_TOO_COSTLY',
  'MODEL_NOT_ALLOWED',
  'PROVIDER_NOT_ALLOWED',
  'UNPRICED_MODEL',
  'TOKENS_NOT_STATED',
  'ESTIMATE_REQUIRED',
  'COST_LIMIT_EXCEEDED',
  'RATE_LIMIT_EXCEEDED',
  'WAITING_LIMIT_EXCEEDED',
  'APPROVAL_REQUIRED',
  'APPROVAL_DENIED',
  'APPROVAL_EXPIRED',
  'INTERNAL_ERROR',
] as const;
export type Code = (typeof CODES)[number];
