/** A dead letter as text: its fault, the record, and its republications. */
import type { Output } from '../command-context.ts';
import { printable, printableLines } from '../output/printable.ts';
import { paint } from '../output/table.ts';
import type { FoundLetter, Republished } from './find-letter.ts';
import { marked } from './letter-text.ts';

export function letterText(found: FoundLetter, stdout: Output): string {
  const { deadLetter, place, text, headers = {}, republications } = found;
  const { id, fault, source, lastOffset, key, bytes, truncated, appendedAt } = deadLetter;
  const until = lastOffset === undefined ? '' : ` to ${lastOffset}`;
  const facts = [
    ['id', id],
    ['lies at', `${place.partition}/${place.offset}`],
    ['came from', `${source.topic}/${source.partition}/${source.offset}${until}, ${appendedAt}`],
    ['key', key ?? 'none'],
    ...(headers.traceparent === undefined ? [] : [['trace', headers.traceparent] as const]),
    ['bytes', truncated ? `${bytes}, cut` : String(bytes)],
    ['wrong', `line ${fault.line}, column ${fault.column}: ${fault.reason}`],
    ['to do', fault.remedy],
  ] as const;
  const shown = text === null ? `no text; in base64:\n${deadLetter.valueBase64}` : marked(text, deadLetter);
  const history = republications.length === 0 ? ['never'] : republications.map(historyLine);
  return [
    ...facts.map(([name, value]) => `${paint('dim', name.padEnd(10), stdout)}${printable(value)}`),
    '',
    printableLines(shown),
    '',
    paint('dim', 'published again', stdout),
    ...history.map((line) => `  ${printable(line)}`),
    '',
  ].join('\n');
}

function historyLine({ at, by, corrected, reason, source, became }: Republished): string {
  const how = corrected ? 'corrected' : 'as it was';
  const why = reason === '' ? '' : ` (${reason})`;
  const where = `${source.topic}/${source.partition}/${source.offset}`;
  return `${at} by ${by}, ${how}${why}, as ${where}${outcome(became)}`;
}

function outcome(became: Republished['became']): string {
  if (became === undefined) return '';
  if (became === null) return ': nothing answers it yet';
  if (became.kind === 'dead-letter') return `: a dead letter again, ${became.id}: ${became.reason}`;
  const said = [became.verdict, became.code].filter((word) => word !== null).join(' ');
  return `: ${became.actionId} ${said}, ${became.id}`;
}
