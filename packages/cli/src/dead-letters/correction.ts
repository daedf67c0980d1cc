/** A person's correction of a dead letter: from a file, by a few changes, or in an editor. */
import { type Json, readJson } from '@mandate/schemas';
import type { CommandContext } from '../command-context.ts';
import { CommandFailure } from '../exit-codes.ts';
import { readText as readInput } from '../input/open-input.ts';
import { editText } from './edit-text.ts';
import type { FoundLetter } from './find-letter.ts';
import { marked, onLines, readText, withoutRemarks } from './letter-text.ts';
import { type Change, changed } from './set-at-pointer.ts';

export type Means = { file: string | undefined; changes: readonly Change[] };

export type Correction = {
  /** A record that reads well, on lines. */
  text: string;
  /** Where it is kept until `done`; null where the person has it anyway. */
  path: string | null;
  done(): void;
};

export async function correctionOf(
  found: FoundLetter,
  { file, changes }: Means,
  context: CommandContext,
): Promise<Correction> {
  if (file !== undefined)
    return { text: mustRead(withoutRemarks(await readInput(file, context)), file), ...AT_HAND };
  const { text } = found;
  if (text === null) {
    throw new CommandFailure(
      2,
      'what came is no text, so there is nothing to edit',
      'Give the record with --file.',
    );
  }
  if (changes.length > 0) return { text: mustRead(withChanges(text, changes)), ...AT_HAND };

  const { path, discard, ...edited } = await editText(withAdvice(found, text), 'record.jsonc', context);
  const corrected = withoutRemarks(edited.text);
  if (isSame(corrected, '') || isSame(corrected, text)) {
    discard();
    throw new CommandFailure(
      1,
      'nothing was changed, and nothing published',
      '`mandate dead-letters republish` sends it as it was.',
    );
  }
  return { text: mustRead(corrected, path), path, done: discard };
}

const AT_HAND = { path: null, done: () => {} };

function isSame(one: string, other: string): boolean {
  const [left, right] = [one, other].map((text) => onLines(text).replace(/\n\s*/g, '\n').trim());
  return left === right;
}

function withAdvice({ deadLetter }: FoundLetter, text: string): string {
  const { id, source } = deadLetter;
  return [
    `// ${id}, from ${source.topic}/${source.partition}/${source.offset}.`,
    '// Correct the record, save and leave: it is then published again. Lines that begin with // are left out.',
    '// Leave it as it is, or empty, and nothing is published.',
    marked(text, deadLetter),
    '',
  ].join('\n');
}

function withChanges(text: string, changes: readonly Change[]): string {
  let json: Json;
  try {
    json = readJson(text);
  } catch {
    throw new CommandFailure(
      2,
      'what came is no JSON, so no field of it can be set',
      'Give the record with --file.',
    );
  }
  return JSON.stringify(changes.reduce(changed, json));
}

/** @param path where it is kept, to go on from */
function mustRead(text: string, path?: string): string {
  const read = readText(text);
  if (read.ok) return onLines(text);
  const { line, column, reason, remedy } = read.fault;
  throw new CommandFailure(
    2,
    `the correction cannot be read either: line ${line}, column ${column}: ${reason}`,
    `Nothing was published: ${remedy}.${path === undefined || path === '-' ? '' : ` It is kept in ${path}: mend it there and give it with --file.`}`,
  );
}
