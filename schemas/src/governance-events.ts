/** The events that a policy may mark on decisions. A mark changes no decision, and no record gets shorter without it. */
export const GOVERNANCE_EVENTS = [
  'intent_classification',
  'tool_invocation',
  'memory_read',
  'memory_write',
  'permission_denied',
  'rate_limit_exceeded',
  'guardrail_triggered',
  'confirmation_required',
  'output',
] as const;
export type GovernanceEvent = (typeof GOVERNANCE_EVENTS)[number];
