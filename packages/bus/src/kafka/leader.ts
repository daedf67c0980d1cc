import { setTimeout as pause } from 'node:timers/promises';
import { isMandateError, type Logger } from '@mandate/runtime';
import type { Place } from './coordinator.ts';
import { type Log, nameOf } from './positions.ts';
import { type Candidate, handOut } from './protocol.ts';

/** How soon is looked again for a topic that a member reads and that was not found. */
export const MISSED_MS = 1_000;

export type Lead = {
  assignment: ReturnType<typeof handOut>;
  /** Resolves once there is something to hand out that was not handed out, or when the signal aborts. */
  more(signal: AbortSignal): Promise<void>;
};

/**
 * What the leader of a round does for all: every partition of what any member reads is handed out. Members may differ in
 * their topics. One that the leader does not find, since its broker does not know of it yet or it is gone, is left out:
 * it must not keep the members from all others.
 */
export async function lead(
  known: readonly Candidate[],
  { log, freshMs, logger }: { log: Pick<Log, 'placesOf'>; freshMs: number; logger: Logger },
): Promise<Lead> {
  const topics = [...new Set(known.flatMap((each) => each.topics))];
  const missed = new Set<string>();
  const look = async (): Promise<Place[]> => {
    const found = topics.map((topic) =>
      log.placesOf([topic]).catch((error) => {
        if (!isMandateError(error, 'BUS_TOPIC_UNFIT')) throw error;
        if (!missed.has(topic)) logger.warn({ err: error, topic }, 'left out until it is found');
        missed.add(topic);
        return [];
      }),
    );
    return (await Promise.all(found)).flat();
  };
  const places = await look();
  const handedOut = new Set(places.map(nameOf));
  return {
    assignment: handOut(known, places),
    async more(signal) {
      while (!signal.aborted) {
        await pause(missed.size > 0 ? Math.min(MISSED_MS, freshMs) : freshMs, undefined, { signal }).catch(
          () => {},
        );
        const now = await look().catch(() => []);
        if (now.some((place) => !handedOut.has(nameOf(place)))) return;
      }
    },
  };
}
