/**
 * Loads scripts in the form for the server. The parts in the `-- @use` lines of a file come first, each part once,
 * and then the file.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, 'scripts');

export function loadScript(name: string): string {
  return expand(`${name}.lua`, new Set());
}

function expand(path: string, used: Set<string>): string {
  const lines = readFileSync(join(FOLDER, path), 'utf8').split('\n');
  return lines.map((line) => partOf(line, path, used) ?? line).join('\n');
}

function partOf(line: string, from: string, used: Set<string>): string | null {
  const named = /^-- @use (\S+)$/.exec(line)?.[1];
  if (named === undefined) return null;
  const path = from.startsWith('parts/') ? `parts/${named}` : named;
  if (used.has(path)) return '';
  used.add(path);
  return expand(path, used);
}
