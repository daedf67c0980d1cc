/**
 * What a person is asked about, as one text: this action of this agent with exactly these arguments, of whatever attempt. It
 * holds what it is about, so that a gateway knows it that has no audit and has just begun. It opens nothing: the tenant
 * is that of the credential, and an id that somebody made up or changed is that of another question, which the ledger
 * knows of or not.
 */
import { z } from 'zod';
import { CAPS } from './defaults.ts';
import { id } from './scalars.ts';

const PREFIX = 'apv_';

const subject = z.tuple([id, id, id]);

/** Of a request that was deferred. `digest`: of its exact arguments, as the decision tells it. */
export type ApprovalSubject = { agentId: string; actionId: string; digest: string };

/** In UTF-8 a unit takes three bytes at most; in base64 three bytes are four letters. The rest are quotes and commas. */
export const APPROVAL_ID_UNITS = PREFIX.length + 4 * (3 * CAPS.idUnits) + 16;

export function approvalId({ agentId, actionId, digest }: ApprovalSubject): string {
  const bytes = new TextEncoder().encode(JSON.stringify([agentId, actionId, digest]));
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  return PREFIX + base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Null: no approval has this id. Of two ids that differ each is another's. */
export function readApprovalId(text: string): ApprovalSubject | null {
  if (!text.startsWith(PREFIX) || text.length > APPROVAL_ID_UNITS) return null;
  const read = subject.safeParse(parsed(text.slice(PREFIX.length)));
  if (!read.success) return null;
  const [agentId, actionId, digest] = read.data;
  const named = { agentId, actionId, digest };
  return approvalId(named) === text ? named : null;
}

function parsed(base64url: string): unknown {
  try {
    const binary = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'));
    return JSON.parse(utf8.decode(Uint8Array.from(binary, (letter) => letter.charCodeAt(0))));
  } catch {
    return undefined;
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
