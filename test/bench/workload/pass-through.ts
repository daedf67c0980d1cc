/**
 * The rival of a decider: reads the same batches from the same log, appends as many decisions, commits, and does
 * nothing else.
 */
import { type Bus, type Consumer, type Outgoing, untilCommitted } from '@mandate/bus';
import { GROUPS, TOPICS } from '@mandate/schemas';

export type PassThrough = Pick<Consumer, 'stop'> & { caughtUp(): Promise<void> };

/**
 * Uses the decider's consumer group. So on a log with history, it begins where the decider committed last.
 *
 * @param answers the records to append in this order, one for each record that is read
 */
export async function passThrough(bus: Bus, answers: readonly Outgoing[]): Promise<PassThrough> {
  let next = 0;
  return following(bus, GROUPS.decider, TOPICS.actions, async (count) => {
    const taken = answers.slice(next, next + count);
    next += count;
    await bus.append(TOPICS.decisions, taken);
  });
}

/** The rival of a recorder: reads every decision, and only commits. */
export function takeOnly(bus: Bus, group = 'bench.recorder'): Promise<PassThrough> {
  return following(bus, group, TOPICS.decisions, async () => {});
}

async function following(
  bus: Bus,
  group: string,
  topic: string,
  work: (count: number) => Promise<void>,
): Promise<PassThrough> {
  const consumer = await bus.consume({
    group,
    topics: [topic],
    from: 'earliest',
    async onBatch({ records, commit }) {
      await work(records.length);
      await commit((records.at(-1)?.position.offset ?? 0) + 1);
    },
  });
  return {
    stop: () => consumer.stop(),
    caughtUp: () => untilCommitted(bus, consumer, [topic], new AbortController().signal),
  };
}
