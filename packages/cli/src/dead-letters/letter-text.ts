/** A record that could not be read, as people see it: on lines, with the fault marked at its place. */
import { type Fault, type Read, readActionsRecord, readJson } from '@mandate/schemas';
import type { FoundLetter } from './find-letter.ts';

/** On lines where it is JSON; otherwise as it came. */
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

/** With a remark under the line at fault. */
export function marked(text: string, { fault: found }: Pick<FoundLetter['deadLetter'], 'fault'>): string {
  const shown = onLines(text);
  // Read once more, for the fault's place in this text, which has other lines than what came.
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
