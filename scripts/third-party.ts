/**
 * Prints the licences of all npm packages in a folder's node_modules: name, version, licence, and the text that the
 * package contains. The image is built with it (Dockerfile), so the text lists exactly what is in the image.
 *
 * usage: node scripts/third-party.ts [folder]
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

type Manifest = {
  name?: string;
  version?: string;
  license?: string | { type: string };
  licenses?: { type: string }[];
  author?: string | { name: string };
  homepage?: string;
};

type Licence = { name: string; licence: string | null; by: string; texts: readonly string[] };

const TEXT = /^(?:licen[cs]e|copying|notice|copyright)/i;

const HEAD = `Software of others in this image, from npm. For Node.js see /usr/local/LICENSE, for Debian's packages
/usr/share/doc/*/copyright. Mandate is under the Apache License 2.0: LICENSE.
`;

/** @throws Error if a package has neither a licence field nor a licence text */
export function thirdParty(folder: string): string {
  return `${HEAD}\n${licencesOf(packagesBelow(folder))}`;
}

/**
 * Returns the licences of the packages in these folders, by name.
 *
 * @throws Error if a package has neither a licence field nor a licence text
 */
export function licencesOf(folders: Iterable<string>): string {
  const all = new Map<string, Licence>();
  for (const path of folders) {
    const found = licenceOf(path);
    if (found !== null) all.set(found.name, found);
  }
  return [...all.values()]
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .map(section)
    .join('\n');
}

/** Yields the packages in a folder, those inside of packages too. Our own packages are links, and are left out. */
function* packagesBelow(folder: string): Generator<string> {
  for (const name of foldersIn(join(folder, 'node_modules'))) {
    const path = join(folder, 'node_modules', name);
    const packages = name.startsWith('@') ? foldersIn(path).map((one) => join(path, one)) : [path];
    for (const one of packages) {
      yield one;
      yield* packagesBelow(one);
    }
  }
}

function foldersIn(path: string): string[] {
  if (!existsSync(path)) return [];
  const entries = readdirSync(path, { withFileTypes: true });
  return entries.flatMap((entry) => (entry.isDirectory() && !entry.name.startsWith('.') ? entry.name : []));
}

function licenceOf(folder: string): Licence | null {
  const path = join(folder, 'package.json');
  if (!existsSync(path)) return null;
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as Manifest;
  const { name, version, license, licenses, author, homepage } = manifest;
  if (name === undefined || version === undefined) return null;
  const texts = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && TEXT.test(entry.name))
    .map((entry) => readFileSync(join(folder, entry.name), 'utf8').trim());
  const stated = typeof license === 'object' ? license.type : license;
  const licence = stated ?? licenses?.map(({ type }) => type).join(' or ') ?? null;
  const authorName = typeof author === 'object' ? author.name : author;
  const by = [authorName, homepage].filter((one) => one !== undefined).join(', ');
  return { name: `${name}@${version}`, licence, by, texts };
}

function section({ name, licence, by, texts }: Licence): string {
  if (licence === null && texts.length === 0) throw new Error(`${name} says nothing of its licence`);
  const text = texts.length === 0 ? '(The package brings no text of it.)' : texts.join('\n\n');
  const head = [name, licence ?? 'its licence is the text below', ...(by === '' ? [] : [by])].join('\n');
  return `${'-'.repeat(80)}\n${head}\n\n${text}\n`;
}

if (import.meta.main) process.stdout.write(thirdParty(process.argv[2] ?? '.'));
