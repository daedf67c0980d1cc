import type { SqliteBusOptions } from '@mandate/bus';
import { manualClock } from '@mandate/runtime';
import { GROUPS, recorderGroup, TOPICS, topicOfTenant } from '@mandate/schemas';
import { waitUntil } from '@mandate/testing';
import { expect, test } from 'vitest';
import { openLog, takeAll } from './alerter.fixture.ts';
import { groupsBehind } from './groups-behind.ts';
import { Alarms } from './rules/alarms.ts';

const LATE_MS = 30_000;

/** Makes a log with a clock that the test sets. Returns what is late on the log, as `group records topics`. */
async function watchedLog(given: Partial<SqliteBusOptions> = {}) {
  const clock = manualClock(1_000_000);
  const bus = await openLog({ clock, ...given });
  return {
    clock,
    bus,
    append: (topic: string) => bus.append(topic, [{ key: 'acme/bot', value: '{}' }]),
    async late(alarms = new Alarms()) {
      const found = await groupsBehind(bus, { alarms, lag: { lateMs: LATE_MS }, nowMs: clock() });
      return found
        .filter(({ holds }) => holds)
        .map(({ subject, facts }) => `${subject} ${facts.records} ${String(facts.topics)}`);
    },
  };
}

test('requests without a decider are late one millisecond after the limit, even if there was never a decider', async () => {
  const { clock, append, late } = await watchedLog();
  await append(TOPICS.actions);
  clock.advance(LATE_MS);
  await append(TOPICS.actions);
  expect(await late()).toEqual([]);
  clock.advance(1);
  expect(await late()).toEqual([`${GROUPS.decider} 1 ${TOPICS.actions}`]);
});

test("records that deciders committed are not late, and a tenant's own topic that deciders read is watched too", async () => {
  const { clock, bus, append, late } = await watchedLog();
  const ofTenant = topicOfTenant('acme');
  for (const topic of [TOPICS.actions, ofTenant]) await append(topic);
  await takeAll(bus, GROUPS.decider, [TOPICS.actions, ofTenant]);
  await append(ofTenant);
  clock.advance(LATE_MS + 1);
  expect(await late()).toEqual([`${GROUPS.decider} 1 ${ofTenant}`]);
});

test('a record is done if any set of audit tables has it, and no record is late if there is no audit', async () => {
  const { clock, bus, append, late } = await watchedLog();
  await append(TOPICS.decisions);
  clock.advance(LATE_MS + 1);
  expect(await late()).toEqual([]);
  await takeAll(bus, recorderGroup('z-given-up'), [TOPICS.decisions]);
  await append(TOPICS.decisions);
  clock.advance(LATE_MS + 1);
  expect(await late()).toEqual([`${GROUPS.recorder} 1 ${TOPICS.decisions}`]);
  await takeAll(bus, recorderGroup('a-new'), [TOPICS.decisions]);
  expect(await late()).toEqual([]);
});

test('a record that retention has deleted is no longer late', async () => {
  const retentionMs = { [TOPICS.actions]: 2 * LATE_MS };
  const { clock, bus, append, late } = await watchedLog({ retentionMs, sweepEveryMs: 5 });
  await takeAll(bus, GROUPS.decider, [TOPICS.actions]);
  await append(TOPICS.actions);
  clock.advance(LATE_MS + 1);
  expect(await late()).toHaveLength(1);
  clock.advance(LATE_MS);
  await waitUntil('it to be gone', async () =>
    (await bus.ranges(TOPICS.actions)).some(({ startOffset }) => startOffset === 1),
  );
  expect(await late()).toEqual([]);
});

test('an alarm ends once no record has waited for longer than half of the limit', async () => {
  const { clock, append, late } = await watchedLog();
  const alarms = new Alarms();
  alarms.apply({
    event: 'alert.raised',
    alert: {
      ...{
        id: 'alr_1',
        rule: 'lag',
        tenant: null,
        subject: GROUPS.decider,
        episode: 1,
        message: '',
        facts: {},
      },
      ...{ at: new Date(clock()).toISOString(), order: 1, record: null, webhooks: [], quiet: false },
    },
  });
  await append(TOPICS.actions);
  clock.advance(LATE_MS / 2);
  expect(await late(alarms)).toEqual([]);
  clock.advance(1);
  expect(await late(alarms)).toHaveLength(1);
});
