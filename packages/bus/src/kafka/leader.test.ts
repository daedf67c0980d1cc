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

/** Expects that the leader's repeated look-ups find nothing new until `change` has run. */
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

test('assigns a topic to the members that read the topic, even if the leader does not read it', async () => {
  there.new = 1;
  expect(await namesOf(await leads())).toEqual(['new/0', 'old/0', 'old/1']);
});

test('assigns the other topics if the leader cannot find one topic, and assigns this topic soon after it exists', async () => {
  const round = await leads();
  expect(await namesOf(round)).toEqual(['old/0', 'old/1']);
  await seesOnly(() => {
    there.new = 1;
  }, round);
});

test('notices new partitions of any topic, and treats a deleted topic as a topic without partitions', async () => {
  there.new = 1;
  const round = await leads();
  delete there.new;
  await seesOnly(() => {
    there.new = 2;
  }, round);
});

test('rejects if the log does not answer, and never assigns fewer partitions instead', async () => {
  const away = new MandateError('BUS_UNAVAILABLE', 'away', { remedy: '', retryable: true });
  const partitionsOf = () => Promise.reject(away);
  const known = [{ memberId: 'leader', topics: ['old'], held: [] }];
  const round = assignAsLeader(known, { log: { partitionsOf }, freshMs: FRESH_MS, logger: silentLogger() });
  await expect(round).rejects.toBe(away);
});
