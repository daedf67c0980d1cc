/**
 * @mandate/privacy: the redaction of personal data, and the erasure of persons.
 *
 * One document configures it (`loadPrivacy`), and edits of the file take effect at once (`openPrivacyFile`). Before
 * an action is published, it is redacted as the document says (`hidingInForce`): by the path of a field, and by
 * pattern in texts.
 */
export type { HiddenFields } from './hiding/hidden-fields.ts';
export { hidingInForce, redactingInForce, sealingInForce } from './hiding/hiding-in-force.ts';
export { type HidingRules, trialHiding } from './hiding/trial-hiding.ts';
export { checkPrivacy, loadPrivacy, NO_PRIVACY } from './load-privacy.ts';
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
export type { Sealer } from './sealer.ts';
export { sealsAnything } from './seals-anything.ts';
