/**
 * Makes arguments that are too large for a record fit: the largest values become digests. The decision and the record
 * use the digests, and the tool runs with the whole values.
 */
import { CALL_CAPS, DIGESTED, type DigestedValue } from '@mandate/schemas/core';
import { sha256Hex } from './sha256-hex.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** Records with at most this many characters are within all caps of size. A character takes at most three bytes. */
const SURELY_FITS = CALL_CAPS.stringUnits;

/** The maximum size of all arguments together, in bytes. The other fields of a record have 32 KiB. */
const ARGUMENT_BYTES = CALL_CAPS.recordBytes - 32 * 1024;

/** Shorter values are not digested, because their digest would hardly be shorter. */
const SHORTEST = 1_000;
const PREFIX_UNITS = 80;

/** True if the record may exceed a cap. `json`: the whole record. */
export function mayBeTooLarge(json: string): boolean {
  return json.length > SURELY_FITS;
}

/**
 * Returns the arguments with a digest in place of each text above the cap. If they are still too large, their largest
 * texts become digests, and then their largest fields.
 *
 * @param args a copy as JSON, which is not changed
 */
export function digestArguments(args: Arguments): Arguments {
  const texts = digested(args, CALL_CAPS.stringUnits);
  for (let most = CALL_CAPS.stringUnits / 2, made = texts; ; most /= 2) {
    if (bytesOf(made) <= ARGUMENT_BYTES) return made;
    if (most < SHORTEST) return digestFields(made, args);
    made = digested(args, most);
  }
}

/** Returns the arguments with a digest in place of each large field, for example of a list with too many elements. */
export function digestFields(args: Arguments, whole: Arguments = args): Arguments {
  const fields = Object.entries(whole).map(([name, value]) => {
    if (typeof value !== 'object' || value === null) return [name, args[name]];
    const json = JSON.stringify(value);
    const type = Array.isArray(value) ? 'array' : 'object';
    return [name, json.length > SHORTEST ? digestOf(type, json) : args[name]];
  });
  return Object.fromEntries(fields);
}

/** Returns the value with a digest in place of each text that is longer than `most`. */
function digested<T>(value: T, most: number): T;
function digested(value: unknown, most: number): unknown {
  if (typeof value === 'string') return value.length > most ? digestOf('string', value) : value;
  if (Array.isArray(value)) return value.map((one) => digested(one, most));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, digested(one, most)]));
}

function digestOf(type: DigestedValue[typeof DIGESTED]['type'], text: string): DigestedValue {
  return {
    [DIGESTED]: {
      type,
      sha256: sha256Hex(text),
      length: text.length,
      prefix: text.slice(0, PREFIX_UNITS).toWellFormed(),
    },
  };
}

function bytesOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}
