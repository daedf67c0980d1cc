import { actionDigest } from '@mandate/policy';
import { isMandateError } from '@mandate/runtime';
import type { Decided } from '../answers/recent-answers.ts';
import type { Gateway } from '../gateway.ts';
import type { Made } from './publish-records.ts';

/**
 * Returns the DEFER of this same request if no person has answered the question yet. Publishing the request again
 * would change nothing. In all other cases, or if the state of the question cannot be read, returns null. The request
 * is then published, and the decider answers it.
 */
export async function openQuestion(
  { replies, ledger, log }: Pick<Gateway, 'replies' | 'ledger' | 'log'>,
  tenant: string,
  { record, fingerprint }: Made,
): Promise<Decided | null> {
  if (record.event !== 'action.requested' || ledger === null) return null;
  const { agentId, id: actionId, attempt = 1 } = record.action;
  const standing = replies.recent.standing(tenant, { actionId, agentId, attempt }, () => true);
  if (standing === null || standing.decision.verdict !== 'DEFER') return null;
  const digest = actionDigest(record.action, fingerprint);
  if (digest !== standing.decision.digest) return null;
  try {
    const { state } = await ledger.question({ tenant, agentId, actionId, digest });
    return state === 'waiting' ? standing : null;
  } catch (error) {
    if (!isMandateError(error)) throw error;
    log.warn({ err: error }, 'whether a question was answered cannot be read: the request is published');
    return null;
  }
}
