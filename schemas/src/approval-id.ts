/**
 * What a person is asked about, as one text: this action of this agent with exactly these arguments, of whatever attempt. It
 * holds what it is about, so that a gateway knows it that has no audit and has just begun. It opens nothing: the tenant
 * is that of the credential, and an id that somebody made up or changed is that of another question, which the ledger
 * knows of or not.
 */
import { CAPS } from './defaults.ts';

export const APPROVAL_ID_PREFIX = 'apv_';

/** Of a request that was deferred. `digest`: of its exact arguments, as the decision tells it. */
export type ApprovalSubject = { agentId: string; actionId: string; digest: string };

/** In UTF-8 a unit takes three bytes at most; in base64 three bytes are four letters. The rest are quotes and commas. */
export const APPROVAL_ID_UNITS = APPROVAL_ID_PREFIX.length + 4 * (3 * CAPS.idUnits) + 16;

export function approvalId({ agentId, actionId, digest }: ApprovalSubject): string {
  const bytes = new TextEncoder().encode(JSON.stringify([agentId, actionId, digest]));
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  return APPROVAL_ID_PREFIX + base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
