/** Refuses the answer of a person to the person's own question, if the tenant forbids such answers. */
import type { Action, ApiKeyRecord, ApprovalSubject } from '@mandate/schemas';
import { HttpProblem } from '@mandate/server';
import type { Gateway } from '../gateway.ts';
import { decisionOf } from './answer-approval.ts';

/**
 * Throws OWN_QUESTION if the principal of the action has the name of the key. Throws QUESTION_UNKNOWN if the principal
 * cannot be found, because the answer might then be the person's own.
 */
export async function mustBeOfOther(
  gateway: Gateway,
  key: ApiKeyRecord,
  subject: ApprovalSubject,
): Promise<void> {
  if (!gateway.forbidsOwnApproval(key.tenant)) return;
  const decision = await decisionOf(gateway, key.tenant, subject);
  if (decision?.digest !== subject.digest) throw questionUnknown();
  const { id } = decision.action.principal ?? {};
  if (id === undefined || (id !== key.name && id !== redactedName(gateway, key, decision.action))) return;
  throw new HttpProblem(403, 'OWN_QUESTION', 'the key belongs to the person who asked for this action', {
    remedy: 'Ask another person to answer. The tenant does not let people answer for their own actions.',
  });
}

/** Returns the name of the key as the log has it if it is a principal. Null if this person was forgotten. */
function redactedName(
  { redact }: Pick<Gateway, 'redact'>,
  { name, tenant }: ApiKeyRecord,
  { id, agentId }: Action,
): string | null {
  try {
    const asked = { id, agentId, type: 'tool_call' as const, tool: 'x', args: {}, principal: { id: name } };
    return redact(asked, tenant).principal?.id ?? null;
  } catch {
    return null;
  }
}

function questionUnknown(): HttpProblem {
  return new HttpProblem(503, 'QUESTION_UNKNOWN', 'it is not known who asked for this action', {
    remedy: 'Send the answer again in a moment, when the audit has the question.',
    headers: { 'retry-after': '1' },
  });
}
