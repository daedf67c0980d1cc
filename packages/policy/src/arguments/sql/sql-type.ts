import { names } from './dialect.ts';
import {
  isSign,
  isWord,
  nested,
  refuse,
  type TokenReader,
  takeKind,
  takeSign,
  takeWord,
  takeWords,
  wordAhead,
} from './token-reader.ts';
import { FORM_WORDS, UNITS, WRITING_WORDS } from './words.ts';

/** Words that may follow the first word of a type: `double precision`, `timestamp with time zone`. */
const GOES_ON = names('precision varying unsigned signed integer int char character zerofill');

/**
 * Reads a type: `numeric(10, 2)`, `text[]`, `Array(Nullable(String))`, `STRUCT(a INT, b VARCHAR)`. Types contain no
 * calls. Their parentheses contain names, numbers, strings and other types.
 */
export function takeType(reader: TokenReader): void {
  const first = wordAhead(reader);
  if (first === null) {
    if (!takeKind(reader, 'name')) refuse(reader);
  } else {
    if (FORM_WORDS.has(first) || WRITING_WORDS.has(first)) refuse(reader);
    reader.at += 1;
  }
  while (takeSign(reader, '.')) if (!takeKind(reader, 'word', 'name')) refuse(reader);
  while (takeCharacterSet(reader) || takeWord(reader, GOES_ON));
  if (isSign(reader, '(')) takeArguments(reader);
  if (!takeWords(reader, 'with', 'time', 'zone')) takeWords(reader, 'without', 'time', 'zone');
  while (takeCharacterSet(reader) || takeWord(reader, GOES_ON));
  if (first === 'interval' && takeWord(reader, UNITS) && takeWord(reader, 'to')) takeWord(reader, UNITS);
  while (isSign(reader, '[') || isWord(reader, 'array')) {
    if (takeWord(reader, 'array')) continue;
    takeSign(reader, '[');
    takeKind(reader, 'number');
    if (!takeSign(reader, ']')) refuse(reader);
  }
}

/** Reads MySQL's `char(9) character set utf8mb4`. */
function takeCharacterSet(reader: TokenReader): boolean {
  if (!takeWords(reader, 'character', 'set')) return false;
  if (!takeKind(reader, 'word', 'name', 'literal')) refuse(reader);
  return true;
}

function takeArguments(reader: TokenReader): void {
  takeSign(reader, '(');
  nested(reader, () => {
    while (!isSign(reader, ')')) {
      if (isSign(reader, '(')) takeArguments(reader);
      else if (takeKind(reader, 'number', 'literal', 'name')) continue;
      else if (isWord(reader, WRITING_WORDS) || isWord(reader, FORM_WORDS)) refuse(reader);
      else if (takeKind(reader, 'word')) continue;
      else if (![',', '=', '-', '[', ']', '.'].some((sign) => takeSign(reader, sign))) refuse(reader);
    }
  });
  takeSign(reader, ')');
}
