import type { Action } from '@mandate/schemas';
import { digestOf, sha256Hex } from './digest.ts';

/**
 * Of what an action is, without what belongs to one delivery of it: two requests of a tenant with equal digests ask for
 * the same. Whether a request names its tenant or leaves that to the topic makes no difference.
 *
 * @param fingerprint of what redaction took away before the action was published; see redaction/fingerprint.ts. It can
 *   only tell requests apart that the action alone does not, so it needs no trust
 */
export function actionDigest(action: Action, fingerprint: string | null = null): string {
  const { tenant, attempt, requestedAt, deadlineMs, ...payload } = action;
  const digest = digestOf(payload);
  return fingerprint === null ? digest : sha256Hex(`${digest} ${fingerprint}`);
}
