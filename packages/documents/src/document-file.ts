/**
 * Writes an agent, policy or rule to a file of its own, so that a change of one document changes one file. The name
 * of the file contains the id: `policies/read-only.yaml`.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { loadControl } from '@mandate/control';
import type { Document } from '@mandate/control/plan';
import { type Kind, LISTS } from '@mandate/control/plan';
import { MandateError } from '@mandate/runtime';
import { stringify } from 'yaml';

/** A file name may have 255 bytes. This limit leaves space for a prefix and a suffix. */
const LONGEST_NAME = 200;

/**
 * Returns the path of the file in its folder. Ids may contain characters that file names may not contain, and may be
 * too long. They may differ only in upper and lower case, which some file systems do not distinguish.
 *
 * @param taken the paths of other documents, in lower case; the path of this document is added
 */
export function pathFor(kind: Kind, id: string, taken: Set<string>): string {
  const plain = encoded(id);
  const names = plain.length <= LONGEST_NAME ? [plain] : [];
  const paths = [...names, `${plain.slice(0, LONGEST_NAME)}~${hashOf(id)}`].map((name) =>
    join(LISTS[kind], `${name}.yaml`),
  );
  const path = paths.find((one) => !taken.has(one.toLowerCase()));
  if (path === undefined) {
    throw new MandateError(
      'DOCUMENTS_INVALID',
      `the file ${paths.at(-1)} already contains another ${kind} than "${id}"`,
      {
        remedy: 'Name another folder.',
      },
    );
  }
  taken.add(path.toLowerCase());
  return path;
}

/** Encodes an id as a file name. The name never begins with a dot, and never looks like a test file with cases. */
function encoded(id: string): string {
  const hex = (mark: string) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(id).replace(/[!~*'()]|^\.|\.(?=test$)/g, hex);
}

function hashOf(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, 12);
}

/**
 * Returns the document as YAML. Returns JSON if a YAML parser would read the YAML as something else, or refuse it.
 */
export function documentText(kind: Kind, document: Document): string {
  const said = { kind, ...document };
  const texts = [
    stringify(said, { lineWidth: 0, aliasDuplicateObjects: false }),
    `${JSON.stringify(said)}\n`,
  ];
  const text = texts.find((one) => readsAs(one, kind, document));
  if (text !== undefined) return text;
  throw new MandateError(
    'DOCUMENT_NOT_WRITABLE',
    `the ${kind} "${document.id}" would change if it was written to a file and read again`,
    { remedy: 'The plane may have another version than this command.' },
  );
}

function readsAs(text: string, kind: Kind, document: Document): boolean {
  const read = loadControl(text);
  return read.ok && isDeepStrictEqual(read.documents[LISTS[kind]].get(String(document.id)), document);
}
