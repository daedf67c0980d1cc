/** The values of an expression in CEL. Data of a run are JSON; the other types exist only while an expression runs. */

/** An unsigned integer. */
export type Uint = { readonly is: 'uint'; readonly value: bigint };
/** A point in time, in nanoseconds since 1970. */
export type Timestamp = { readonly is: 'timestamp'; readonly nanos: bigint };
export type Duration = { readonly is: 'duration'; readonly nanos: bigint };
type TypeName = { readonly is: 'type'; readonly name: string };
export type List = { readonly is: 'list'; readonly items: readonly Value[] };
/** A map. `keys` and `size` may use up work, because the keys of a JSON object are listed only at their first use. */
export type Dictionary = {
  readonly is: 'map';
  size(): number;
  get(key: Value): Value | undefined;
  keys(): readonly Value[];
};

/** A JSON integer is a bigint if its schema says `integer`, and a number (double) otherwise. */
export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | Uint
  | Timestamp
  | Duration
  | TypeName
  | List
  | Dictionary;

/**
 * The reason why an expression has no value. In CEL, `&&`, `||` and `exists` can ignore a failure, so a failure is a
 * value and not an exception.
 */
export type Failure = { readonly is: 'failure'; readonly message: string };
export type Result = Value | Failure;

export function failure(message: string): Failure {
  return { is: 'failure', message };
}

export function isFailure(result: Result): result is Failure {
  return typeof result === 'object' && result !== null && 'is' in result && result.is === 'failure';
}

type Tagged = Exclude<Value, null | boolean | number | bigint | string | Uint8Array>;

export function isA<K extends Tagged['is']>(value: Value, tag: K): value is Extract<Tagged, { is: K }> {
  return typeof value === 'object' && value !== null && !(value instanceof Uint8Array) && value.is === tag;
}

export function list(items: readonly Value[]): List {
  return { is: 'list', items };
}

/** Returns the name of the type, as `type()` and messages give it. */
export function typeOf(value: Value): string {
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'number':
      return 'double';
    case 'bigint':
      return 'int';
    case 'string':
      return 'string';
    default:
      if (value === null) return 'null_type';
      if (value instanceof Uint8Array) return 'bytes';
      return TAGGED[value.is];
  }
}

const TAGGED = {
  uint: 'uint',
  timestamp: 'google.protobuf.Timestamp',
  duration: 'google.protobuf.Duration',
  type: 'type',
  list: 'list',
  map: 'map',
} as const;

/** The names of types that an expression may use as values, as in `type(state.score) == double`. */
export const TYPE_NAMES: ReadonlySet<string> = new Set([
  'int',
  'uint',
  'double',
  'bool',
  'string',
  'bytes',
  'list',
  'map',
  'null_type',
  'type',
]);
