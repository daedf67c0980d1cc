import type { Action, Pinned } from '@mandate/schemas';
import { canonicalJson, type Sha256, sha256Hex } from './digest.ts';

type Absent<Fields extends string> = { [Field in Fields]: undefined };

/**
 * The digest of an action without the fields of its delivery: two requests of a tenant with equal digests ask for the
 * same. Whether a request names its tenant or leaves that to the topic makes no difference.
 *
 * @param fingerprint of what redaction took away before the action was published; see redaction/fingerprint.ts. It can
 *   only tell requests apart that the action alone does not, so it needs no trust
 */
export function actionDigest(
  action: Action,
  fingerprint: string | null = null,
  sha256: Sha256 = sha256Hex,
): string {
  // Absent, for the canonical text. A rest of the others would take as long as the hash.
  const ofDelivery = { tenant: undefined, attempt: undefined, requestedAt: undefined, deadlineMs: undefined };
  const ofKey: Absent<keyof Pinned> = { pinned: undefined, pinnedBy: undefined };
  const digest = sha256(canonicalJson({ ...action, ...ofDelivery, ...ofKey }));
  return fingerprint === null ? digest : sha256(`${digest} ${fingerprint}`);
}
