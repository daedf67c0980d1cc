/**
 * Reads what people write as YAML: one document, or several in a file; JSON is YAML. Everything wrong with it is said at
 * once, each with line and column.
 */
import { CAPS, placeOf, placesIn, readShape, type TextPlace } from '@mandate/schemas';
import { type Document, isMap, isNode, isScalar, parseAllDocuments, visit } from 'yaml';
import { yamlExcess } from './yaml-bounds.ts';
import { yamlFaults } from './yaml-rules.ts';

/** `line` and `column` count from 1; `path` is dotted, empty for the file as a whole. */
export type DocumentFault = { line: number; column: number; path: string; message: string };

/** As a person wants to read it, and an editor to jump there: `mandates.yaml:12:3 budgets.0.max: must be …`. */
export function describeFault(file: string, { line, column, path, message }: DocumentFault): string {
  return `${file}:${line}:${column} ${path === '' ? '' : `${path}: `}${message}`;
}

type Path = readonly PropertyKey[];

/** What a document must look like: a zod schema. */
type Schema<T> = Parameters<typeof readShape<T>>[0];

/** Says what else is wrong with a document, and where in it. */
export type SayFault = (path: Path, message: string) => void;

/** Where something of a document stands in its file; both count from 1. */
export type FindPlace = (path: Path) => TextPlace;

const MAX_ALIASES = 50;
const ALIASES = 'the aliases from here on stand for too much: write out what they mean';

/** A file that is wrong from end to end is not read out from end to end. */
const MAX_FAULTS = 100;

/**
 * Hands over each document that has the shape of `schema`.
 *
 * @param what a document is, for the fault that there is none
 * @returns every fault in the order of the file; with one, nothing of the file is to be used
 */
export function readDocuments<T>(
  text: string,
  { schema, what }: { schema: Schema<T>; what: string },
  take: (value: T, say: SayFault, find: FindPlace) => void,
): readonly DocumentFault[] {
  if (new TextEncoder().encode(text).length > CAPS.documentBytes) {
    return refuse(`the file is larger than ${CAPS.documentBytes} bytes: split it`);
  }
  const excess = yamlExcess(text);
  if (excess !== null) return refuse(excess.message, placeOf(text, excess.offset));
  try {
    const documents = parseAllDocuments(text, {
      // The parser's own look for repeated keys takes quadratic time; yaml-rules.ts has a linear one.
      uniqueKeys: false,
      prettyErrors: false,
    });
    if (!Array.isArray(documents) || documents.length === 0) return refuse(`the file holds no ${what}`);
    const faults = new Faults(text);
    for (const document of documents) {
      if (faults.areEnough) break;
      const value = readDocument(document, schema, faults);
      if (value === null) continue;
      const find: FindPlace = (path) => faults.placeOf(offsetOf(document, path));
      take(value, (path, message) => faults.sayAt(document, path, message), find);
    }
    return faults.inOrder();
  } catch (error) {
    // The parser's own refusal of hostile input.
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

/** What is wrong with a file. Once there are more faults than are told, no further one is looked up. */
class Faults {
  readonly placeOf: (offset: number) => TextPlace;
  readonly #said: DocumentFault[] = [];

  constructor(text: string) {
    let places: ((offset: number) => TextPlace) | null = null;
    this.placeOf = (offset) => {
      places ??= placesIn(text);
      return places(offset);
    };
  }

  get areEnough(): boolean {
    return this.#said.length > MAX_FAULTS;
  }

  say(offset: number, message: string): void {
    if (!this.areEnough) this.#said.push({ ...this.placeOf(offset), path: '', message });
  }

  sayAt(document: Document, path: Path, message: string): void {
    if (this.areEnough) return;
    const place = this.placeOf(offsetOf(document, path));
    this.#said.push({ ...place, path: path.map(String).join('.'), message });
  }

  inOrder(): readonly DocumentFault[] {
    const sorted = this.#said.toSorted((a, b) => a.line - b.line || a.column - b.column);
    return sorted.length <= MAX_FAULTS
      ? sorted
      : [
          ...sorted.slice(0, MAX_FAULTS),
          { line: 1, column: 1, path: '', message: 'and more: correct these first' },
        ];
  }
}

function readDocument<T>(document: Document, schema: Schema<T>, faults: Faults): T | null {
  const found = yamlFaults(document);
  for (const { offset, message } of found) faults.say(offset, message);
  if (found.length > 0) return null;
  readMinusZeroAsZero(document);
  const value = plainValue(document, faults);
  if (value === undefined) return null;
  const read = readShape(schema, value, MAX_FAULTS + 1);
  if (read.ok) return read.value;
  for (const { path, message } of read.faults) faults.sayAt(document, path, message);
  return null;
}

/** JSON knows no -0: what is kept of it is 0, and would differ from the file for ever. */
function readMinusZeroAsZero(document: Document): void {
  visit(document, {
    Scalar: (_key, node) => {
      if (node.value === 0) node.value = 0;
    },
  });
}

/** undefined where aliases multiply: that is all the parser refuses by now, and it does not say where. */
function plainValue(document: Document, faults: Faults): unknown {
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    visit(document, {
      Alias: (_key, { range }) => {
        faults.say(range?.[0] ?? 0, ALIASES);
        return visit.BREAK;
      },
    });
    return undefined;
  }
}

/** Where the last key of the path stands; for one that is missing, where its parent begins. */
function offsetOf(document: Document, path: Path): number {
  for (let depth = path.length; depth > 0; depth--) {
    const parent = depth === 1 ? document.contents : document.getIn(path.slice(0, depth - 1), true);
    const last = path[depth - 1];
    if (isMap(parent)) {
      const pair = parent.items.find(({ key }) => isScalar(key) && String(key.value) === String(last));
      if (pair !== undefined && isScalar(pair.key)) return pair.key.range?.[0] ?? 0;
    }
    const node = document.getIn(path.slice(0, depth), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return document.contents?.range?.[0] ?? 0;
}

function refuse(message: string, place = { line: 1, column: 1 }): readonly DocumentFault[] {
  return [{ ...place, path: '', message }];
}
