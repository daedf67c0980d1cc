import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_EVERY_MS = 20;

type NotYet = null | undefined | false;

/** Refuses a condition that returns a count, because 0 may be what the test waits for. Compare the count instead. */
type NoCount<Answer> = [Awaited<Answer>] extends [number] ? never : unknown;

/**
 * Waits for a condition, never for a time. Fails with the awaited thing in its message if the condition does not come
 * true.
 */
export async function waitUntil<Answer>(
  what: string,
  look: (() => Answer) & NoCount<Answer>,
  withinMs = 45_000,
): Promise<Exclude<Awaited<Answer>, NotYet>> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const seen = await look();
    if (isThere(seen)) return seen;
    if (performance.now() > deadline) throw new Error(`waited ${withinMs} ms in vain for: ${what}`);
    await sleep(LOOK_EVERY_MS);
  }
}

function isThere<Seen>(seen: Seen): seen is Exclude<Seen, NotYet> {
  return seen !== null && seen !== undefined && seen !== false;
}
