/**
 * Decides whether the value beside the name of a secret is a secret. Source code and prose use the same names:
 * `token: string`, `password = getPassword()`, "the secret is to wait". The less certain the position of the value,
 * the more the value itself must look like a secret.
 */

/**
 * How certain the position of a value is.
 * - `certain`: a member of JSON or an element of XML, which contains a value and nothing else.
 * - `likely`: an option of a command, a shell variable, a parameter of a query or of a connection string.
 * - `possible`: any other position at which the value is assigned, including source code and prose.
 * - `unlikely`: the value only follows the name, after a space, in the next line or in the next cell of a table.
 */
export type Certainty = 'certain' | 'likely' | 'possible' | 'unlikely';

/** Match texts that stand for a value: a reference to a value elsewhere, a masked value, or the name of a type. */
const STAND_IN = [
  '\\$\\{.*',
  '\\$\\(.*',
  '\\$[A-Z_][A-Z0-9_]*',
  '%[A-Z_][A-Z0-9_]*%',
  '<.*',
  '\\{\\{.*',
  '\\{[\\w.]*\\}',
  '(.)\\1*',
  '\\.{2,}.*',
  'your[-_ ].*',
  '(?:null|nil|none|undefined|true|false|yes|no|string|str|bytes|object|text|any|required|optional|hidden|redacted)[?!]?',
  '(?:process|import\\.meta|deno|bun|os)\\.env.*',
];
const IS_STAND_IN = new RegExp(`^(?:${STAND_IN.join('|')})$`, 'is');
/** Matches names and calls of source code, and URLs: `user.password`, `getToken(`, `Uint8Array`, `https://…`. */
const IS_CODE = /^[&*!]?[A-Za-z_$][\w$]*(?:(?:\?\.|\.|->|::)[A-Za-z_$][\w$]*)*(?:[([<].*)?[,;)]*$/s;
const IS_URL = /^[a-z][a-z0-9+.-]{1,20}:\/\//i;
const IS_PATH = /^(?:~|\.{0,2})(?:\/[a-z0-9._-]+){2,}$/;
const SHORTEST_PASSWORD = 4;
const SHORTEST = 8;
/** A length that words of source code with a digit seldom reach. */
const LONG = 16;
/** A number of changes between letters and digits. Random values have this many changes more often than words do. */
const MANY_TURNS = 3;

export function looksSecret(value: string, certainty: Certainty, isPassword: boolean): boolean {
  if (value.length < (isPassword ? SHORTEST_PASSWORD : SHORTEST)) return false;
  if (IS_STAND_IN.test(value) || IS_URL.test(value)) return false;
  if (certainty === 'certain') return true;
  if (IS_PATH.test(value)) return false;
  const hasDigit = /\d/.test(value);
  const hasLetter = /\p{L}/u.test(value);
  if (certainty === 'likely') return hasDigit || !IS_CODE.test(value) || value.length >= LONG;
  if (/\s/.test(value) || !hasLetter) return false;
  if (certainty === 'unlikely') return looksRandom(value);
  if (!IS_CODE.test(value)) return hasDigit || /[^\w.\s-]/.test(value);
  return (
    turnsOf(value) >= (isPassword ? 1 : MANY_TURNS) ||
    (hasDigit && value.length >= LONG && /^\w+$/.test(value))
  );
}

function looksRandom(value: string): boolean {
  if (value.length >= LONG && turnsOf(value) >= MANY_TURNS) return true;
  return value.length >= 2 * LONG && /\d/.test(value) && /[a-z]/.test(value) && /[A-Z]/.test(value);
}

/** Returns how often the value changes between letters and digits. */
function turnsOf(value: string): number {
  return value.match(/\d(?=[A-Za-z])|[A-Za-z](?=\d)/g)?.length ?? 0;
}
