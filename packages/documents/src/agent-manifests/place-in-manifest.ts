/** Finds where a field of an agent manifest is written in its file. */
import { readOneDocument } from '@mandate/policy/one-document';
import { readNamedFile } from '@mandate/runtime';

type Place = { line: number; column: number };

const START: Place = { line: 1, column: 1 };

/**
 * Returns a function from a path to its place: of the field, otherwise of the nearest field above it. `path` has its
 * parts joined by dots. Keys may contain dots, so the longest key is taken.
 */
export function placesInManifest(file: string): (path: string) => Place {
  const read = readOneDocument(readNamedFile(file), { what: 'agent manifest' }, 1);
  return (path) => (read.ok ? read.find(partsOf(read.value, path)) : START);
}

function partsOf(value: unknown, path: string): string[] {
  const parts: string[] = [];
  let within = value;
  let rest = path;
  while (rest !== '' && typeof within === 'object' && within !== null) {
    const key = longestKey(within, rest);
    if (key === null) break;
    parts.push(key);
    within = Reflect.get(within, key);
    rest = rest.slice(key.length + 1);
  }
  return parts;
}

function longestKey(of: object, path: string): string | null {
  for (let end = path.length; end > 0; end = path.lastIndexOf('.', end - 1)) {
    const key = path.slice(0, end);
    if (Object.hasOwn(of, key)) return key;
  }
  return null;
}
