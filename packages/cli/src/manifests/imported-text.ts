/** Writes an imported manifest as YAML. A comment at its beginning lists the parts that were not imported. */
import { isDeepStrictEqual } from 'node:util';
import type { Imported, ImportWarning } from '@mandate/agent-manifest';
import { readOneDocument } from '@mandate/policy/one-document';
import { stringify } from 'yaml';
import { printable } from '../output/printable.ts';

type Taken = Extract<Imported, { ok: true }>;

/** @param limitsFile the file with the policies that belong to the manifest. Null: there are none */
export function importedText(imported: Taken, limitsFile: string | null): string {
  const head = headOf(imported, limitsFile)
    .map((line) => (line === '' ? '#' : `# ${printable(line)}`))
    .join('\n');
  const texts = [
    stringify(imported.manifest, { lineWidth: 0, aliasDuplicateObjects: false }),
    `${JSON.stringify(imported.manifest, null, 2)}\n`,
  ].map((text) => `${head}\n${text}`);
  const [yaml = '', json = ''] = texts;
  return readsAs(yaml, imported.manifest) ? yaml : json;
}

/** True if the text is read back as this value. */
function readsAs(text: string, value: unknown): boolean {
  const read = readOneDocument(text, { what: 'manifest' }, 1);
  return read.ok && read.inexact.length === 0 && isDeepStrictEqual(read.value, value);
}

function headOf({ manifest, policies, servers, warnings }: Taken, limitsFile: string | null): string[] {
  const { imported_from: from } = manifest.metadata;
  const turns = policies.filter(({ maxTurns }) => maxTurns !== undefined);
  return [
    `Imported from ${String(from)} by mandate manifest import. Read it before you publish it: an agent may call the tools`,
    'that are named here, and no other.',
    ...(limitsFile === null
      ? []
      : ['', `${limitsFile} limits these agents further. Apply it with the compiled manifest.`]),
    ...section('What was not taken over, or changed:', warnings.map(warningLine)),
    ...section('For runner.yaml, once you have read it. Nothing of it was run:', serverLines(servers)),
    ...section(
      'Limits of turns, which the runner does not take from a manifest:',
      turns.map(({ agent, maxTurns }) => `${agent}: ${maxTurns}`),
    ),
    '',
  ].slice(0, MOST_LINES);
}

const MOST_LINES = 600;

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', title, ...lines.map((line) => `  ${line}`)];
}

/** Returns a warning on one line: `reviewer.md:4 tools: …`. */
export function warningLine({ file, line, path, message, code }: ImportWarning): string {
  const place = line === undefined ? file : `${file}:${line}`;
  return `${place}${path === '' ? '' : ` ${path}`}: ${message} (${code})`;
}

function serverLines(servers: Taken['servers']): string[] {
  if (Object.keys(servers).length === 0) return [];
  return stringify({ servers }, { lineWidth: 0, aliasDuplicateObjects: false }).trimEnd().split('\n');
}
