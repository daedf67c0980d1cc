import { shortClass } from './unicode-categories.ts';

/**
 * Thrown for a pattern that is invalid or cannot run in linear time. The message names the pattern and the reason.
 */
export class PatternRefused extends Error {
  readonly pattern: string;
  constructor(pattern: string, why: string) {
    super(`the pattern ${JSON.stringify(pattern)} is refused: ${why}`);
    this.name = 'PatternRefused';
    this.pattern = pattern;
  }
}

// The white space of ECMAScript, and the characters that `.` does not match. In RE2 both sets contain fewer
// characters.
const SPACE =
  '\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
const NOT_SPACE =
  '\\x{0}-\\x{8}\\x{e}-\\x{1f}!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}' +
  '\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}';
const ANY_BUT_LINE_ENDS = '[^\\n\\r\\x{2028}\\x{2029}]';
const ANY = '[\\x{0}-\\x{10ffff}]';
const NONE = '[^\\x{0}-\\x{10ffff}]';

/** Returns the fault that the engine found, without the pattern, which the message already contains. */
function syntaxFault(pattern: string, error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(`Invalid regular expression: /${pattern}/u: `, () => '');
}

/**
 * Rewrites an ECMAScript pattern (with the `u` flag, as JSON Schema requires) as an RE2 pattern that matches the same
 * texts. The two syntaxes look alike, but `\s`, `.`, `\k`, `\u`, `[` in a class and `(?…)` have another meaning in
 * RE2, or none. So each of these is rewritten or refused here.
 *
 * Throws PatternRefused for look-around and back-references, because they cannot run in linear time.
 */
export function patternToRe2(pattern: string): string {
  try {
    // Only checks the syntax; the RegExp is never run. The code below works only for valid patterns.
    new RegExp(pattern, 'u');
  } catch (error) {
    throw new PatternRefused(pattern, `it is no regular expression (${syntaxFault(pattern, error)})`);
  }
  let re2 = '';
  let inClass = false;
  for (let at = 0; at < pattern.length; ) {
    const char = pattern.charAt(at);
    const token = char === '\\' ? escapeAt(pattern, at) : char === '(' ? groupAt(pattern, at) : char;
    at += token.length;
    if (char === '\\') re2 += translateEscape(pattern, token, inClass);
    else if (inClass) {
      re2 += char === '[' ? '\\[' : char;
      inClass = char !== ']';
    } else if (char === '(') re2 += token === '(' ? '(' : '(?:';
    else if (char === '.') re2 += ANY_BUT_LINE_ENDS;
    else if (char === '[' && pattern.startsWith('[^]', at - 1)) {
      re2 += ANY;
      at += 2;
    } else if (char === '[' && pattern.startsWith('[]', at - 1)) {
      re2 += NONE;
      at += 1;
    } else {
      re2 += char;
      inClass = char === '[';
    }
  }
  return re2;
}

const ESCAPE =
  /\\(?:u\{[^}]*\}|u[dD][89abAB]..\\u[dD][c-fC-F]..|u....|x..|c.|[pP]\{[^}]*\}|[1-9]\d*|[\s\S])/uy;

function escapeAt(pattern: string, at: number): string {
  ESCAPE.lastIndex = at;
  return ESCAPE.exec(pattern)?.[0] ?? '\\';
}

/** Returns `(`, `(?:` or `(?<name>`. A group name may be dropped, because only back-references use it. */
function groupAt(pattern: string, at: number): string {
  if (pattern[at + 1] !== '?') return '(';
  const kind = pattern[at + 2];
  if (kind === ':') return '(?:';
  if (kind === '=' || kind === '!')
    throw new PatternRefused(pattern, 'look-ahead has no linear-time meaning');
  if (kind !== '<') throw new PatternRefused(pattern, 'flags inside a pattern are not supported');
  if (pattern[at + 3] === '=' || pattern[at + 3] === '!') {
    throw new PatternRefused(pattern, 'look-behind is not supported');
  }
  return pattern.slice(at, pattern.indexOf('>', at) + 1);
}

function translateEscape(pattern: string, token: string, inClass: boolean): string {
  const kind = token[1] ?? '';
  if (/[1-9k]/.test(kind) && !(inClass && kind === 'k')) {
    throw new PatternRefused(pattern, 'back-references have no linear-time meaning');
  }
  switch (kind) {
    case 's':
      return inClass ? SPACE : `[${SPACE}]`;
    case 'S':
      return inClass ? NOT_SPACE : `[${NOT_SPACE}]`;
    case 'u':
      return codePoint(unicodeEscape(token));
    case 'c':
      return codePoint(token.charCodeAt(2) % 32);
    case '0':
      return codePoint(0);
    case 'b':
      return inClass ? codePoint(8) : token;
    case 'p':
    case 'P':
      return shortClass(token);
    default:
      return token;
  }
}

function unicodeEscape(token: string): number {
  const [first = 0, second] = (token.match(/[0-9a-fA-F]+/g) ?? []).map((hex) => Number.parseInt(hex, 16));
  return second === undefined ? first : 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
}

function codePoint(value: number): string {
  return `\\x{${value.toString(16)}}`;
}
