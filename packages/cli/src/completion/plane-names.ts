/**
 * The names of agents and tools that the plane saw in the last 30 days. A late answer is left out, because a person
 * waits at a keyboard. An answer is kept for a minute, in a file that only its owner can read. The file name is a
 * hash of the addresses and the key. So the file name shows no secret, and each key has its own file.
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

/** Names with characters that a shell interprets are left out. Each shell would need another way of quoting them. */
const PLAIN = /^[A-Za-z0-9_][A-Za-z0-9_.:@/+-]*$/;

type Kept = { atMs: number; names: readonly string[] };

/** @param place the folder of the cache; if undefined, nothing is kept */
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
  // A failed write is ignored, because the command also works without a cache.
  if (file !== undefined) await keep(file, { atMs: clock(), names }).catch(() => {});
  return names;
}

/** Returns the names of the last 30 days, the busiest first. */
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

/** Writes the file completely or not at all, even if another process writes the file at the same time. */
async function keep(file: string, kept: Kept): Promise<void> {
  await mkdir(join(file, '..'), { recursive: true, mode: 0o700 });
  const unfinished = `${file}.${randomUUID()}`;
  await writeFile(unfinished, JSON.stringify(kept), { mode: 0o600 });
  await rename(unfinished, file);
}
