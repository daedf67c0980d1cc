/**
 * From bytes to a record, before anything else touches it (SEMANTICS section 8). What cannot be read comes back as a
 * fault with its place; nothing throws.
 */
import { z } from 'zod';
import { actionRequested } from './action.ts';
import type { Fault } from './dead-letter.ts';
import { CAPS } from './defaults.ts';
import { JsonFault, legible, placeOf, pointerStep } from './json-fault.ts';
import { actionCompleted } from './outcome.ts';
import { findInJson, type JsonElement, readJson, readJsonElements } from './read-json.ts';
import { sayIssue } from './say-issue.ts';
import type { Json } from './scalars.ts';
import { type ShapeFault, shapeFaults } from './shape-fault.ts';

/** Everything that may stand in an actions topic. */
export const actionsRecord = z.discriminatedUnion('event', [actionRequested, actionCompleted]);
export type ActionsRecord = z.infer<typeof actionsRecord>;

export type Read<T> = { ok: true; value: T } | { ok: false; fault: Fault };

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Reads one record of an actions topic. */
export function readActionsRecord(bytes: Uint8Array | null): Read<ActionsRecord> {
  return readStrictly(bytes, actionsRecord);
}

/** Reads JSON from outside by the strict rules and then by a schema: for record values and HTTP bodies alike. */
export function readStrictly<T>(
  bytes: Uint8Array | null,
  schema: z.ZodType<T>,
  maxBytes = CAPS.recordBytes,
): Read<T> {
  const text = textOf(bytes, maxBytes);
  if (!text.ok) return text;
  const json = orFault(text.value, readJson);
  return json.ok
    ? shaped({ text: text.value, start: 0, end: text.value.length, value: json.value }, schema)
    : json;
}

/** Whether a body was one record or a list of them; a list answers for each of its records. */
export type ReadSome<T> = { many: false; read: Read<T> } | { many: true; read: Read<readonly Read<T>[]> };

/**
 * Reads one record, or a list of them, as `readStrictly` reads one: each has its own caps and its own fault, whose
 * line and column count from the beginning of the whole text.
 * @param schemaOf the schema for a record, chosen by what it looks like
 * @param maxBytes of the whole text
 */
export function readSome<T>(
  bytes: Uint8Array | null,
  schemaOf: (json: Json) => z.ZodType<T>,
  maxBytes: number,
): ReadSome<T> {
  const text = textOf(bytes, maxBytes);
  if (!text.ok) return { many: false, read: text };
  const whole = { text: text.value, start: 0, end: text.value.length };
  if (!LIST.test(text.value)) {
    const json = orFault(text.value, readJson);
    return {
      many: false,
      read: json.ok ? shaped({ ...whole, value: json.value }, schemaOf(json.value)) : json,
    };
  }
  const elements = orFault(text.value, readJsonElements);
  if (!elements.ok) return { many: true, read: elements };
  const value = elements.value.map((element) => shaped({ ...whole, ...element }, schemaOf(element.value)));
  return { many: true, read: { ok: true, value } };
}

const LIST = /^[ \t\r\n]*\[/;

function textOf(bytes: Uint8Array | null, maxBytes: number): Read<string> {
  if (bytes === null || bytes.length === 0) {
    return refuse('the record is empty', 'publish one JSON object a record');
  }
  if (bytes.length > maxBytes) {
    return refuse(
      `the record has ${bytes.length} bytes; ${maxBytes} are allowed`,
      'publish less, or split it',
    );
  }
  try {
    return { ok: true, value: utf8.decode(bytes) };
  } catch {
    return refuse(
      'the record is not UTF-8',
      'publish JSON in UTF-8, uncompressed or with a codec that the log knows',
    );
  }
}

function orFault<T>(text: string, read: (text: string) => T): Read<T> {
  try {
    return { ok: true, value: read(text) };
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    return refuse(error.message, error.remedy, '', placeOf(text, error.offset));
  }
}

/** A value, and the text that it was read from: `text` from `start` to before `end`. */
type Found = JsonElement & { text: string };

function shaped<T>(found: Found, schema: z.ZodType<T>): Read<T> {
  const parsed = schema.safeParse(found.value, { error: sayIssue });
  return parsed.success ? { ok: true, value: parsed.data } : refuseByShape(found, parsed.error);
}

/** How many things wrong with one record are said at once; the place shown is that of the first. */
const SAID_AT_ONCE = 3;

function refuseByShape<T>({ text, start, end }: Found, error: z.ZodError): Read<T> {
  const faults = shapeFaults(error);
  const [first] = faults;
  if (first === undefined) throw new Error('a schema refused a record and named no issue', { cause: error });
  const place = findInJson(text.slice(start, end), first.path);
  return refuse(
    faults.slice(0, SAID_AT_ONCE).map(sentence).join('; '),
    first.unknownField
      ? 'take the field out or correct its name, then publish the record again'
      : 'give the field a value that fits, then publish the record again',
    pointerOf(first.path),
    placeOf(text, start + (first.unknownField ? place.key : place.value)),
  );
}

function sentence({ path, message }: ShapeFault): string {
  return `${path.length === 0 ? 'the record' : legible(pointerOf(path)).slice(1, -1)} ${message}`;
}

function pointerOf(path: readonly PropertyKey[]): string {
  return path.map(pointerStep).join('');
}

function refuse<T>(reason: string, remedy: string, pointer = '', place = { line: 1, column: 1 }): Read<T> {
  return { ok: false, fault: { code: 'INVALID_ACTION', reason, remedy, pointer, ...place } };
}
