/**
 * Checks the law of offsets. Each request before the deciders' committed position must have a decision, a settlement
 * or a dead letter on the log. Later requests are open. Requests that retention deleted are only counted.
 */
import { type Bus, type GroupPosition, nextOffset, type PartitionRange } from '@mandate/bus';
import { isMandateError } from '@mandate/runtime';
import { type DeadLetter, GROUPS } from '@mandate/schemas';
import type { Answers } from './answers.ts';
import { type Findings, positionName } from './law.ts';

export type Requests = {
  /** Requests on the log without an answer so far. */
  open: number;
  /** Requests that are no longer on the log. */
  dropped: number;
};

/**
 * Returns the committed positions. Call it before the log is read, so that the log contains every record that is
 * committed now.
 */
export async function committedPositions(bus: Bus): Promise<readonly GroupPosition[]> {
  return (await bus.positions(GROUPS.decider)).filter(({ group }) => group === GROUPS.decider);
}

/**
 * Records the deliveries that have a dead letter. A dead letter covers one delivery, or all deliveries of a batch.
 */
export function createLetters() {
  const batches: { topic: string; partition: number; first: number; last: number }[] = [];
  const single = new Set<string>();
  return {
    takes({ source: { topic, partition, offset }, lastOffset }: DeadLetter['deadLetter']): void {
      if (lastOffset === undefined) single.add(positionName({ topic, partition, offset }));
      else batches.push({ topic, partition, first: offset, last: lastOffset });
    },
    /**
     * Returns the first offset after the batch of the dead letter that covers this position. Null if no dead letter
     * covers it.
     */
    behind(position: { topic: string; partition: number; offset: number }): number | null {
      if (single.has(positionName(position))) return position.offset + 1;
      const batch = batches.find(
        ({ topic, partition, first, last }) =>
          topic === position.topic &&
          partition === position.partition &&
          first <= position.offset &&
          position.offset <= last,
      );
      return batch === undefined ? null : batch.last + 1;
    },
  };
}

type Letters = ReturnType<typeof createLetters>;

export async function checkOffsets(
  bus: Bus,
  committed: readonly GroupPosition[],
  { answers, letters, findings }: { answers: Answers; letters: Letters; findings: Findings },
): Promise<Requests> {
  const requests = { open: 0, dropped: 0 };
  const topics = [...new Set(committed.map(({ topic }) => topic))];
  for (const topic of topics) {
    const starts: Record<string, number> = {};
    let hasUnanswered = false;
    const positions = new Map<number, number>();
    for (const range of await bus.ranges(topic)) {
      const { partition, startOffset, endOffset } = range;
      const position =
        committed.find((one) => one.topic === topic && one.partition === partition)?.nextOffset ?? 0;
      positions.set(partition, position);
      requests.dropped += startOffset;
      const first = firstUnanswered(range, answers, letters);
      findings.checked(Math.max(0, Math.min(position, endOffset) - startOffset));
      starts[`${topic}/${partition}`] = first;
      hasUnanswered ||= first < endOffset;
    }
    if (!hasUnanswered) continue;
    await readUnanswered(bus, topic, starts, { answers, letters }, (partition, offset) => {
      if (offset >= (positions.get(partition) ?? 0)) requests.open += 1;
      else {
        findings.broken(() => ({
          at: positionName({ topic, partition, offset }),
          ids: {},
          what: `committed at ${positions.get(partition)}, and neither decided nor a dead letter`,
        }));
      }
    });
  }
  findings.leftOut(requests.dropped);
  return requests;
}

function firstUnanswered(
  { topic, partition, startOffset, endOffset }: PartitionRange,
  answers: Answers,
  letters: Letters,
) {
  for (let offset = startOffset; offset < endOffset; ) {
    const position = { topic, partition, offset };
    if (answers.has(position)) offset += 1;
    else {
      const behind = letters.behind(position);
      if (behind === null) return offset;
      offset = behind;
    }
  }
  return endOffset;
}

/**
 * Reads the requests without an answer. Offsets alone do not show these requests, because markers of transactions
 * have offsets too. So records are read from the first offset without an answer. Mostly there are no such records. An
 * unreadable batch is skipped, as far as its dead letter covers it.
 */
async function readUnanswered(
  bus: Bus,
  topic: string,
  starts: Readonly<Record<string, number>>,
  { answers, letters }: { answers: Answers; letters: Letters },
  onUnanswered: (partition: number, offset: number) => void,
): Promise<void> {
  const next = new Map(Object.entries(starts));
  for (;;) {
    const reader = await bus.read({
      topics: [topic],
      from: Object.fromEntries(next),
      onRecords(records) {
        for (const record of records) {
          const { partition, offset } = record.position;
          next.set(`${topic}/${partition}`, nextOffset(record));
          if (!answers.has(record.position) && letters.behind(record.position) === null) {
            onUnanswered(partition, offset);
          }
        }
      },
    });
    try {
      await Promise.race([reader.caughtUp, reader.finished]);
      return;
    } catch (error) {
      if (!isMandateError(error, 'BUS_UNREADABLE') || !passOver(topic, next, letters)) throw error;
    } finally {
      await reader.stop();
    }
  }
}

/**
 * If a position is before a batch with a dead letter, moves it to the position after the batch. True if any position
 * was moved.
 */
function passOver(topic: string, next: Map<string, number>, letters: Letters): boolean {
  let passed = false;
  for (const [name, offset] of next) {
    const behind = letters.behind({ topic, partition: Number(name.slice(topic.length + 1)), offset });
    if (behind === null) continue;
    next.set(name, behind);
    passed = true;
  }
  return passed;
}
