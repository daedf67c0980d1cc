/**
 * Scripts as the server gets them: the file, with the parts that its `-- @use` lines name in front of what follows,
 * each once. `constants` is what the code defines elsewhere.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUDGET_BUCKETS, DEFAULTS } from '@mandate/schemas';

const FOLDER = join(import.meta.dirname, 'scripts');

const CONSTANTS = `local LARGEST = ${Number.MAX_SAFE_INTEGER}
local BUDGET_BUCKETS = ${BUDGET_BUCKETS}
local OPEN_WINDOW_MS = ${DEFAULTS.openWindowMs}
`;

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
  const path = from.startsWith('parts/') && named !== 'constants' ? `parts/${named}` : named;
  if (used.has(path)) return '';
  used.add(path);
  return path === 'constants' ? CONSTANTS : expand(path, used);
}
