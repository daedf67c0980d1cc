/**
 * Sends the same id again: with the same payload, with another payload, by another tenant, by another agent. Then the
 * whole actions topic is read again from offset 0, as after a reset of the group's offsets. While the ledger
 * remembers the requests, the log must get no new record. Later the log gets answers, which must allow nothing.
 * Nothing may be charged for any of this.
 */
import type { Bus } from '@mandate/bus';
import { CAPS, type Decision, GROUPS, TOPICS } from '@mandate/schemas';
import { describeWithOwnServers, plainKafka, TEST_LENGTH, waitUntil } from '@mandate/testing';
import { expect, test } from 'vitest';
import { outcome, request } from './support/agents-at-work.ts';
import { PATIENCE_MS } from './support/breakable-servers.ts';
import { followAnswers } from './support/follow-answers.ts';
import { type WholePlane, wholePlane } from './support/whole-plane.ts';

const ACTIONS = 40;
const MANDATES =
  'version: 1\nid: all\nagents: ["*"]\nmaxCostTotal: 100\ntoolPolicies: { look: { cost: 0.01 }, see: { cost: 0.02 } }\n';
const SHORT_MEMORY_MS = 10_000;

describeWithOwnServers(['kafka', 'redis', 'clickhouse'], 'a request that is sent again', () => {
  test('is answered, and is neither charged nor decided again', async () => {
    const { servers, bus, api, startDecider, expectLawsHold } = await wholePlane(MANDATES);
    const answers = await followAnswers(bus);
    let appended = 0;
    const append = async (records: Parameters<Bus['append']>[1]) => {
      await bus.append(TOPICS.actions, records);
      appended += records.length;
      await waitUntil('an answer to each', () => answers.distinct().size >= appended, PATIENCE_MS);
    };
    const ask = (prefix: string, more: object = {}) =>
      append(Array.from({ length: ACTIONS }, (_, at) => request(asked(`${prefix}-${at}`, at, more))));
    const answersTo = (prefix: string) =>
      answers.decisions().filter(({ actionId }) => actionId.startsWith(`${prefix}-`));

    const deciders = await Promise.all([startDecider(), startDecider()]);
    await ask('once');
    await ask('once');
    await ask('once', { tool: 'see' });
    await ask('once', { tenant: 'acme' });
    await ask('once', { agentId: 'somebody-else' });
    const [first, same, payload, tenant, agent] = Array.from({ length: 5 }, (_, at) =>
      answersTo('once').filter((_, place) => Math.floor(place / ACTIONS) === at),
    );
    for (const decisions of [first, tenant, agent]) expect(told(decisions)).toEqual(['first ALLOWED 10000']);
    for (const again of [same, payload]) expect(told(again)).toEqual(['duplicate DUPLICATE_ACTION 0']);
    const saysSo = (decisions: readonly Decision[] = []) =>
      new Set(decisions.map(({ reason }) => reason.includes('other content')));
    expect([saysSo(same), saysSo(payload)]).toEqual([new Set([false]), new Set([true])]);
    await append((first ?? []).map((decision) => outcome(decision, () => 0, 20_000)));

    const balances = await api.get('/v1/ledger/balances');
    const before = answers.distinct();
    await Promise.all(deciders.map((decider) => decider.kill('SIGTERM')));
    await resetOffsets(servers);
    await Promise.all([startDecider(), startDecider()]);
    await readToTheEnd(servers);
    expect(answers.distinct()).toEqual(before);
    expect(await api.get('/v1/ledger/balances')).toEqual(balances);

    await expectLawsHold();
  });

  // This part runs only in full runs. In every run, the contract tests of the ledger test forgotten requests; they
  // are run on Redis too.
  test.skipIf(TEST_LENGTH === 'short')(
    'is not charged again even after the ledger has forgotten it',
    async () => {
      const { servers, bus, api, startDecider, expectLawsHold } = await wholePlane(
        MANDATES.replace('cost: 0.01', 'cost: 0.01, executionLeaseMs: 1000'),
        { deciders: { REPLAY_MEMORY_MS: String(SHORT_MEMORY_MS) } },
      );
      const answers = await followAnswers(bus);
      const decider = await startDecider();
      const actions = Array.from({ length: ACTIONS }, (_, at) =>
        // The longest deadline that a request may have. It is not longer than the replay memory.
        request(asked(`once-${at}`, at, { deadlineMs: CAPS.deadlineMs })),
      );
      await bus.append(TOPICS.actions, actions);
      await waitUntil('an answer to each', () => answers.distinct().size === ACTIONS, PATIENCE_MS);
      const allowed = answers.decisions().filter(({ verdict }) => verdict === 'ALLOW');
      expect(allowed.length).toBeGreaterThan(0);
      // The ledger never forgets a decision before the publication of the decision is confirmed. So the test waits
      // for every confirmation.
      await readToTheEnd(servers);
      await decider.kill('SIGTERM');
      const balances = await api.get('/v1/ledger/balances');
      const forgottenAtMs =
        Math.max(...answers.decisions().map((each) => Date.parse(each.leaseExpiresAt ?? each.decidedAt))) +
        SHORT_MEMORY_MS;
      await waitUntil('it to be forgotten', () => Date.now() > forgottenAtMs, PATIENCE_MS);

      await resetOffsets(servers);
      await startDecider();
      await waitUntil('another answer to each', () => answers.distinct().size === 2 * ACTIONS, PATIENCE_MS);
      const later = answers.decisions().slice(ACTIONS);
      expect(later.filter(({ verdict }) => verdict === 'ALLOW')).toEqual([]);
      expect(new Set(later.map(({ kind }) => kind))).toEqual(new Set(['expired']));
      expect(await api.get('/v1/ledger/balances')).toEqual(balances);
      await expectLawsHold();
    },
  );
});

