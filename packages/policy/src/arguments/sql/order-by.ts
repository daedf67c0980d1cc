import { names } from './dialect.ts';
import { mustTakeWord, type TokenReader, takeList, takeWord, takeWords } from './token-reader.ts';

const DIRECTIONS = names('asc desc');
const FILLS = names('from to step staleness');
const ENDS = names('first last');

/** Reads the text after ORDER BY: expressions, each with its direction, and ClickHouse's WITH FILL. */
export function takeOrder(reader: TokenReader): void {
  if (takeWord(reader, 'all')) {
    takeDirection(reader);
    return;
  }
  takeList(reader, () => {
    reader.take.expression(reader);
    takeDirection(reader);
    if (takeWord(reader, 'collate')) reader.take.expression(reader);
    if (!takeWords(reader, 'with', 'fill')) return;
    while (takeWord(reader, FILLS)) reader.take.expression(reader);
  });
}

function takeDirection(reader: TokenReader): void {
  takeWord(reader, DIRECTIONS);
  if (takeWord(reader, 'nulls')) mustTakeWord(reader, ENDS);
}
