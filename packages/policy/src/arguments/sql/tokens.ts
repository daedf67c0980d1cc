import type { SqlDialect, SqlLexis } from './dialect.ts';
import { SqlRefused } from './sql-refused.ts';

/** A token of SQL. White space and comments are left out. */
export interface SqlToken {
  /**
   * `word`: an unquoted word, with ASCII letters in lower case. `name`: the text in double quotes or backticks,
   * without the quotes. `literal`: a string. `parameter`: a placeholder for a value that is sent separately.
   */
  readonly kind: 'word' | 'name' | 'literal' | 'number' | 'parameter' | 'sign';
  readonly text: string;
  readonly at: number;
}

/**
 * Splits SQL in one pass, as the dialect does. Refuses text that versions, settings or command-line clients of the
 * dialect split in different ways. If programs disagree where a quote ends, a second statement can hide in what looks
 * like a string.
 */
export function sqlTokens(sql: string, dialect: SqlDialect): readonly SqlToken[] {
  const nul = sql.indexOf('\0');
  if (nul >= 0) throw new SqlRefused('a NUL character', nul);
  const tokens: SqlToken[] = [];
  for (let at = 0; at < sql.length; ) {
    const blank = endOfMatch(BLANK, sql, at) ?? endOfComment(sql, at, dialect.lexis);
    if (blank !== null) {
      at = blank;
      continue;
    }
    const { token, end } = tokenAt(sql, at, dialect.lexis);
    tokens.push(token);
    at = end;
  }
  return tokens;
}

type Found = { readonly token: SqlToken; readonly end: number };

/** Matches the blanks that every database accepts. Databases disagree about other blanks, such as U+00A0. */
const BLANK = /[ \t\r\n]+/y;
const WORD = /[\p{L}_][\p{L}\p{M}\p{Nd}_]*/uy;
const WORD_WITH_DOLLAR = /[\p{L}_][\p{L}\p{M}\p{Nd}_$]*/uy;
const NUMBER = /0x[0-9a-f]+|0b[01]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:e[+-]?\d+)?/iy;
const DOLLAR_QUOTE = /\$(?:[a-z_][a-z0-9_]*)?\$/iy;
/**
 * Matches characters that must not touch a name, a number or a quote. Some databases would read such a character as
 * part of that token, and others would not.
 */
