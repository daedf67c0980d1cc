import { createMemoryLedger } from '@mandate/ledger';
import { MandateError, silentLogger } from '@mandate/runtime';
import { TOPICS } from '@mandate/schemas';
import { createMetrics } from '@mandate/server';
import { waitUntil } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { deciderMeasures, measuredSteps } from './measures.ts';
import { watchDecider } from './watch-decider.ts';

function measured() {
  const metrics = createMetrics({ service: 'decider' });
  const value = async (name: string) => {
    const [, found] =
      (await metrics.registry.metrics()).match(new RegExp(`^${name}\\{[^}]*\\} (\\S+)$`, 'm')) ?? [];
    return found === undefined ? null : Number(found);
  };
  return { measures: deciderMeasures(metrics), value };
}

test('measures the group’s lag, and counts the changes of the ledger’s epoch', async () => {
  const { measures, value } = measured();
  const ledger = { epoch: '' };
  let lag = 7;
  const consumer = { lag: async () => [{ topic: TOPICS.actions, partition: 3, lag }] };
  const watch = watchDecider({ consumer, ledger, log: silentLogger(), everyMs: 1 }, measures);
  onTestFinished(() => watch.stop());
  const told = (records: number) =>
    waitUntil(`a lag of ${records}`, async () => (await value('mandate_decider_lag_records')) === records);

  const epochs: unknown[] = [];
  for (const [epoch, records] of [
    ['', 7],
    ['ep_1', 6],
    ['ep_1', 5],
    ['', 4],
    ['ep_1', 3],
    ['ep_2', 0],
  ] as const) {
    ledger.epoch = epoch;
    lag = records;
    await told(records);
    epochs.push(await value('mandate_decider_ledger_epochs_total'));
  }
  expect(epochs).toEqual([0, 1, 1, 1, 1, 2]);
});

test('measures each step of the ledger, even a failed step, and changes nothing else', async () => {
  const { measures, value } = measured();
  const store = createMemoryLedger({ clock: () => 0, epoch: 'ep_1' });
  const ledger = measuredSteps(store, measures);
  expect(await ledger.step([])).toEqual([]);
  expect(ledger.epoch).toBe('ep_1');
  const away = new MandateError('LEDGER_UNAVAILABLE', 'away', { remedy: '', retryable: true });
  const failing = measuredSteps({ ...store, step: () => Promise.reject(away) }, measures);
  await expect(failing.step([])).rejects.toBe(away);
  expect(await value('mandate_decider_step_seconds_count')).toBe(2);
});
