import type { ActionType, Code, GovernanceEvent, Json, Obligations } from '@mandate/schemas';

type Happened = { type: ActionType; code: Code; allowed: boolean; obligations: Obligations };

/** For each event: whether it happened. */
const HAPPENED: Readonly<Record<GovernanceEvent, (decision: Happened) => boolean>> = {
  intent_classification: ({ allowed, obligations }) => allowed && 'intent' in obligations,
  tool_invocation: ({ type, allowed }) => allowed && type === 'tool_call',
  memory_read: ({ type, allowed }) => allowed && type === 'memory_read',
  memory_write: ({ obligations }) => isFilled(obligations.saves),
  permission_denied: ({ code }) => DENIED.has(code),
  rate_limit_exceeded: ({ code }) => code === 'RATE_LIMIT_EXCEEDED',
  guardrail_triggered: ({ code, obligations }) => GUARDED.has(code) || isFilled(obligations.redactions),
  confirmation_required: ({ code }) => code === 'APPROVAL_REQUIRED',
  output: ({ type, allowed }) => allowed && type === 'output',
};

const DENIED: ReadonlySet<Code> = new Set<Code>([
  'ROLE_NOT_ALLOWED',
  'UNKNOWN_TOOL',
  'TOOL_NOT_ALLOWED',
  'TOOL_DENIED',
  'TOOL_NOT_FOR_INTENT',
  'STORE_NOT_ALLOWED',
  'ORIGIN_NOT_ALLOWED',
  'PRINCIPAL_MISMATCH',
]);
const GUARDED: ReadonlySet<Code> = new Set<Code>([
  'CONTENT_BLOCKED',
  'CONTENT_TOO_LONG',
  'TURN_LIMIT_EXCEEDED',
]);

/** Returns which of the marked events the decision is. */
export function eventsOf(marked: readonly GovernanceEvent[], decision: Happened): GovernanceEvent[] {
  return marked.filter((event) => HAPPENED[event](decision));
}

function isFilled(list: Json | undefined): boolean {
  return Array.isArray(list) && list.length > 0;
}
