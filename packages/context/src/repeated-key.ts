/** Finds keys that occur twice in an object of a JSON text. `JSON.parse` would silently keep the last value. */

/** A string, or one of the four marks that begin and end objects and lists. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],]/g;

/**
 * Returns true if an object in the text has two equal keys, also if they are escaped in different ways.
 *
 * @param text a text that `JSON.parse` accepts
 */
export function hasRepeatedKey(text: string): boolean {
  /** The keys of each open object. Null for an open list. */
  const open: (Set<string> | null)[] = [];
  let isKeyNext = false;
  for (const [token] of text.matchAll(TOKEN)) {
    const keys = open.at(-1);
    if (token === '{') {
      open.push(new Set());
      isKeyNext = true;
    } else if (token === '[') {
      open.push(null);
      isKeyNext = false;
    } else if (token === '}' || token === ']') {
      open.pop();
      isKeyNext = false;
    } else if (token === ',') {
      isKeyNext = keys instanceof Set;
    } else if (isKeyNext && keys instanceof Set) {
      const key = String(JSON.parse(token));
      if (keys.has(key)) return true;
      keys.add(key);
      isKeyNext = false;
    }
  }
  return false;
}
