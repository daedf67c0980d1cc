/**
 * Names of agents and tools, as the plane has seen them of late. A person waits at a keyboard: an answer that does not
 * come soon is left out, and an answer that came is kept for a minute, in a file that only its owner reads. The file is
 * called after a hash of the addresses and the key, so that it tells neither and no other key's names are ever shown.
 */
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ApiClient } from '@mandate/client';
import { textOfFile } from '@mandate/runtime';
import type { Named } from './words.ts';

export const ANSWER_WITHIN_MS = 300;
const KEPT_MS = 60_000;
const MOST = 1_000;

/** What a shell takes for itself is left out: it would have to be quoted, and differently in each. */
const PLAIN = /^[A-Za-z0-9_][A-Za-z0-9_.:@/+-]*$/;

type Kept = { atMs: number; names: readonly string[] };

/** @param place of the cache; undefined: nothing is kept */
export async function planeNames(
  named: Named,
  api: ApiClient,
  place: { folder: string; of: readonly string[] } | undefined,
  clock: () => number = Date.now,
): Promise<readonly string[]> {
  const file = place && join(place.folder, `${hashOf(place.of)}-${named}.json`);
  const kept = file === undefined ? null : await readKept(file);
  if (kept !== null && clock() - kept.atMs < KEPT_MS && kept.atMs <= clock()) return kept.names;
  const names = await askPlane(named, api);
  // The command works without what it keeps.
  if (file !== undefined) await keep(file, { atMs: clock(), names }).catch(() => {});
  return names;
}

/** The busiest of the last month first. */
async function askPlane(named: Named, api: ApiClient): Promise<readonly string[]> {
  const answer = await api.get<Record<string, readonly Record<string, unknown>[]>>(
    `/v1/audit/analytics/${named}`,
    { from: '30d', limit: MOST },
  );
  const field = named === 'agents' ? 'agentId' : 'tool';
  return (answer[named] ?? []).map((row) => String(row[field])).filter((name) => PLAIN.test(name));
}

function hashOf(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}

async function readKept(file: string): Promise<Kept | null> {
  try {
    const kept: Partial<Kept> = JSON.parse(textOfFile(await readFile(file)));
    const { atMs, names } = kept;
    if (typeof atMs !== 'number' || !Array.isArray(names)) return null;
    return { atMs, names: names.filter((name) => typeof name === 'string' && PLAIN.test(name)) };
  } catch {
    return null;
  }
}

/** Whole or not at all, whichever other process writes it just now. */
async function keep(file: string, kept: Kept): Promise<void> {
  await mkdir(join(file, '..'), { recursive: true, mode: 0o700 });
  const unfinished = `${file}.${randomUUID()}`;
  await writeFile(unfinished, JSON.stringify(kept), { mode: 0o600 });
  await rename(unfinished, file);
}
