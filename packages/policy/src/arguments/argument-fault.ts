/** Why the arguments of a tool call are refused. */
export interface ArgumentFault {
  /** The JSON pointer (RFC 6901) of what is at fault within the arguments; '' is the whole. */
  readonly pointer: string;
  /** Reads on from "expected …". */
  readonly expected: string;
  /** What kind of thing stood there, never its value. */
  readonly seen: string;
  /** `schema`, or the name of the validator. */
  readonly rule: string;
}

/**
 * Says what kind of thing stood at the pointer. It ends up in records, where what is redacted must not stand; what is
 * not, stands there anyway, with the action.
 */
export function describeSeen(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return 'a string';
    case 'number':
      return 'a number';
    case 'boolean':
      return 'a boolean';
    case 'undefined':
      return 'nothing';
    default:
      if (value === null) return 'null';
      if (Array.isArray(value)) return `an array of ${value.length}`;
      return `an object of ${Object.keys(value ?? {}).length} fields`;
  }
}

/** At most `longest` characters on one line, cut with an ellipsis and never through a surrogate pair. */
export function shorten(text: string, longest: number): string {
  if (text.length <= longest) return text;
  return `${text.slice(0, longest - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
