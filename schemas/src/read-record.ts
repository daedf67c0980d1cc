/**
 * Turns bytes into a record, before any other code uses them (docs/semantics.md, section 8). For a record that cannot
 * be read, it returns a fault with its place. Nothing throws.
 */
import { z } from 'zod';
import { actionRequested } from './action.ts';
import type { Fault } from './dead-letter.ts';
import { decodeText } from './decode-text.ts';
import { CAPS } from './defaults.ts';
import { JsonFault, legible, placeOf, placesIn, pointerStep, type TextPlace } from './json-fault.ts';
import { actionCompleted } from './outcome.ts';
import { findInJson, type JsonElement, readJson, readJsonElements } from './read-json.ts';
import type { Json } from './scalars.ts';
import { readShape, type ShapeFault } from './shape-fault.ts';

/** Every record of an actions topic. */
export const actionsRecord = z.discriminatedUnion('event', [actionRequested, actionCompleted]);
export type ActionsRecord = z.infer<typeof actionsRecord>;

type Refused = { ok: false; fault: Fault };
export type Read<T> = { ok: true; value: T } | Refused;

/** Reads one record of an actions topic. */
export function readActionsRecord(bytes: Uint8Array | null): Read<ActionsRecord> {
  return readStrictly(bytes, actionsRecord);
}

/** Reads the text of one record of an actions topic, as strictly as its bytes. */
export function readActionsText(text: string): Read<ActionsRecord> {
  const { recordBytes } = CAPS;
  // A character takes at most three bytes, so most texts need not be encoded to know that they fit.
  const bytes = text.length * 3 <= recordBytes ? text.length : new TextEncoder().encode(text).length;
  return sizeFault(bytes, recordBytes) ?? readText(text, () => actionsRecord);
}

/** Reads JSON from outside: first by the strict rules, then by a schema. Used for record values and HTTP bodies. */
export function readStrictly<T>(
  bytes: Uint8Array | null,
  schema: z.ZodType<T>,
  maxBytes = CAPS.recordBytes,
): Read<T> {
  const text = textOf(bytes, maxBytes);
  return text.ok ? readText(text.value, () => schema) : text;
}

const ANY_SIZE = { depth: CAPS.depth, keys: Infinity, elements: Infinity, stringUnits: Infinity };

/** Returns the fault of a JSON text that may be in no record, even if its size would fit. Null if there is none. */
export function faultWithoutSize(text: string): Pick<Fault, 'reason' | 'remedy' | 'pointer'> | null {
  try {
    readJson(text, ANY_SIZE);
    return null;
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    return { reason: error.message, remedy: error.remedy, pointer: '' };
  }
}

/** Chooses the schema of a record by the record's content. */
type SchemaOf<T> = (json: Json) => z.ZodType<T>;

/** A record of a list that cannot be read. `index` counts the records of the list from 0. */
export type ListedFault = Fault & { index: number };

/** The content of a body: one record, or a list of records. */
export type ReadSome<T> =
  | { many: false; read: Read<T> }
  | { many: true; read: Read<readonly T[]> }
  /** `wrong`: how many of the `records` records cannot be read. `faults` describes the first of them. */
  | { many: true; faults: readonly ListedFault[]; wrong: number; records: number };

/** The maximum number of records of a list that are read, and the maximum number of faults that are reported. */
export type ListBounds = { records: number; faults: number };

/**
 * Reads one record or a list of records, each as `readStrictly` does. Each record has its own limits. Line and column
 * of a fault count from the beginning of the whole text, and are computed only for reported faults. Yields after each
 * record of a list, so that other work can run in between.
 */
export function* readSome<T>(
  bytes: Uint8Array | null,
  schemaOf: SchemaOf<T>,
  bounds: ListBounds,
): Generator<void, ReadSome<T>> {
  const text = textOf(bytes, Number.POSITIVE_INFINITY);
  if (!text.ok) return { many: false, read: text };
  if (LIST.test(text.value)) return yield* readList(text.value, schemaOf, bounds);
  const bounded = textOf(bytes, CAPS.recordBytes);
  return { many: false, read: bounded.ok ? readText(bounded.value, schemaOf) : bounded };
}

