/** The answer to a refused call. A model reads it, so it contains the reason and what to do. */
import type { MandateBlockedError, MandateDeferredError } from '@mandate/sdk/plane';
import { errorFrame, resultFrame } from '../messages/write-message.ts';
import type { GovernedMethod } from './subjects.ts';

export type Refusal = {
  code: string;
  /** Code, reason and remedy in one text. */
  text: string;
  retryAfterMs: number | null;
  /** The question to a person that the call waits for. */
  approvalId: string | null;
};

/** A code outside of the ranges that JSON-RPC and MCP reserve. */
const REFUSED = -31_403;

export function refusalOf(error: MandateBlockedError | MandateDeferredError): Refusal {
  const { code: shown, reason, remedy } = error;
  if (error.code === 'APPROVAL_REQUIRED') {
    const { approvalId } = error as MandateDeferredError;
    const text = `${shown}: ${reason} The question to the person is "${approvalId}". After the approval, make exactly the same call again.`;
    return { code: shown, text, retryAfterMs: null, approvalId };
  }
  // Without a decision, either the plane was not reached, or it refused the key. The model must know which of the two
  // it was.
  const code = error.decision === null ? (codeOf(error.cause) ?? shown) : shown;
  return { code, text: `${code}: ${reason} ${remedy}`, retryAfterMs: error.retryAfterMs, approvalId: null };
}

/** Returns the refusal of a call that the proxy itself does not let through. */
export function ownRefusal(code: string, reason: string, remedy: string): Refusal {
  return { code, text: `${code}: ${reason} ${remedy}`, retryAfterMs: null, approvalId: null };
}

/**
 * Returns the answer of a refused request. A refused tool call is a result with `isError`, because a model sees
 * results, but no errors of the protocol.
 */
export function refusalFrame(
  { id, method, isModern }: { id: string; method: GovernedMethod; isModern: boolean },
  { code, text, retryAfterMs, approvalId }: Refusal,
): string {
  const facts = {
    code,
    ...(retryAfterMs !== null && { retryAfterMs }),
    ...(approvalId !== null && { approvalId }),
  };
  if (method !== 'tools/call') return errorFrame(id, { code: REFUSED, message: text, data: facts });
  return resultFrame(id, {
    ...(isModern && { resultType: 'complete' }),
    content: [{ type: 'text', text }],
    isError: true,
    _meta: { 'mandate/refusal': facts },
  });
}

function codeOf(cause: unknown): string | null {
  const code = (cause as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' && /^[A-Z][A-Z_]+$/.test(code) ? code : null;
}
