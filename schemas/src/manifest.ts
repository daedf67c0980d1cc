/**
 * @mandate/schemas/manifest: the documents of a manifest, and the readers of the durations, rates and conditions in
 * them. `@mandate/schemas` does not export these parts, because only the package `manifest` needs them. So the SDK
 * starts without them. `test/architecture/loaded-modules.test.ts` checks this.
 */
import { categoriesDocument } from './categories-document.ts';
import { manifestDocument } from './manifest-document.ts';
import { permissionsDocument } from './permissions-document.ts';

export * from './categories-document.ts';
export { type DurationRead, readDuration } from './duration-text.ts';
export * from './guardrails-document.ts';
export * from './intent-document.ts';
export {
  type LengthCondition,
  type LengthConditionRead,
  lengthConditionHolds,
  readLengthCondition,
} from './length-condition.ts';
export * from './manifest-document.ts';
export { lengthInCharacters } from './manifest-fields.ts';
export * from './memory-policies-document.ts';
export * from './permissions-document.ts';
export { type RateRead, readRate } from './rate-text.ts';

/** The documents of a manifest by their names. Their JSON Schema files are made for all of them. */
export const MANIFEST_DOCUMENTS = {
  manifest: manifestDocument,
  permissions: permissionsDocument,
  categories: categoriesDocument,
} as const;