const LIST = /^[ \t\r\n]*\[/;

function* readList<T>(text: string, schemaOf: SchemaOf<T>, bounds: ListBounds): Generator<void, ReadSome<T>> {
  const values: T[] = [];
  const told: Wrong[] = [];
  let records = 0;
  try {
    for (const element of readJsonElements(text, bounds.records)) {
      const found = shaped(text, element, schemaOf);
      if (found.ok) values.push(found.value);
      else if (told.length < bounds.faults) told.push({ ...found.refusal(), index: records });
      records += 1;
      yield;
    }
  } catch (error) {
    return { many: true, read: refuseJson(text, error) };
  }
  if (values.length === records) return { many: true, read: { ok: true, value: values } };
  return { many: true, faults: placed(text, told), wrong: records - values.length, records };
}

type Wrong = Refusal & { index: number };

function placed(text: string, wrong: readonly Wrong[]): readonly ListedFault[] {
  const place = placesIn(text);
  return wrong.map(({ offset, ...refusal }) => ({ code: 'INVALID_ACTION', ...refusal, ...place(offset) }));
}

function textOf(given: Uint8Array | null, maxBytes: number): Read<string> {
  const bytes = given ?? new Uint8Array();
  const fault = sizeFault(bytes.length, maxBytes);
  if (fault !== null) return fault;
  const decoded = decodeText(bytes);
  if (decoded.ok) return { ok: true, value: decoded.text };
  const { line, column, message } = decoded.fault;
  return refuse(
    `the record is ${message}`,
    'publish JSON in UTF-8, uncompressed or with a codec that the log knows',
    { line, column },
  );
}

const SPLIT_IT = 'publish less, or split it';

function sizeFault(bytes: number, maxBytes: number): Refused | null {
  if (bytes === 0) return refuse('the record is empty', 'publish one JSON object a record');
  if (bytes <= maxBytes) return null;
  return refuse(`the record has ${bytes} bytes; ${maxBytes} are allowed`, SPLIT_IT);
}

function readText<T>(text: string, schemaOf: SchemaOf<T>): Read<T> {
  try {
    const found = shaped(text, { value: readJson(text), start: 0, end: text.length }, schemaOf);
    if (found.ok) return found;
    const { offset, ...refusal } = found.refusal();
    return { ok: false, fault: { code: 'INVALID_ACTION', ...refusal, ...placeOf(text, offset) } };
  } catch (error) {
    return refuseJson(text, error);
  }
}

/** A fault in the shape of a record. `offset` is its place in the whole text. */
type Refusal = Pick<Fault, 'reason' | 'remedy' | 'pointer'> & { offset: number };

/** How many faults of one record are reported together. They are reported with the place of the first fault. */
const SAID_AT_ONCE = 3;

/**
 * @param element an element of the text, or the whole text
 * @returns a function that computes the fault. It is called only for faults that are reported
 */
function shaped<T>(
  text: string,
  { value, start, end }: JsonElement,
  schemaOf: SchemaOf<T>,
): { ok: true; value: T } | { ok: false; refusal(): Refusal } {
  if (end - start > CAPS.recordBytes) {
    const reason = `the record has ${end - start} characters; ${CAPS.recordBytes} bytes are allowed`;
    return { ok: false, refusal: () => ({ reason, remedy: SPLIT_IT, pointer: '', offset: start }) };
  }
  const read = readShape(schemaOf(value), value, SAID_AT_ONCE);
  return read.ok ? read : { ok: false, refusal: () => refusalOf(text.slice(start, end), start, read.faults) };
}

/** @param start the offset at which `text` begins in the whole text */
function refusalOf(text: string, start: number, faults: readonly ShapeFault[]): Refusal {
  const [first] = faults;
  if (first === undefined) throw new Error('a schema refused a record and named no issue');
  const place = findInJson(text, first.path);
  return {
    reason: faults.map(sentence).join('; '),
    remedy: first.unknownField
      ? 'remove the field or correct its name, then publish the record again'
      : 'give the field a value that fits, then publish the record again',
    pointer: pointerOf(first.path),
    offset: start + (first.unknownField ? place.key : place.value),
  };
}

function sentence({ path, message }: ShapeFault): string {
  return `${path.length === 0 ? 'the record' : legible(pointerOf(path)).slice(1, -1)} ${message}`;
}

function pointerOf(path: readonly PropertyKey[]): string {
  return path.map(pointerStep).join('');
}

function refuseJson<T>(text: string, error: unknown): Read<T> {
  if (!(error instanceof JsonFault)) throw error;
  return refuse(error.message, error.remedy, placeOf(text, error.offset));
}

function refuse(reason: string, remedy: string, place: TextPlace = { line: 1, column: 1 }): Refused {
  return { ok: false, fault: { code: 'INVALID_ACTION', reason, remedy, pointer: '', ...place } };
}
