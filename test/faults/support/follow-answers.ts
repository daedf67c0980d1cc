/** Reads every answer that deciders append to the log. */
import type { Bus } from '@mandate/bus';
import { type Decision, readDecisionsRecord, type Settlement, TOPICS } from '@mandate/schemas';
import { onTestFinished } from 'vitest';

export type Answers = {
  /** The texts of the answers in the order of reading. A rebalance of the group can cause repetitions. */
  readonly all: readonly string[];
  /** The texts of the answers, each once. */
  distinct(): ReadonlySet<string>;
  /** Returns the decisions, each only once. */
  decisions(): Decision[];
  settlements(): Settlement[];
};

/** Reads the log until the end of the test. */
export async function followAnswers(bus: Bus): Promise<Answers> {
  const all: string[] = [];
  const reader = await bus.read({
    topics: [TOPICS.decisions],
    from: 'earliest',
    onRecords(records) {
      for (const { value } of records) {
        const { event } = readDecisionsRecord(value);
        if (event === 'action.decided' || event === 'action.settled') all.push(Buffer.from(value).toString());
      }
    },
  });
  onTestFinished(() => reader.stop());
  const every = <Body>(name: string) =>
    [...new Set(all)].flatMap((text) => {
      const body = (JSON.parse(text) as Record<string, Body | undefined>)[name];
      return body === undefined ? [] : [body];
    });
  return {
    all,
    distinct: () => new Set(all),
    decisions: () => every<Decision>('decision'),
    settlements: () => every<Settlement>('settlement'),
  };
}
