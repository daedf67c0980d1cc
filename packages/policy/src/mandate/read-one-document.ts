/**
 * @mandate/policy/one-document: reads a file that contains one YAML (or JSON) document, without a schema. The caller
 * checks the fields, and asks for the place of any field. Only the package `manifest` needs this reader. So
 * `@mandate/policy/documents`, which the SDK loads, does not export it.
 */
import { placesIn, type TextPlace } from '@mandate/schemas/core';
import { type DocumentFault, faultOfParser } from './document-fault.ts';
import { type DocumentKind, type DocumentSource, documentsIn } from './documents-in.ts';
import { type FindPlace, offsetOf, type Path, plainValue } from './plain-value.ts';
import { yamlFaults } from './yaml-rules.ts';

export type OneDocument =
  | {
      ok: true;
      value: unknown;
      /**
       * The numbers that cannot be stored as they are written. The caller must refuse these fields. `at`: the place of
       * the number. `find` returns the place of its field.
       */
      inexact: readonly { path: Path; message: string; at: TextPlace }[];
      find: FindPlace;
    }
  | {
      ok: false;
      /** In the order of the file. `keyTwice`: a key occurs twice in one map, and the path names this key. */
      faults: readonly (DocumentFault & { keyTwice: boolean })[];
    };

/** @param most how many faults are returned at most */
export function readOneDocument(source: DocumentSource, kind: DocumentKind, most: number): OneDocument {
  try {
    return read(source, kind, most);
  } catch (error) {
    return refuse(faultOfParser(error));
  }
}

function read(source: DocumentSource, kind: DocumentKind, most: number): OneDocument {
  const split = documentsIn(source, kind);
  if (!split.ok) return refuse(split.fault);
  const placeOf = placesIn(split.text);
  const at = (offset: number, message: string): OneDocument =>
    refuse({ ...placeOf(offset), path: '', message });
  const [document, second] = split.documents;
  if (split.empty[0] !== undefined)
    return at(split.empty[0], 'this document is empty: remove one of the ---');
  if (second !== undefined)
    return at(second.range?.[0] ?? 0, `a second document begins here: a file holds one ${kind.what}`);
  if (document === undefined) return at(0, `the file holds no ${kind.what}`);

  const found = yamlFaults(document).toSorted((a, b) => a.offset - b.offset);
  const others = found.filter(({ about }) => about !== 'number');
  // The faults after one that breaks the document are often consequences of that one.
  const firstBreaking = others.findIndex(({ breaks }) => breaks);
  const broken = others.slice(0, firstBreaking === -1 ? most : Math.min(firstBreaking + 1, most));
  if (broken.length > 0) {
    const faults = broken.map(({ offset, message, about, pathOf }) => ({
      ...placeOf(offset),
      path: pathOf().map(String).join('.'),
      message,
      keyTwice: about === 'key',
    }));
    return { ok: false, faults };
  }
  const expanding: OneDocument[] = [];
  const value = plainValue(document, (offset, message) => expanding.push(at(offset, message)));
  if (expanding[0] !== undefined) return expanding[0];
  const numbers = found.slice(0, most);
  return {
    ok: true,
    value,
    inexact: numbers.map(({ pathOf, message, offset }) => ({ path: pathOf(), message, at: placeOf(offset) })),
    find: (path) => placeOf(offsetOf(document, path)),
  };
}

function refuse(fault: DocumentFault): OneDocument {
  return { ok: false, faults: [{ ...fault, keyTwice: false }] };
}
