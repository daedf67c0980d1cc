/**
 * The id of a question to a person about one action of one agent with exactly these arguments, in any attempt. The id
 * contains the question, so a gateway can read the question without an audit, even just after its start. The id gives
 * no access, because the tenant comes from the credential. If an id is invented or changed, the ledger finds no
 * question for it.
 */
import { CAPS } from './defaults.ts';

export const APPROVAL_ID_PREFIX = 'apv_';

/** The deferred request. `digest`: the SHA-256 of its exact arguments, as in the decision. */
export type ApprovalSubject = { agentId: string; actionId: string; digest: string };

/**
 * The length of the longest id. A UTF-16 unit has at most three bytes in UTF-8, and base64 writes three bytes as four
 * characters. The number 16 is for quotes and commas.
 */
export const APPROVAL_ID_UNITS = APPROVAL_ID_PREFIX.length + 4 * (3 * CAPS.idUnits) + 16;

export function approvalId({ agentId, actionId, digest }: ApprovalSubject): string {
  const bytes = new TextEncoder().encode(JSON.stringify([agentId, actionId, digest]));
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  return APPROVAL_ID_PREFIX + base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
