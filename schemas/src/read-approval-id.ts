import { z } from 'zod';
import { APPROVAL_ID_PREFIX, APPROVAL_ID_UNITS, type ApprovalSubject, approvalId } from './approval-id.ts';
import { id } from './scalars.ts';

const subject = z.tuple([id, id, id]);

/** Reads the id of a question. Null if no question can have this id. Every question has exactly one id. */
export function readApprovalId(text: string): ApprovalSubject | null {
  if (!text.startsWith(APPROVAL_ID_PREFIX) || text.length > APPROVAL_ID_UNITS) return null;
  const read = subject.safeParse(parsed(text.slice(APPROVAL_ID_PREFIX.length)));
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
