/**
 * A user who can write the log's file puts hostile records on the log of one machine. None of them delays the records
 * beside it.
 */
import { join } from 'node:path';
import { type Bus, createSqliteBus } from '@mandate/bus';
import { silentLogger } from '@mandate/runtime';
import { TOPICS } from '@mandate/schemas';
import { temporaryFolder } from '@mandate/testing';
import { MOST_BUSY_MS, quietestOf, watchTurns } from '@mandate/testing/busiest-turn';
import { expect, onTestFinished, test } from 'vitest';
import { asking, decidedOn, decideOn, mustSurvivePoison } from './support/expect-hostile-records.ts';
import { dear } from './support/hostile-records.ts';

async function openBus(): Promise<Bus> {
  const bus = await createSqliteBus({ path: join(temporaryFolder(), 'log.sqlite'), log: silentLogger() });
  onTestFinished(() => bus.close());
  return bus;
}

test('each hostile record becomes a dead letter or a decision, the records beside it are decided, and the event loop is never blocked for long', async () => {
  const bus = await openBus();
  await mustSurvivePoison(bus, TOPICS.actions, async (records) => {
    await bus.append(
      TOPICS.actions,
      records.map((record) => ({ ...record, partition: 0 })),
    );
  });
});

test('a batch of the most expensive records delays no other record', async () => {
  const bus = await openBus();
  const append = (values: readonly (Buffer | string)[]) =>
    bus.append(
      TOPICS.actions,
      values.map((value) => ({ key: null, partition: 0, value })),
    );
  let sent = 0;
  const take = async (dose: string | number) => {
    const values = dear(`dear-${dose}`, 20);
    sent += values.length;
    await append([...values, asking(`behind-${dose}`)]);
    const turns = watchTurns();
    const decider = await decideOn(bus);
    await decider.caughtUp(AbortSignal.timeout(120_000));
    const busiestMs = turns.busiestMs();
    await decider.stop();
    expect((await decidedOn(bus)).get('well')).toContain(`behind-${dose}`);
    return busiestMs;
  };
  await take('first');
  const busiestMs = await quietestOf(take);
  expect((await decidedOn(bus)).get('poison')?.size).toBe(sent);
  expect(busiestMs).toBeLessThan(MOST_BUSY_MS);
});
