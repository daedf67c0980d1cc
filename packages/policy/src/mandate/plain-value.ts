/** Turns a parsed YAML document into plain data, and finds the places of its fields in the text. */
import type { TextPlace } from '@mandate/schemas/core';
import { type Document, isMap, isNode, isScalar, visit } from 'yaml';

export type Path = readonly PropertyKey[];

/** Returns the line and column of a path in the document. Both count from 1. */
export type FindPlace = (path: Path) => TextPlace;

const MAX_ALIASES = 50;
const ALIASES = 'the aliases from here on expand to too much: write out their values';

/**
 * Changes -0 to 0. JSON has no -0, so the stored document contains 0 and would otherwise always differ from the file.
 */
function readMinusZeroAsZero(document: Document): void {
  visit(document, {
    Scalar: (_key, node) => {
      if (node.value === 0) node.value = 0;
    },
  });
}

/**
 * Returns the content of a document. Undefined if its aliases expand too much. The parser refuses nothing else at
 * this point, and it does not report the place.
 */
export function plainValue(document: Document, say: (offset: number, message: string) => void): unknown {
  readMinusZeroAsZero(document);
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    visit(document, {
      Alias: (_key, { range }) => {
        say(range?.[0] ?? 0, ALIASES);
        return visit.BREAK;
      },
    });
    return undefined;
  }
}

/** Returns the offset of the last key of the path. If the key is missing, returns the offset of its parent. */
export function offsetOf(document: Document, path: Path): number {
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
