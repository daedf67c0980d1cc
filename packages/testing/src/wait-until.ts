import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_EVERY_MS = 20;

/** Waits for a condition, never for a time: fails, saying what was awaited, when it does not come. */
export async function waitUntil<T>(
  what: string,
  look: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  withinMs = 45_000,
): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const seen = await look();
    if (seen !== null && seen !== undefined && seen !== false) return seen;
    if (performance.now() > deadline) throw new Error(`waited ${withinMs} ms in vain for: ${what}`);
    await sleep(LOOK_EVERY_MS);
  }
}