function asked(id: string, at: number, more: object) {
  return { id, agentId: `agent-${at % 7}`, tool: 'look', ...more };
}

function told(decisions: readonly Decision[] = []): string[] {
  return [...new Set(decisions.map(({ kind, code, chargedMicros }) => `${kind} ${code} ${chargedMicros}`))];
}

/** Resets the offsets as an operator does. The group must have no members. */
function resetOffsets(servers: WholePlane['servers']): Promise<void> {
  return asAdmin(servers, async (admin) => {
    await waitUntil(
      'the group to be empty',
      async () => (await admin.describeGroups([GROUPS.decider])).groups[0]?.state === 'Empty',
      PATIENCE_MS,
    );
    const partitions = (await admin.fetchTopicOffsets(TOPICS.actions)).map(({ partition }) => ({
      partition,
      offset: '0',
    }));
    await admin.setOffsets({ groupId: GROUPS.decider, topic: TOPICS.actions, partitions });
  });
}

/** Resolves when the group has again committed the end of every partition. */
function readToTheEnd(servers: WholePlane['servers']): Promise<void> {
  return asAdmin(servers, async (admin) => {
    const ends = await admin.fetchTopicOffsets(TOPICS.actions);
    await waitUntil(
      'the group to have read all of it',
      async () => {
        const asked = { groupId: GROUPS.decider, topics: [TOPICS.actions] };
        const [positions] = await admin.fetchOffsets(asked);
        return ends.every(({ partition, offset }) =>
          positions?.partitions.some((each) => each.partition === partition && each.offset === offset),
        );
      },
      PATIENCE_MS,
    );
  });
}

async function asAdmin(
  { kafka }: WholePlane['servers'],
  use: (admin: ReturnType<ReturnType<typeof plainKafka>['admin']>) => Promise<void>,
): Promise<void> {
  const admin = plainKafka(kafka.brokers).admin();
  await admin.connect();
  try {
    await use(admin);
  } finally {
    await admin.disconnect();
  }
}
