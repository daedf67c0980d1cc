/** A piece of SQL; white space and comments are gone, literals are only known to be there. */
export interface SqlToken {
  /** `word`: unquoted, in lower case. `name`: in double quotes or backticks, its text without them. */
  readonly kind: 'word' | 'name' | 'literal' | 'number' | 'sign';
  readonly text: string;
}

/** The text means one thing to one database and another to the next, or to none. */
export class SqlRefused extends Error {}

/**
 * Splits SQL in one pass, and only SQL that PostgreSQL, MySQL, SQLite, SQL Server and Oracle all split at the same places.
 * An agent's statement cannot be read safely if a quote ends here for one of them and there for another, for then a
 * second statement hides in what looks like a string. So each construct on which they differ throws SqlRefused: a `#`, a
 * `--` with nothing blank behind, nested comments, MySQL's executable ones, an odd backslash before a quote, `]]`, …
 */
export function sqlTokens(sql: string): readonly SqlToken[] {
  const tokens: SqlToken[] = [];
  let brackets = 0;
  for (let at = 0; at < sql.length; ) {
    const end = endOfBlank(sql, at) ?? endOfComment(sql, at);
    if (end !== null) {
      if (brackets > 0 && sql.slice(at, end).includes(']')) throw new SqlRefused('a comment within brackets');
      at = end;
      continue;
    }
    const { token, end: next } = tokenAt(sql, at, tokens.at(-1));
    if (token.text === '[' && token.kind === 'sign') brackets += 1;
    else if (token.text === ']' && token.kind === 'sign') {
      if (sql[next] === ']') throw new SqlRefused('"]]"');
      brackets -= 1;
    } else if (brackets > 0 && sql.slice(at, next).includes(']'))
      throw new SqlRefused('a "]" quoted in brackets');
    tokens.push(token);
    at = next;
  }
  return tokens;
}

function endOfBlank(sql: string, at: number): number | null {
  BLANK.lastIndex = at;
  return BLANK.test(sql) ? BLANK.lastIndex : null;
}

const BLANK = /\s+/uy;
const WORD = /[\p{L}\p{M}_][\p{L}\p{M}\p{N}_$]*/uy;
const NUMBER = /0x[0-9a-f]+|(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?/iy;
const DOLLAR_QUOTE = /\$(?:[\p{L}_][\p{L}\p{N}_]*)?\$/uy;

function endOfComment(sql: string, at: number): number | null {
  if (sql.startsWith('--', at)) {
    // MySQL takes `--1` for a double minus, the others for a comment.
    if (at + 2 < sql.length && !/\s/.test(sql.charAt(at + 2)))
      throw new SqlRefused('"--" without a blank behind it');
    const newline = sql.indexOf('\n', at);
    const end = newline < 0 ? sql.length : newline;
    // Some end the comment at a carriage return, the others read on.
    if (/\r(?!$)/.test(sql.slice(at, end))) throw new SqlRefused('a carriage return in a comment');
    return end;
  }
  if (!sql.startsWith('/*', at)) return null;
  if (/^\/\*(?:m?!|\+)/i.test(sql.slice(at, at + 4)))
    throw new SqlRefused('a comment that some databases execute');
  const end = sql.indexOf('*/', at + 2);
  if (end < 0) throw new SqlRefused('a comment without an end');
  if (sql.slice(at + 2, end).includes('/*')) throw new SqlRefused('a comment in a comment');
  return end + 2;
}

function tokenAt(sql: string, at: number, before: SqlToken | undefined): { token: SqlToken; end: number } {
  const char = sql.charAt(at);
  if (char === "'" || char === '"' || char === '`') {
    const end = endOfQuoted(sql, at, char);
    if (char === "'" && /(?:^|[^\p{L}\p{N}_$])n?q$/iu.test(sql.slice(Math.max(0, at - 3), at))) {
      throw new SqlRefused("Oracle's q'…' quotes");
    }
    const text = sql.slice(at + 1, end - 1);
    return { token: { kind: char === "'" ? 'literal' : 'name', text }, end };
  }
  const dollar = matchAt(DOLLAR_QUOTE, sql, at);
  if (dollar !== null)
    return { token: { kind: 'literal', text: '' }, end: endOfDollarQuoted(sql, at, dollar) };
  // After a name a dot leads to the next one; elsewhere it may begin a number.
  const number =
    before?.text === '.' || (char === '.' && before?.kind !== 'sign') ? null : matchAt(NUMBER, sql, at);
  if (number !== null) return { token: { kind: 'number', text: number }, end: at + number.length };
  const word = matchAt(WORD, sql, at);
  if (word !== null) return { token: { kind: 'word', text: word.toLowerCase() }, end: at + word.length };
  if (char === '#') throw new SqlRefused('"#", which begins a comment for MySQL');
  if (char === '\\') throw new SqlRefused('a backslash outside of quotes');
  if (char === '\0') throw new SqlRefused('a NUL character');
  return { token: { kind: 'sign', text: char }, end: at + 1 };
}

function matchAt(pattern: RegExp, sql: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(sql)?.[0] ?? null;
}

/** Behind the closing quote. A doubled quote stands for itself; a backslash before one does so only for some. */
function endOfQuoted(sql: string, open: number, quote: string): number {
  let backslashes = 0;
  for (let at = open + 1; at < sql.length; at += 1) {
    const char = sql[at];
    if (char === quote) {
      if (backslashes % 2 === 1) throw new SqlRefused('a backslash before a quote');
      if (sql[at + 1] !== quote) return at + 1;
      at += 1;
      backslashes = 0;
    } else if (char === '\0') throw new SqlRefused('a NUL character');
    else backslashes = char === '\\' ? backslashes + 1 : 0;
  }
  throw new SqlRefused('a quote without an end');
}

/** PostgreSQL's quotes. For the others these are names around code, so the text must be harmless as code as well. */
function endOfDollarQuoted(sql: string, open: number, tag: string): number {
  const close = sql.indexOf(tag, open + tag.length);
  if (close < 0) throw new SqlRefused('a dollar quote without an end');
  if (/['"`\\;#[\]]|--|\/\*/.test(sql.slice(open + tag.length, close))) {
    throw new SqlRefused('a dollar quote around quotes, comments or semicolons');
  }
  return close + tag.length;
}
