/**
 * Reads what people write as YAML: one document, or several in a file; JSON is YAML. Everything wrong with it is said at
 * once, each with line and column.
 */
import { CAPS, placeOf, sayIssue, shapeFaults } from '@mandate/schemas';
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

/** What a document must look like: a zod schema, as far as it is needed here. */
type Schema<T> = {
  safeParse(
    value: unknown,
    how: { error: typeof sayIssue },
  ): { success: true; data: T } | { success: false; error: Parameters<typeof shapeFaults>[0] };
};

/** Says what else is wrong with a document, and where in it. */
export type SayFault = (path: Path, message: string) => void;

/** Where something of a document stands in its file; both count from 1. */
export type FindPlace = (path: Path) => { line: number; column: number };

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
    const faults: DocumentFault[] = [];
    for (const document of documents) {
      if (faults.length > MAX_FAULTS) break;
      const value = readDocument(document, text, schema, faults);
      if (value === null) continue;
      const find: FindPlace = (path) => placeOf(text, offsetOf(document, path));
      take(value, (path, message) => faults.push(faultAt(document, text, path, message)), find);
    }
    return inOrder(faults);
  } catch (error) {
    // The parser's own refusal of hostile input.
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

function inOrder(faults: readonly DocumentFault[]): readonly DocumentFault[] {
  const sorted = faults.toSorted((a, b) => a.line - b.line || a.column - b.column);
  return sorted.length <= MAX_FAULTS
    ? sorted
    : [
        ...sorted.slice(0, MAX_FAULTS),
        { line: 1, column: 1, path: '', message: 'and more: mend these first' },
      ];
}

function readDocument<T>(
  document: Document,
  text: string,
  schema: Schema<T>,
  faults: DocumentFault[],
): T | null {
  const found = yamlFaults(document);
  if (found.length > 0) {
    for (const { offset, message } of found.slice(0, MAX_FAULTS + 1))
      faults.push({ ...placeOf(text, offset), path: '', message });
    return null;
  }
  readMinusZeroAsZero(document);
  const value = plainValue(document, text, faults);
  if (value === undefined) return null;
  const parsed = schema.safeParse(value, { error: sayIssue });
  if (parsed.success) return parsed.data;
  for (const { path, message } of shapeFaults(parsed.error).slice(0, MAX_FAULTS + 1)) {
    faults.push(faultAt(document, text, path, message));
  }
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
function plainValue(document: Document, text: string, faults: DocumentFault[]): unknown {
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    visit(document, {
      Alias: (_key, { range }) => {
        faults.push({ ...placeOf(text, range?.[0] ?? 0), path: '', message: ALIASES });
        return visit.BREAK;
      },
    });
    return undefined;
  }
}

function faultAt(document: Document, text: string, path: Path, message: string): DocumentFault {
  return { ...placeOf(text, offsetOf(document, path)), path: path.map(String).join('.'), message };
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
