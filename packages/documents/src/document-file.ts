/**
 * An agent, policy or rule as a file of its own: what changes in one of them is a change of one file, whatever there is
 * beside it. The name follows from the id: `policies/read-only.yaml`.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { loadControl } from '@mandate/control';
import type { Document } from '@mandate/control/plan';
import { type Kind, LISTS } from '@mandate/control/plan';
import { MandateError } from '@mandate/runtime';
import { stringify } from 'yaml';

/** Room for what stands around it, in a name of 255 bytes. */
const LONGEST_NAME = 200;

/**
 * Where in the folder it goes. Ids may hold what names of files may not, be longer, and differ in the case of a letter alone,
 * which some file systems do not tell apart.
 *
 * @param taken paths of others, in small letters; this one's is added
 */
export function pathFor(kind: Kind, id: string, taken: Set<string>): string {
  const plain = encoded(id);
  const names = plain.length <= LONGEST_NAME ? [plain] : [];
  const paths = [...names, `${plain.slice(0, LONGEST_NAME)}~${hashOf(id)}`].map((name) =>
    join(LISTS[kind], `${name}.yaml`),
  );
  const path = paths.find((one) => !taken.has(one.toLowerCase()));
  if (path === undefined) {
    throw new MandateError('DOCUMENTS_INVALID', `${paths.at(-1)} is another ${kind} than "${id}"`, {
      remedy: 'Name another folder.',
    });
  }
  taken.add(path.toLowerCase());
  return path;
}

/** Nothing that is hidden, and no file of cases. */
function encoded(id: string): string {
  const hex = (mark: string) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(id).replace(/[!~*'()]|^\.|\.(?=test$)/g, hex);
}

function hashOf(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, 12);
}

/** As YAML, and what YAML would read as something else, or not at all, as JSON. */
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
    `the ${kind} "${document.id}" cannot be written as a file that is read as the same`,
    { remedy: 'The plane may be of another version than this command.' },
  );
}

function readsAs(text: string, kind: Kind, document: Document): boolean {
  const read = loadControl(text);
  return read.ok && isDeepStrictEqual(read.documents[LISTS[kind]].get(String(document.id)), document);
}
