/**
 * @mandate/privacy: the redaction of personal data, and the erasure of persons.
 *
 * One document configures the package (`loadPrivacy`), and edits of the file take effect at once (`openPrivacyFile`).
 * Before an action is published, `currentRedactor` redacts it by the rules of the document. A rule names the path of
 * a field, or a pattern to find in texts.
 */

export { contentFinders } from './content-finders.ts';
export { checkPrivacy, loadPrivacy, NO_PRIVACY } from './load-privacy.ts';
export { findPieces } from './patterns/find-pieces.ts';
export { redactPieces } from './patterns/redact-pieces.ts';
export {
  type Erasure,
  type PersonFound,
  type PersonKeys,
  personKeysAt,
  personKeysNotReady,
  type Unsealed,
} from './person-keys/person-keys.ts';
export { refInToken, SEALED_TEXTS } from './person-keys/sealed-text.ts';
export { openPrivacyFile, type PrivacyFile } from './privacy-file.ts';
export { currentRedactor, currentTextRedactor, sealOnlyRedactor } from './redaction/current-redactor.ts';
export type { RedactedFields } from './redaction/redacted-fields.ts';
export { type RedactionRules, trialRedactor } from './redaction/trial-redactor.ts';
export type { Sealer } from './sealer.ts';
export { sealsAnything } from './seals-anything.ts';
