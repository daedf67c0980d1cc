/**
 * The question to a person, as one text: this action of this agent with exactly these arguments, in any attempt. The text
 * holds its subject, so that a gateway that has no audit and has just started can read it. It opens nothing: the tenant
 * is that of the credential, and an id that was invented or changed names another question, which the ledger may not
 * know.
 */
import { CAPS } from './defaults.ts';

export const APPROVAL_ID_PREFIX = 'apv_';

/** The request that was deferred. `digest`: the digest of its exact arguments, as in the decision. */
export type ApprovalSubject = { agentId: string; actionId: string; digest: string };

/** In UTF-8 a unit takes three bytes at most; in base64 three bytes are four letters. The rest are quotes and commas. */
export const APPROVAL_ID_UNITS = APPROVAL_ID_PREFIX.length + 4 * (3 * CAPS.idUnits) + 16;

export function approvalId({ agentId, actionId, digest }: ApprovalSubject): string {
  const bytes = new TextEncoder().encode(JSON.stringify([agentId, actionId, digest]));
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  return APPROVAL_ID_PREFIX + base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
