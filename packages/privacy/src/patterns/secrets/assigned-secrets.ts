/**
 * Finds values beside the name of a secret: `AWS_SECRET_ACCESS_KEY=…`, `"password": "…"`, `--token …`, `Cookie: …`,
 * `<password>…</password>`, "the password is …". The name stays readable, and the whole value is redacted.
 */
import { type Finder, MASK, type Span } from '../piece.ts';
import { type AssignedValue, assignedValue, type Ends } from './assigned-value.ts';
import { type Certainty, looksSecret } from './looks-secret.ts';
import { isHeaderOfSecrets, isPublicName, isShellKey, SECRET_NAME } from './secret-names-in-text.ts';
import { CONTINUED, endOf } from './whole-value.ts';

/** A position at which a value may begin, and how certain it is that a secret follows. */
type Assignment = {
  readonly value: number;
  readonly certainty: Certainty;
  readonly ends: Ends;
};

/** The name of a secret, with the text before it. */
type Named = {
  readonly name: string;
  readonly isPassword: boolean;
  /** The text of the same line before the name, at most `LOOKED_BACK` units. */
  readonly before: string;
  /** The index at which the line of the name begins. */
  readonly line: number;
  readonly after: number;
};

const LONGEST_NAME = 64;
const LOOKED_BACK = 80;
/** A character of an identifier. */
const IDENTIFIER = /[\w.-]/;

