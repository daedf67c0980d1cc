import { MandateError, silentLogger } from '@mandate/runtime';
import { waitUntil } from '@mandate/testing';
import { beforeEach, expect, test } from 'vitest';
import type { TopicPartition } from './coordinator.ts';
import { assignAsLeader } from './leader.ts';
import { decodeAssignment } from './protocol.ts';

const FRESH_MS = 1;
let there: Record<string, number>;
let looks: number;

beforeEach(() => {
  there = { old: 2 };
  looks = 0;
});

const log = {
  async partitionsOf(topics: readonly string[]): Promise<TopicPartition[]> {
    looks += 1;
    return topics.flatMap((topic) => {
      const count = there[topic];
      if (count === undefined) throw new MandateError('BUS_TOPIC_UNFIT', 'not there', { remedy: '' });
      return Array.from({ length: count }, (_, partition) => ({ topic, partition }));
    });
  },
};

const leads = () =>
  assignAsLeader(
    [
      { memberId: 'leader', topics: ['old'], held: [] },
      { memberId: 'other', topics: ['old', 'new'], held: [] },
    ],
    { log, freshMs: FRESH_MS, logger: silentLogger() },
  );

async function namesOf({ assignment }: Awaited<ReturnType<typeof assignAsLeader>>): Promise<string[]> {
  const partitions = assignment.flatMap(({ memberAssignment }) => decodeAssignment(memberAssignment));
  return partitions.map(({ topic, partition }) => `${topic}/${partition}`).sort();
}

/** Looks some times more, and finds nothing new; then what `change` makes. */
async function seesOnly(
  change: () => void,
  { untilUnassigned }: Awaited<ReturnType<typeof assignAsLeader>>,
): Promise<void> {
  let isSettled = false;
  const seen = untilUnassigned(new AbortController().signal).then(() => {
    isSettled = true;
  });
  const before = looks;
  await waitUntil('some looks', () => looks > before + 6);
  expect(isSettled).toBe(false);
  change();
  await seen;
}

test('a topic that the leader does not read is handed out to those that do', async () => {
  there.new = 1;
  expect(await namesOf(await leads())).toEqual(['new/0', 'old/0', 'old/1']);
});

test('a topic that the leader does not find keeps nobody from the others, and is handed out soon after it is there', async () => {
  const round = await leads();
  expect(await namesOf(round)).toEqual(['old/0', 'old/1']);
  await seesOnly(() => {
    there.new = 1;
  }, round);
});

test('partitions that are added to any topic are seen, and a topic that cannot be counted any more is none', async () => {
  there.new = 1;
  const round = await leads();
  delete there.new;
  await seesOnly(() => {
    there.new = 2;
  }, round);
});

test('a log that is away is no reason to hand out less', async () => {
  const away = new MandateError('BUS_UNAVAILABLE', 'away', { remedy: '', retryable: true });
  const partitionsOf = () => Promise.reject(away);
  const known = [{ memberId: 'leader', topics: ['old'], held: [] }];
  const round = assignAsLeader(known, { log: { partitionsOf }, freshMs: FRESH_MS, logger: silentLogger() });
  await expect(round).rejects.toBe(away);
});
