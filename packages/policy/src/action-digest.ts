import type { Action, Pinned } from '@mandate/schemas';
import { canonicalJson, type Sha256, sha256Hex } from './digest.ts';

type Absent<Fields extends string> = { [Field in Fields]: undefined };

/**
 * Returns the digest of an action without its delivery fields. If two requests of a tenant have equal digests, they
 * ask for the same thing. The tenant field is ignored.
 *
 * @param fingerprint of the data that redaction removed before the action was published; see
 *   redaction/fingerprint.ts. It can only distinguish requests that are otherwise equal, so it need not be trusted
 */
export function actionDigest(
  action: Action,
  fingerprint: string | null = null,
  sha256: Sha256 = sha256Hex,
): string {
  // canonicalJson skips undefined fields. Rest syntax would copy all other fields, and take as long as the hash.
  const ofDelivery = { tenant: undefined, attempt: undefined, requestedAt: undefined, deadlineMs: undefined };
  const ofKey: Absent<keyof Pinned> = { pinned: undefined, pinnedBy: undefined };
  const digest = sha256(canonicalJson({ ...action, ...ofDelivery, ...ofKey }));
  return fingerprint === null ? digest : sha256(`${digest} ${fingerprint}`);
}
