/** Collects the faults and warnings of an import, each with its place. */
import type { FindPlace } from '@mandate/policy/documents';
import type { FaultCode, ImportFault, ImportNote, ImportWarning, WarningCode } from './imported.ts';

export type Path = readonly PropertyKey[];

/** The place of a note: a file, and a function that finds the place of a path in the file. */
export type NotePlace = { name: string; find: FindPlace };

/** The maximum number of faults, and of warnings, of one import. Places are looked up only for these. */
const MOST_NOTES = 500;

/** The maximum length of a text from a file that a message repeats. */
const LONGEST_QUOTE = 80;

export class ImportNotes {
  readonly #faults: ImportFault[] = [];
  readonly #warnings: ImportWarning[] = [];
  #faultCount = 0;
  #warningCount = 0;

  fault(code: FaultCode, place: NotePlace, path: Path, message: string): void {
    this.#faultCount += 1;
    if (this.#faultCount <= MOST_NOTES) this.#faults.push(placed(code, place, path, message));
  }

  /** A fault of a file that could not be parsed. Its place is known already. */
  faultAt(fault: ImportFault): void {
    this.#faultCount += 1;
    if (this.#faultCount <= MOST_NOTES) this.#faults.push(fault);
  }

  /** `message` may be a function, so that the text is built only for messages that are kept. */
  warn(code: WarningCode, place: NotePlace, path: Path, message: string | (() => string)): void {
    this.#warningCount += 1;
    if (this.#warningCount > MOST_NOTES) return;
    this.#warnings.push(placed(code, place, path, typeof message === 'string' ? message : message()));
  }

  get hasFaults(): boolean {
    return this.#faultCount > 0;
  }

  get faults(): readonly ImportFault[] {
    return withRest(this.#faults, this.#faultCount);
  }

  get warnings(): readonly ImportWarning[] {
    return withRest(this.#warnings, this.#warningCount);
  }
}

/** A text of a file as a message shows it: in quotes, on one line, and not too long. */
export function quoted(text: string): string {
  const shown = text.length <= LONGEST_QUOTE ? text : `${text.slice(0, LONGEST_QUOTE - 1)}…`;
  return JSON.stringify(shown);
}

function placed<Code extends string>(
  code: Code,
  { name, find }: NotePlace,
  path: Path,
  message: string,
): ImportNote<Code> {
  return { code, file: name, path: path.map(String).join('.'), message, ...find(path) };
}

function withRest<Note extends ImportNote<string>>(notes: readonly Note[], count: number): readonly Note[] {
  const last = notes.at(-1);
  if (last === undefined || count <= notes.length) return notes;
  const more = ` (and ${count - notes.length} more notes, which are not shown)`;
  return [...notes.slice(0, -1), { ...last, message: last.message + more }];
}
