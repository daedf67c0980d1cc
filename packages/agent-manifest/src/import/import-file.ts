/** Reads the text of an imported file: YAML or JSON, or Markdown with frontmatter. */
import { readOneDocument } from '@mandate/policy/one-document';
import type { ImportNotes, NotePlace } from './import-notes.ts';
import type { ImportSource } from './imported.ts';
import { withoutComments } from './json-comments.ts';
import { isJson, isMap, type JsonMap } from './json-value.ts';

/** A file with a map as its root. */
export type ImportFile = NotePlace & { value: JsonMap };

/** The maximum number of faults that are reported for a text that cannot be parsed. */
const MOST_FAULTS = 20;

/** Returns a file with a map as its root. Null after a fault. */
export function readMap({ path, text }: ImportSource, what: string, notes: ImportNotes): ImportFile | null {
  const read = readOneDocument(withoutComments(text), { what, begins: what }, MOST_FAULTS);
  if (!read.ok) {
    for (const { keyTwice: _, ...fault } of read.faults)
      notes.faultAt({ code: 'YAML_INVALID', file: path, ...fault });
    return null;
  }
  const place = { name: path, find: read.find };
  const [inexact] = read.inexact;
  if (inexact !== undefined) {
    notes.fault('YAML_INVALID', place, inexact.path, inexact.message);
    return null;
  }
  if (!isJson(read.value) || !isMap(read.value)) {
    notes.fault(
      'TYPE_WRONG',
      place,
      [],
      `must be a map of texts, finite numbers, lists and maps: this is no ${what}`,
    );
    return null;
  }
  return { ...place, value: read.value };
}

const FENCE = /^---[ \t]*$/;

/** A Markdown file with frontmatter. `body` is the text after the frontmatter. */
export type MarkdownFile = ImportFile & { body: string };

/** Returns the frontmatter and the text of a Markdown file. Null after a fault. */
export function readMarkdown({ path, text }: ImportSource, notes: ImportNotes): MarkdownFile | null {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
  const end = FENCE.test(lines[0] ?? '') ? lines.findIndex((line, at) => at > 0 && FENCE.test(line)) : -1;
  if (end === -1) {
    const message = 'must begin with frontmatter: a line ---, fields such as name: reviewer, and a line ---';
    notes.faultAt({ code: 'FRONTMATTER_MISSING', file: path, path: '', message, line: 1, column: 1 });
    return null;
  }
  // The first line is kept as an empty line, so that faults name the lines of the file.
  const frontmatter = ['', ...lines.slice(1, end), ''].join('\n');
  const file = readMap({ path, text: frontmatter }, 'frontmatter', notes);
  const body = lines
    .slice(end + 1)
    .join('\n')
    .trim();
  return file === null ? null : { ...file, body };
}