const ASSIGN =
  /(\\*["'`])?[ \t]*(?:\[[^\]\r\n]{0,64}\]|\])?[ \t]*(?:：|:=|=>|\?=|={1,3}|::?)(?![=:])[ \t]*(?:\s{1,64}(?=\\*["']))?/y;
const OF_ELEMENT = />[ \t]*/y;
const OF_OPTION = /[ \t]+(?!-)/y;
/** Matches the text before a password in a .netrc: `machine x login y password …`. */
const AFTER_LOGIN = /\b(?:login|user|account)[ \t]+\S{1,64}[ \t]+$/;
const IN_PROSE = /[ \t]+(?:is|was)(?:[ \t]*:)?[ \t]+/iy;
const IN_CALL = /\\*["'][ \t]*,[ \t]*(?=\\*["'])/y;
const BEFORE_QUOTES = /[ \t]+(?:BY[ \t]+)?(?=['"])/iy;
/**
 * Matches a weak separator between name and value: the next cell of a table, a line break beside `=` or `:`, or only
 * a blank.
 */
const APART = /[ \t]*(?:\|[ \t]*|\r?\n[ \t]*[:=][ \t]*|[:=][ \t]*\r?\n[ \t]*)|[ \t]+(?![-:=])/y;
/** Matches `value:` after `name: DB_PASSWORD`. Variables of containers are written like this. */
const BESIDE = /(\\*["'])?[ \t]*[,;]?\s{0,64}(?:- )?\\*["']?value\\*["']?[ \t]*[:=][ \t]*/iy;

const STARTS_LINE =
  /(?:^|\\r?\\?n)[ \t]*(?:(?:export|set|setx|env|ENV|ARG|declare|const|let|var|-e|-)[ \t]+|\$env:|\$)*$/;
const IN_QUOTES = /(?:\\*)(["'`])$/;
const IN_QUERY = /[?&;](?:amp;)?$/;
const IS_OPTION = /(?:^|[\s"'=[,(])--?[\w.]*$/;
const SHELL_NAME = /^[A-Z][A-Z0-9_]*$/;

export const findAssignedSecrets: Finder = (text) => {
  const found: Span[] = [];
  SECRET_NAME.lastIndex = 0;
  for (let met = SECRET_NAME.exec(text); met !== null; met = SECRET_NAME.exec(text)) {
    if (met.groups?.shellKey !== undefined && !isShellKey(text, met.index)) {
      SECRET_NAME.lastIndex = met.index + 1;
      continue;
    }
    const after = SECRET_NAME.lastIndex;
    const named = namedAt(text, met.index, after, met.groups?.password !== undefined);
    const value = isPublicName(named.name) ? null : secretAfter(text, named);
    if (value !== null) found.push(...aroundMasks(text, value));
    SECRET_NAME.lastIndex = Math.max(after, value?.end ?? after);
  }
  return found;
};

function namedAt(text: string, word: number, after: number, isPassword: boolean): Named {
  const first = Math.max(0, word - LONGEST_NAME);
  let start = word;
  while (start > first && IDENTIFIER.test(text[start - 1] ?? '')) start -= 1;
  // The letter of an escape sequence is not part of the name, as in `\nTOKEN`.
  if (start > 0 && start < word && text[start - 1] === '\\') start += 1;
  const looked = text.slice(Math.max(0, start - LOOKED_BACK), start);
  const before = looked.slice(Math.max(looked.lastIndexOf('\n'), looked.lastIndexOf('\r')) + 1);
  return { name: text.slice(start, after), isPassword, before, line: start - before.length, after };
}

function secretAfter(text: string, named: Named): AssignedValue | null {
  for (const { value: at, certainty, ends } of assignmentsAt(text, named)) {
    const value = assignedValue(text, at, {
      line: named.line,
      ends,
      quotes: IN_QUOTES.exec(named.before)?.[1],
    });
    if (value !== null && text[value.start] !== MASK && isSecret(text, value, named, certainty)) return value;
  }
  return null;
}

function isSecret(
  text: string,
  value: AssignedValue,
  { name, isPassword }: Named,
  certainty: Certainty,
): boolean {
  const written = text.slice(value.start, value.end).replaceAll(JOINTS, '').trim();
  if (isHeaderOfSecrets(name) && IS_HEADER_VALUE.test(written)) return true;
  if (value.form === 'block') return looksSecret(written, 'likely', isPassword);
  return looksSecret(
    value.form === 'quoted' ? written : (/^\S+/.exec(written)?.[0] ?? ''),
    certainty,
    isPassword,
  );
}

const JOINTS = new RegExp(CONTINUED.source, 'g');

/** Matches a scheme with credentials, or cookies with values. */
const IS_HEADER_VALUE = /^[\w.-]{1,40} +\S{6,}|=\S{3}/;

function* assignmentsAt(text: string, { name, isPassword, before, after }: Named): Iterable<Assignment> {
  const isOption = IS_OPTION.test(before + name.slice(0, 2));
  ASSIGN.lastIndex = after;
  const assign = ASSIGN.exec(text);
  if (assign !== null) {
    const [written, closing] = assign;
    const isMember = closing !== undefined && /:\s*$/.test(written);
    const isLikely = isOption || IN_QUERY.test(before) || (written === '=' && SHELL_NAME.test(name));
    const isLine = isHeaderOfSecrets(name) || (closing === undefined && STARTS_LINE.test(before));
    yield {
      value: ASSIGN.lastIndex,
      certainty: isMember ? 'certain' : isLikely ? 'likely' : 'possible',
      ends: isLine ? 'line' : 'word',
    };
  }
  const others: readonly (readonly [between: RegExp, isThere: boolean, Certainty])[] = [
    [OF_ELEMENT, /<(?:[\w.-]{1,40}:)?$/.test(before), 'certain'],
    [OF_OPTION, isOption || AFTER_LOGIN.test(before), 'likely'],
    [OF_OPTION, isPassword && STARTS_LINE.test(before), 'possible'],
    [IN_PROSE, true, 'possible'],
    [IN_CALL, /["']$/.test(before), 'possible'],
    [BEFORE_QUOTES, /pass(?:word|phrase)$/i.test(name), 'likely'],
    [BESIDE, true, 'likely'],
    [APART, true, 'unlikely'],
  ];
  for (const [between, isThere, certainty] of others) {
    const value = isThere ? endOf(between, text, after) : null;
    if (value !== null) yield { value, certainty, ends: 'word' };
  }
}

/** Returns the parts of a match without the pieces that are already redacted. */
function aroundMasks(text: string, { start, end }: Span): Span[] {
  return Array.from(text.slice(start, end).matchAll(UNMASKED), ({ index, 0: { length } }) => ({
    start: start + index,
    end: start + index + length,
  }));
}

const UNMASKED = new RegExp(`[^${MASK}]+`, 'g');
