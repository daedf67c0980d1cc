import { names } from './dialect.ts';
import { takeNames } from './relation.ts';
import {
  isSign,
  isWord,
  refuse,
  type TokenReader,
  takeKind,
  takeSign,
  takeWithin,
  takeWord,
  takeWords,
} from './token-reader.ts';

/** Reads the options of a table before or after its alias: index hints, samples, ClickHouse's FINAL. */
export function takeTableOptions(reader: TokenReader): void {
  while (takeFlag(reader) || takeIndexHint(reader) || takeSample(reader));
}

function takeFlag(reader: TokenReader): boolean {
  if (takeWord(reader, 'final') || takeWords(reader, 'not', 'indexed')) return true;
  if (!isWord(reader, 'partition') || !isSign(reader, '(', 1)) return false;
  reader.at += 1;
  takeNames(reader);
  return true;
}

const HINTS = names('use force ignore');
const INDEXES = names('index key');
const SORTS = names('order group');

/** Reads SQLite's `INDEXED BY a` or MySQL's `USE INDEX FOR JOIN (a, b)`. */
function takeIndexHint(reader: TokenReader): boolean {
  if (takeWords(reader, 'indexed', 'by')) {
    if (!takeKind(reader, 'word', 'name')) refuse(reader);
    return true;
  }
  if (!takeWords(reader, HINTS, INDEXES)) return false;
  if (takeWord(reader, 'for') && !takeWord(reader, 'join') && !takeWords(reader, SORTS, 'by')) refuse(reader);
  takeNames(reader);
  return true;
}

const SAMPLINGS = names('bernoulli system reservoir');

/** Reads `TABLESAMPLE SYSTEM (10) REPEATABLE (1)` or ClickHouse's `SAMPLE 1/10 OFFSET 1/2`. */
function takeSample(reader: TokenReader): boolean {
  if (takeWord(reader, 'tablesample')) {
    takeWord(reader, SAMPLINGS);
    takeWithin(reader, '(', ')', () => takeAmount(reader));
    if (takeWord(reader, 'repeatable')) takeWithin(reader, '(', ')', () => takeAmount(reader));
    return true;
  }
  if (!takeWord(reader, 'sample')) return false;
  takeAmount(reader);
  if (takeWord(reader, 'offset')) takeAmount(reader);
  return true;
}

const AMOUNTS = names('percent rows');

function takeAmount(reader: TokenReader): void {
  if (!takeKind(reader, 'number', 'parameter')) refuse(reader);
  if (takeSign(reader, '/') && !takeKind(reader, 'number')) refuse(reader);
  if (!takeSign(reader, '%')) takeWord(reader, AMOUNTS);
}
