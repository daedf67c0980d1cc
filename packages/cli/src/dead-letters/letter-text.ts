/** A record that could not be read, as text for people: on several lines, with the fault marked below its line. */
import { type Fault, type Read, readActionsRecord, readJson } from '@mandate/schemas';
import type { FoundLetter } from './find-letter.ts';

/** Returns JSON on several lines, and other text unchanged. */
export function onLines(text: string): string {
  try {
    return JSON.stringify(readJson(text), null, 2);
  } catch {
    return text;
  }
}

export function readText(text: string): Read<unknown> {
  return readActionsRecord(Buffer.from(text));
}

/** Returns the text with a remark under the line that has the fault. */
export function marked(text: string, { fault: found }: Pick<FoundLetter['deadLetter'], 'fault'>): string {
  const shown = onLines(text);
  // The shown text is parsed again, because its line breaks, and so its line numbers, differ from those of the
  // record.
  const read = readText(shown);
  const fault = read.ok ? { ...found, line: 1, column: 1 } : read.fault;
  return shown
    .split('\n')
    .flatMap((line, at) => (at + 1 === fault.line ? [line, remark(fault)] : [line]))
    .join('\n');
}

function remark({ column, reason, remedy }: Fault): string {
  const say = `^ ${reason}: ${remedy}`.replace(/\s+/g, ' ');
  return `//${' '.repeat(Math.max(1, column - 3))}${say}`;
}
