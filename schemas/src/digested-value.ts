/**
 * A digest in place of an argument that is too large for a record. A caller decides and records the digest, and runs
 * the call with the whole value. Approving the digest approves exactly this value.
 *
 * The form is an object with the single field `$digested`, so no rule about texts takes it for the text. A rule that
 * would have to read the value refuses the call.
 */
import type { Json } from './scalars.ts';

export const DIGESTED = '$digested';

/** `sha256`: of the text in UTF-8, or of the JSON of a list or an object. `length`: of the same text, in UTF-16 units. */
export type DigestedValue = {
  readonly [DIGESTED]: {
    readonly type: 'string' | 'array' | 'object';
    readonly sha256: string;
    readonly length: number;
    /** The beginning of the text. */
    readonly prefix: string;
  };
};

/** True for every object with the field `$digested`, so a caller gains nothing by writing one. */
export function isDigested(value: unknown): value is DigestedValue {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, DIGESTED);
}

/** Returns what kind of value was digested. Null if the digest has another form. */
export function digestedType(value: DigestedValue): DigestedValue[typeof DIGESTED]['type'] | null {
  const facts: Json | undefined = value[DIGESTED];
  const { type } = typeof facts === 'object' && facts !== null && !Array.isArray(facts) ? facts : {};
  return type === 'string' || type === 'array' || type === 'object' ? type : null;
}
