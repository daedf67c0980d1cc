/** Kills the erasing process with SIGKILL again and again, at random moments. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { byLength, SEED, seededRandom, temporaryFolder } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { personKeysAt } from './person-keys.ts';

const KILLS = byLength({ short: 4, full: 12 });
/** At most this many erasures by one process. */
const MOST_ERASED = 8;
/** About as long as one erasure takes, so that the kill may hit any part of an erasure. */
const LONGEST_MS = 12;
const ERASER = join(import.meta.dirname, 'erase-persons.fixture.ts');

test(`killed ${KILLS} times, every answered erasure lasts, and no other person is erased (SEED=${SEED})`, async () => {
  const random = seededRandom(SEED);
  const folder = temporaryFolder();
  const keys = personKeysAt(join(folder, 'person-keys'));
  await keys.make();
  const whose = (person: number) => keys.seal('acme', `person-${person}`, 'text');
  const before = Array.from({ length: KILLS * (MOST_ERASED + 2) }, (_, person) => whose(person));
  let erased = 0;
  for (let kill = 0; kill < KILLS; kill += 1) {
    erased = await eraseUntilKilled(join(folder, 'person-keys'), erased, random);
    // Checks a copy of the file, so that the next process still finds the file as the crash left it.
    const copy = temporaryFolder();
    cpSync(folder, copy, { recursive: true });
    const after = personKeysAt(join(copy, 'person-keys'));
    expect(await after.open()).toBe(true);
    const sealed = before.map((_, person) => after.seal('acme', `person-${person}`, 'text'));
    // The erasure that follows the acknowledged erasures may have been done or not.
    expect(sealed).toEqual([
      ...before.slice(0, erased).map(() => null),
      sealed[erased] === null ? null : before[erased],
      ...before.slice(erased + 1),
    ]);
    expect(readdirSync(copy).filter((name) => /\.(?:old|new)$/.test(name))).toEqual([]);
  }
  expect(erased).toBeGreaterThan(KILLS);
});

/** Returns how many erasures the process had acknowledged when it was killed. */
async function eraseUntilKilled(path: string, from: number, random: () => number): Promise<number> {
  const child = spawn(process.execPath, [ERASER, path, String(from)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines: string[] = [];
  const wanted = 1 + Math.floor(random() * MOST_ERASED);
  const enough = Promise.withResolvers<void>();
  createInterface(child.stdout).on('line', (line) => {
    if (lines.push(line) === wanted) enough.resolve();
  });
  const closed = once(child, 'close');
  await Promise.race([enough.promise, closed]);
  await sleep(random() * LONGEST_MS);
  child.kill('SIGKILL');
  expect(await closed).toEqual([null, 'SIGKILL']);
  const answered = lines.slice(1).map(Number);
  expect(answered).toEqual(answered.map((_, index) => from + index));
  return from + answered.length;
}
