import { RE2JS, RE2JSException } from 're2js';

const ESCAPE = /\\(?:[pP]\{[^}]*\}|.)/gsu;
/** As many as the engine has: its names are some hundred, and what it does not know is never kept. */
const known = new Set<string>();

/**
 * Why the engine does not know a script or category of Unicode's that a pattern names; null: it knows all. It knows fewer
 * than ECMAScript, so the author of the pattern must be told. Only the class is compiled, once for all patterns: its
 * repeats would make a program of it.
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
