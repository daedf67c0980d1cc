import { setTimeout as sleep } from 'node:timers/promises';

/**
 * The shortest and the longest pause between two looks. A pause is twice as long as the look before it, because a
 * question to ClickHouse costs 40 to 100 ms of a core, and the awaited work needs the same cores.
 */
const PAUSE_MS = { shortest: 20, longest: 500 };

type NotYet = null | undefined | false;

/**
 * A type that refuses a condition with a number as its result, because 0 might be the awaited number. Return a
 * comparison instead.
 */
type NoCount<Answer> = [Awaited<Answer>] extends [number] ? never : unknown;

/**
 * Waits until a condition is true, never for a fixed time. If a service answers that it is busy, looks again. Fails
 * with the name of the awaited thing if the condition stays false.
 */
export async function waitUntil<Answer>(
  what: string,
  look: (() => Answer) & NoCount<Answer>,
  withinMs = 45_000,
): Promise<Exclude<Awaited<Answer>, NotYet>> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    let busy: unknown;
    const beganMs = performance.now();
    try {
      const seen = await look();
      if (isThere(seen)) return seen;
    } catch (error) {
      if (!isBusy(error)) throw error;
      busy = error;
    }
    if (performance.now() > deadline)
      throw new Error(`waited ${withinMs} ms in vain for: ${what}`, { cause: busy });
    const pauseMs = 2 * (performance.now() - beganMs);
    await sleep(Math.min(Math.max(pauseMs, PAUSE_MS.shortest), PAUSE_MS.longest));
  }
}

/** True for an answer of a service that cannot answer now. On a busy machine, the audit may take longer than its limit. */
function isBusy(error: unknown): boolean {
  return error instanceof Error && 'status' in error && error.status === 503;
}

function isThere<Seen>(seen: Seen): seen is Exclude<Seen, NotYet> {
  return seen !== null && seen !== undefined && seen !== false;
}
