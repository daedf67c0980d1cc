/** Why the arguments of a tool call are refused. */
export interface ArgumentFault {
  /**
   * The JSON pointer (RFC 6901) of the faulty value, relative to the arguments. '' means the arguments as a whole.
   */
  readonly pointer: string;
  /** Describes an acceptable value. Completes the phrase "expected …". */
  readonly expected: string;
  /** The kind of value that was found. Never the value itself, because it may be secret. */
  readonly seen: string;
  /** `schema`, or the name of the validator that refused the arguments. */
  readonly rule: string;
}

/** How a value is described that is not there. */
export const NOTHING = 'nothing';

/** Returns the kind of a value. Records store this text, so it must not contain the value, which may be secret. */
export function describeSeen(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return 'a string';
    case 'number':
      return 'a number';
    case 'boolean':
      return 'a boolean';
    case 'undefined':
      return NOTHING;
    default:
      if (value === null) return 'null';
      if (Array.isArray(value)) return `an array of ${value.length}`;
      return `an object of ${Object.keys(value ?? {}).length} fields`;
  }
}

/** Cuts a text to at most `longest` characters. A cut text ends with an ellipsis. A surrogate pair is never split. */
export function shorten(text: string, longest: number): string {
  if (text.length <= longest) return text;
  return `${text.slice(0, longest - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
