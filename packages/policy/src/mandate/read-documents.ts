/**
 * Reads YAML (or JSON) documents, one or several in a file. Reports all faults at once, each with line and column.
 */

import { readShape } from '@mandate/schemas';
import { placesIn, type TextPlace } from '@mandate/schemas/core';
import type { Document } from 'yaml';
import { type DocumentFault, faultOfParser } from './document-fault.ts';
import { type DocumentKind, type DocumentSource, documentsIn } from './documents-in.ts';
import { type FindPlace, offsetOf, type Path, plainValue } from './plain-value.ts';
import { yamlFaults } from './yaml-rules.ts';

/** The required shape of a document: a zod schema. */
type Schema<T> = Parameters<typeof readShape<T>>[0];

/** Reports another fault of a document, at a path in it. */
export type SayFault = (path: Path, message: string) => void;

/** The maximum number of faults that are reported for one file. */
const MAX_FAULTS = 100;

const EMPTY = 'this document is empty: remove one of the --- around it';

/**
 * Passes each document that has the shape of `schema` to `take`.
 *
 * @returns every fault, in the order of the file. If there is a fault, the caller must not use any document of the
 * file
 */
export function readDocuments<T>(
  source: DocumentSource,
  { schema, ...kind }: { schema: Schema<T> } & DocumentKind,
  take: (value: T, say: SayFault, find: FindPlace) => void,
): readonly DocumentFault[] {
  const read = documentsIn(source, kind);
  if (!read.ok) return [read.fault];
  const faults = new Faults(read.text);
  for (const offset of read.empty) faults.say(offset, EMPTY);
  try {
    for (const document of read.documents) {
      if (faults.areEnough) break;
      const value = readDocument(document, schema, faults);
      if (value === null) continue;
      const find: FindPlace = (path) => faults.placeOf(offsetOf(document, path));
      take(value, (path, message) => faults.sayAt(document, path, message), find);
    }
    return faults.inOrder();
  } catch (error) {
    return [faultOfParser(error)];
  }
}

/** The faults of a file. After `MAX_FAULTS` faults, no further fault is added. */
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
  const value = plainValue(document, (offset, message) => faults.say(offset, message));
  if (value === undefined) return null;
  const read = readShape(schema, value, MAX_FAULTS + 1);
  if (read.ok) return read.value;
  for (const { path, message } of read.faults) faults.sayAt(document, path, message);
  return null;
}