const GLUED = /[\p{L}\p{M}\p{N}_$'"`]/uy;
const LONG_SIGNS = ['::', ':=', '=>'];

function endOfComment(sql: string, at: number, { dashes }: SqlLexis): number | null {
  if (sql.startsWith('--', at)) {
    const next = sql.charAt(at + 2);
    // MySQL reads `--1` as two minus signs, not as a comment. It also reads `--` before U+00A0 as two minus signs.
    if (dashes === 'before a blank' && !/^[ \t\n]?$/.test(next)) {
      throw new SqlRefused('"--" before anything but a blank', at);
    }
    const newline = sql.indexOf('\n', at);
    const end = newline < 0 ? sql.length : newline;
    mustBePlain(sql, at + 2, sql[end - 1] === '\r' ? end - 1 : end);
    return end;
  }
  if (!sql.startsWith('/*', at)) return null;
  if (/^(?:m?!|\+)/i.test(sql.slice(at + 2, at + 4)))
    throw new SqlRefused('a comment that some databases execute', at);
  const close = sql.indexOf('*/', at + 2);
  if (close < 0) throw new SqlRefused('a comment without an end', at);
  if (sql.slice(at + 2, close).includes('/*')) throw new SqlRefused('a comment in a comment', at);
  mustBePlain(sql, at + 2, close);
  return close + 2;
}

/**
 * Refuses characters in a comment or quote that programs treat differently. Some programs end a comment at a carriage
 * return or at a Unicode line separator. Command-line clients act on lines that begin with a dot or `#`, and on
 * backslashes.
 */
function mustBePlain(sql: string, from: number, to: number): void {
  const odd = NOT_PLAIN.exec(sql.slice(from, to));
  if (odd !== null) throw new SqlRefused('a comment with more than plain text', from + odd.index);
}

const NOT_PLAIN = /(?!\r\n)[^\P{C}\t\n]|[\u2028\u2029\\]|\n[ \t]*[.#!]/u;

function tokenAt(sql: string, at: number, lexis: SqlLexis): Found {
  const parameter = matchAt(lexis.parameter, sql, at);
  if (parameter !== null) return apart('parameter', parameter, sql, at);
  const char = sql.charAt(at);
  if (char === "'" || char === '"') return quoted(sql, at, char, lexis.backslash);
  if (char === '`' && lexis.backticks) return quoted(sql, at, char, lexis.backslash);
  const number = matchAt(NUMBER, sql, at);
  if (number !== null) return apart('number', number, sql, at);
  const word = matchAt(lexis.dollarInWords ? WORD_WITH_DOLLAR : WORD, sql, at);
  if (word !== null) return wordAt(sql, at, word, lexis);
  const tag = lexis.dollarQuotes ? matchAt(DOLLAR_QUOTE, sql, at) : null;
  if (tag !== null) return dollarQuoted(sql, at, tag);
  return signAt(sql, at, lexis);
}

function wordAt(sql: string, at: number, word: string, { prefixes, backslash }: SqlLexis): Found {
  const end = at + word.length;
  const next = sql.charAt(end);
  if (next === "'" || next === '"') {
    if (!prefixes.test(word) || next === '"')
      throw new SqlRefused('a prefix of a quote that is not known', at);
    const found = quoted(sql, end, next, /^e$/i.test(word) ? 'differs' : backslash);
    if (/^[bx]$/i.test(word) && !/^[0-9a-f]*$/i.test(found.token.text))
      throw new SqlRefused('a number in quotes with other signs', at);
    return found;
  }
  if (/^u$/i.test(word) && /^&['"]/.test(sql.slice(end, end + 2)))
    throw new SqlRefused('a quote with Unicode escapes', at);
  if (next === '$' || next === '`') throw new SqlRefused('a word that goes on in a quote', end);
  return { token: { kind: 'word', text: asciiLowerCase(word), at }, end };
}

/**
 * Changes ASCII letters to lower case. Other letters stay: U+212A would become a `k`, and no database reads it as a
 * `k`.
 */
function asciiLowerCase(word: string): string {
  return word.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function apart(kind: 'number' | 'parameter', text: string, sql: string, at: number): Found {
  const end = at + text.length;
  if (endOfMatch(GLUED, sql, end) !== null) throw new SqlRefused(`a ${kind} that goes on in a word`, at);
  return { token: { kind, text, at }, end };
}

/** Reads a quoted text up to its closing quote. A doubled quote means the quote itself. */
function quoted(sql: string, open: number, quote: string, backslash: SqlLexis['backslash']): Found {
  let backslashes = 0;
  for (let at = open + 1; at < sql.length; at += 1) {
    const char = sql[at];
    if (char === '\\') {
      backslashes += 1;
      continue;
    }
    const isEscaped = backslashes % 2 === 1 && backslash !== 'ordinary';
    backslashes = 0;
    if (char !== quote) continue;
    if (isEscaped && backslash === 'differs') throw new SqlRefused('a backslash before a quote', at);
    if (isEscaped) continue;
    if (sql[at + 1] === quote) {
      at += 1;
      continue;
    }
    const text = sql.slice(open + 1, at);
    return { token: { kind: quote === "'" ? 'literal' : 'name', text, at: open }, end: at + 1 };
  }
  throw new SqlRefused('a quote without an end', open);
}

function dollarQuoted(sql: string, at: number, tag: string): Found {
  const close = sql.indexOf(tag, at + tag.length);
  if (close < 0) throw new SqlRefused('a dollar quote without an end', at);
  return { token: { kind: 'literal', text: '', at }, end: close + tag.length };
}

function signAt(sql: string, at: number, { operators, brackets, braces }: SqlLexis): Found {
  const long = LONG_SIGNS.find((sign) => sql.startsWith(sign, at));
  if (long !== undefined) return { token: { kind: 'sign', text: long, at }, end: at + 2 };
  const char = sql.charAt(at);
  const known = `(),.;${operators}${brackets ? '[]:' : ''}${braces ? '{}:' : ''}`;
  if (!known.includes(char)) throw new SqlRefused(describeSign(char), at);
  return { token: { kind: 'sign', text: char, at }, end: at + 1 };
}

/** Returns the character as text if it is a sign. Other characters are never returned, because they may be secret. */
function describeSign(char: string): string {
  if (/^[!-~]$/.test(char)) return `"${char}", which databases read in different ways`;
  return /^\s$/u.test(char)
    ? 'a blank that some databases take for a letter'
    : 'a character that belongs in quotes';
}

function endOfMatch(pattern: RegExp, sql: string, at: number): number | null {
  pattern.lastIndex = at;
  return pattern.test(sql) ? pattern.lastIndex : null;
}

function matchAt(pattern: RegExp, sql: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(sql)?.[0] ?? null;
}
