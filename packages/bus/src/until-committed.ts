import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus, Consumer } from './port.ts';

const LOOK_EVERY_MS = 20;

/**
 * Resolves when the group has committed everything that is on the topics now, with any of its members. Rejects when
 * `signal` aborts. The ends are read before the lags. So a position may be underestimated, but it is never
 * overestimated.
 */
export async function untilCommitted(
  bus: Bus,
  consumer: Pick<Consumer, 'lag'>,
  topics: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const goals = await ends(bus, topics);
  for (;;) {
    signal.throwIfAborted();
    const endsNow = await ends(bus, topics);
    const lags = await consumer.lag();
    const isDone = lags.every(({ topic, partition, lag }) => {
      const name = `${topic}/${partition}`;
      return (endsNow.get(name) ?? 0) - lag >= (goals.get(name) ?? 0);
    });
    if (isDone) return;
    // An abort ends the sleep. Then the check at the top of the loop throws the reason of the abort.
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => {});
  }
}

async function ends(bus: Bus, topics: readonly string[]): Promise<Map<string, number>> {
  const ranges = (await Promise.all(topics.map((topic) => bus.ranges(topic)))).flat();
  return new Map(ranges.map(({ topic, partition, endOffset }) => [`${topic}/${partition}`, endOffset]));
}
