import { listIn, type Obligations, textIn, UnknownForm } from '../carry-out.ts';

/**
 * Returns the text with `[redacted:<type>]` in place of each redaction. Positions are in characters, which are Unicode
 * code points.
 */
export function redactedText(text: string, { redactions }: Obligations): string {
  if (redactions === undefined) return text;
  const characters = [...text];
  const parts: string[] = [];
  let from = 0;
  for (const { type, start, end } of listIn(redactions, 'redactions', ['type', 'start', 'end'])) {
    const [first, behind] = [Number(start), Number(end)];
    const isInOrder = Number.isSafeInteger(start) && Number.isSafeInteger(end) && from <= first;
    if (!isInOrder || behind < first || behind > characters.length) throw new UnknownForm('redactions');
    parts.push(characters.slice(from, first).join(''), `[redacted:${textIn(type, 'redactions')}]`);
    from = behind;
  }
  return parts.join('') + characters.slice(from).join('');
}
