import { RE2JS, RE2JSException } from 're2js';

const ESCAPE = /\\(?:[pP]\{[^}]*\}|.)/gsu;
/** Classes that the engine knows. There are at most some hundred, because unknown classes are never stored. */
const known = new Set<string>();

/**
 * Returns the error message for a Unicode script or category that the engine does not know. Null if it knows all of
 * the pattern. The engine knows fewer classes than ECMAScript, so the author of the pattern needs a message. Only the
 * class is compiled, and only once for all patterns, because its repeats would make the program large.
 */
export function unknownClass(re2: string): string | null {
  for (const [token] of re2.matchAll(ESCAPE)) {
    if (!/^\\p/i.test(token) || known.has(token)) continue;
    try {
      RE2JS.compile(token);
    } catch (error) {
      if (error instanceof RE2JSException)
        return `it knows no class ${token}: name a category (\\p{L}) or a script (\\p{Greek}), or the characters`;
      throw error;
    }
    known.add(token);
  }
  return null;
}
