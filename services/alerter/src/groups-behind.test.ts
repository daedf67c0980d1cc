import type { SqliteBusOptions } from '@mandate/bus';
import { manualClock } from '@mandate/runtime';
import { GROUPS, recorderGroup, TOPICS, topicOfTenant } from '@mandate/schemas';
import { waitUntil } from '@mandate/testing';
import { expect, test } from 'vitest';
import { openLog, takeAll } from './alerter.fixture.ts';
import { groupsBehind } from './groups-behind.ts';
import { Alarms } from './rules/alarms.ts';

const LATE_MS = 30_000;

/** A log on which time goes by as told, and what is late there: `group records topics`. */
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

test('requests that no decider takes up are late from the millisecond on, also where there was never one', async () => {
  const { clock, append, late } = await watchedLog();
  await append(TOPICS.actions);
  clock.advance(LATE_MS);
  await append(TOPICS.actions);
  expect(await late()).toEqual([]);
  clock.advance(1);
  expect(await late()).toEqual([`${GROUPS.decider} 1 ${TOPICS.actions}`]);
});

test('what deciders have committed is not late, and a topic of a tenant that they read is watched too', async () => {
  const { clock, bus, append, late } = await watchedLog();
  const ofTenant = topicOfTenant('acme');
  for (const topic of [TOPICS.actions, ofTenant]) await append(topic);
  await takeAll(bus, GROUPS.decider, [TOPICS.actions, ofTenant]);
  await append(ofTenant);
  clock.advance(LATE_MS + 1);
  expect(await late()).toEqual([`${GROUPS.decider} 1 ${ofTenant}`]);
});

test('what any set of audit tables has is recorded; where there is none, nothing is missed', async () => {
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

test('what retention took waits no more, though nobody took it up', async () => {
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

test('an alarm that stands ends once nothing waits for more than half of it', async () => {
  const { clock, append, late } = await watchedLog();
  const alarms = new Alarms();
  alarms.apply({
    event: 'alert.raised',
    alert: {
      ...{ id: 'alr_1', rule: 'lag', tenant: null, subject: GROUPS.decider, episode: 1, said: '', facts: {} },
      ...{ at: new Date(clock()).toISOString(), order: 1, record: null, webhooks: [], quiet: false },
    },
  });
  await append(TOPICS.actions);
  clock.advance(LATE_MS / 2);
  expect(await late(alarms)).toEqual([]);
  clock.advance(1);
  expect(await late(alarms)).toHaveLength(1);
});
