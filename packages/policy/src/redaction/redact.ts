import type { Json } from '@mandate/schemas';
import { canonicalJson, hmacSha256Hex } from '../digest.ts';
import { REDACTED } from './placeholders.ts';
import { comparableName } from './secret-names.ts';

/** The fields that must not be published unchanged. Names are compared without case, `_`, `-`, `.` and spaces. */
export interface RedactionRules {
  /** Names of fields that are replaced by `[redacted]`. */
  readonly redact: readonly string[];
  /**
   * Names of fields that are replaced by a keyed hash. Equal values have equal hashes. The values cannot be guessed
   * without the key.
   */
  readonly hash: readonly string[];
  readonly hashKey?: string | undefined;
}

/** Returns a redacted copy of a value, or the value itself if nothing in it is redacted. Never changes its input. */
export type Redaction = (value: Json) => Json;

const HASHED = /^hmac-sha256:[0-9a-f]{32}$/;

/**
 * Compiles rules into a redaction. It replaces the whole value of each field with one of the names, at any depth, in
 * linear time. If a name is in both lists, its values are redacted, not hashed. A value that is already redacted
 * stays unchanged, so redaction is idempotent. An agent that sends a placeholder itself gains nothing.
 *
 * Throws a TypeError if there are names to hash and no key, because the values of unkeyed hashes can be guessed.
 */
export function compileRedaction({ redact, hash, hashKey }: RedactionRules): Redaction {
  if (hash.length > 0 && !hashKey) throw new TypeError('fields can only be hashed with a key: set hashKey');
  const key = hashKey ?? '';
  const replace = new Map<string, (value: Json) => Json>();
  for (const name of hash) replace.set(comparableName(name), (value) => hashOnce(value, key));
  for (const name of redact) replace.set(comparableName(name), () => REDACTED);
  if (replace.size === 0) return (value) => value;

  function redactIn(value: Json): Json {
    if (Array.isArray(value)) return redactItems(value);
    return typeof value === 'object' && value !== null ? redactFields(value) : value;
  }

  function redactItems(items: Json[]): Json {
    let copy: Json[] | null = null;
    for (const [index, item] of items.entries()) {
      const redacted = redactIn(item);
      if (redacted === item) continue;
      copy ??= [...items];
      copy[index] = redacted;
    }
    return copy ?? items;
  }

  function redactFields(fields: { [name: string]: Json }): Json {
    let copy: { [name: string]: Json } | null = null;
    for (const [name, member] of Object.entries(fields)) {
      const replacement = replace.get(comparableName(name));
      const redacted = replacement === undefined ? redactIn(member) : replacement(member);
      if (redacted === member) continue;
      copy ??= { ...fields };
      copy[name] = redacted;
    }
    return copy ?? fields;
  }

  return redactIn;
}

/** Returns the keyed hash of a value. A value that is already such a hash stays unchanged. */
export function hashOnce(value: string, key: string): string;
export function hashOnce(value: Json, key: string): Json;
export function hashOnce(value: Json, key: string): Json {
  return typeof value === 'string' && HASHED.test(value) ? value : keyedHash(value, key);
}

/** Returns a hash that is equal only for equal values. Without the key, the value cannot be guessed from its hash. */
export function keyedHash(value: Json, key: string): string {
  return `hmac-sha256:${hmacSha256Hex(key, canonicalJson(value)).slice(0, 32)}`;
}
