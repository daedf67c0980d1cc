import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_EVERY_MS = 20;

type NotYet = null | undefined | false;

/** A count does not say whether 0 is what is awaited: compare it. */
type NoCount<Answer> = [Awaited<Answer>] extends [number] ? never : unknown;

/** Waits for a condition, never for a time: fails, saying what was awaited, when it does not come. */
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
