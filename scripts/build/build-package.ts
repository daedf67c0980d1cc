/** Builds one package: the folder that `npm publish` would publish. */
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { bundle, entriesOf, librariesOf } from './bundle.ts';
import { writeDeclarations } from './declarations.ts';
import { publishableManifest } from './publishable-manifest.ts';
import { PROGRAM_ENTRY, type Published } from './published.ts';
import { ROOT } from './workspaces.ts';

/** @param out the folder of the package. What is in it is removed. */
export async function buildPackage(published: Published, out: string): Promise<void> {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const imported = librariesOf(await bundle(published, out));
  if (published.kind === 'library') {
    for (const library of writeDeclarations(entriesOf(published), out)) imported.add(library);
  } else writeCommand(published, out);
  const manifest = publishableManifest(published, imported);
  writeFileSync(join(out, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  for (const name of ['LICENSE', 'CHANGELOG.md']) cpSync(join(ROOT, name), join(out, name));
  const readme = readFileSync(join(published.folder, 'README.md'), 'utf8');
  writeFileSync(join(out, 'README.md'), withoutRelativeLinks(readme));
}

/** The first file of a command. An old Node can run it too, and gets a message instead of a syntax error. */
function writeCommand({ name, folder, oldestNode: [major, minor] }: Published, out: string): void {
  const main = relative(ROOT, join(folder, PROGRAM_ENTRY)).replace(/\.ts$/, '.js');
  const lines = [
    '#!/usr/bin/env node',
    "const [major, minor] = process.versions.node.split('.').map(Number);",
    `if (major > ${major} || (major === ${major} && minor >= ${minor})) {`,
    `  await import('./${main}');`,
    '} else {',
    `  console.error('${name}: needs Node ${major}.${minor} or newer, and this is Node ' + process.versions.node);`,
    '  process.exitCode = 1;',
    '}',
  ];
  writeFileSync(join(out, 'bin.js'), `${lines.join('\n')}\n`);
  chmodSync(join(out, 'bin.js'), 0o755);
}

/** A link to a file of the repository leads nowhere from a package, so only its text stays. */
function withoutRelativeLinks(markdown: string): string {
  return markdown.replace(/\[([^\]]+)\]\((?!https?:|#)[^)]+\)/g, '$1');
}
