/**
 * @mandate/schemas/core: the parts of the contracts that need no zod: figures and caps, names and codes, money,
 * times, and the types of the step.
 *
 * `@mandate/schemas` exports these parts too, together with the schemas. Packages that never check a record import
 * their values from here, because zod alone is 95 modules. These packages are step, policy, the ledger in memory and
 * runtime. So a program that embeds them starts without zod. `test/architecture/loaded-modules.test.ts` checks this.
 * Types may come from either entry, because an `import type` loads nothing.
 */
export * from './action-kinds.ts';
export { ancestorsIn } from './ancestors-in.ts';
export * from './approval-id.ts';
export { CALL_CAPS } from './call-caps.ts';
export * from './codes.ts';
export * from './counter-names.ts';
export { type DecodedText, decodeFile, decodeText, type Utf8Fault } from './decode-text.ts';
export { deepEqual } from './deep-equal.ts';
export * from './defaults.ts';
export { DIGESTED, type DigestedValue, digestedType, isDigested } from './digested-value.ts';
export { type DurationRead, readDuration } from './duration-text.ts';
export * from './epoch-in-force.ts';
export * from './field-steps.ts';
export * from './governance-events.ts';
export { JsonFault, keysIn, legible, placeOf, placesIn, pointerStep, type TextPlace } from './json-fault.ts';
export {
  type LengthCondition,
  type LengthConditionRead,
  lengthConditionHolds,
  readLengthCondition,
} from './length-condition.ts';
export { listed } from './listed.ts';
export { PERMISSION_IN_WORDS } from './memory-operations.ts';
export { AGO, END_OF_TIME_MS, readMoment, timeFault, wireTime } from './moment.ts';
export * from './money.ts';
export { isNameCharacter } from './name-characters.ts';
export { codePointsOf, nameFault } from './name-fault.ts';
export { nearestName } from './nearest-name.ts';
export * from './outcome-result.ts';
export { patternDoubt } from './pattern-doubt.ts';
export * from './plan.ts';
export * from './policy-reference.ts';
export * from './privacy-patterns.ts';
export * from './risk.ts';
export * from './rules-that-gave.ts';
export * from './settlement-codes.ts';
export * from './sortable-id.ts';
export * from './topics.ts';
export * from './unbound-settling.ts';
