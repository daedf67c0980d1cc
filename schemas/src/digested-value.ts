/**
 * An action contains a digest instead of an argument that is too large for a record. The digest is decided and
 * recorded, and the call runs with the whole value. A person who approves the digest approves exactly this value.
 *
 * A digest is an object with the single field `$digested`. So no rule about texts takes the digest for the text. A rule
 * that would have to read the value refuses the call.
 */
import type { Json } from './scalars.ts';

export const DIGESTED = '$digested';

/** The digested text is the argument itself, or the JSON of a list or an object. */
export type DigestedValue = {
  readonly [DIGESTED]: {
    readonly type: 'string' | 'array' | 'object';
    /** The hash of the text in UTF-8. */
    readonly sha256: string;
    /** The length of the text in UTF-16 units. */
    readonly length: number;
    /** The beginning of the text. */
    readonly prefix: string;
  };
};

/** True for every object with the field `$digested`. So a malformed digest never counts as an ordinary object. */
export function isDigested(value: unknown): value is DigestedValue {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, DIGESTED);
}

/** Returns what kind of value was digested. Null if the digest has another form. */
export function digestedType(value: DigestedValue): DigestedValue[typeof DIGESTED]['type'] | null {
  const facts: Json | undefined = value[DIGESTED];
  const { type } = typeof facts === 'object' && facts !== null && !Array.isArray(facts) ? facts : {};
  return type === 'string' || type === 'array' || type === 'object' ? type : null;
}
