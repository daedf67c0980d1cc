/**
 * @mandate/privacy: what of people is kept from the record, and how they are forgotten.
 *
 * One document says it (`loadPrivacy`), and is followed while people edit it (`openPrivacyFile`). Before an action is
 * published, what the document names is hidden in it (`hidingInForce`): by the path of a field, and by pattern in texts.
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
