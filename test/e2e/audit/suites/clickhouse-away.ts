/** Tests what the recorder does while ClickHouse does not answer. */
import { createLogger } from '@mandate/server';
import { describe, expect, test } from 'vitest';
import { decided } from '../support/log-records.ts';
import { idsOf, metric, type RecorderScene, until } from '../support/recorder-scene.ts';
import { everyDecision } from '../support/recording.ts';

export function whileAway(scene: RecorderScene): void {
  describe('while ClickHouse is away', () => {
    test('the recorder keeps its group membership and shows in a metric that a partition waits, and continues when ClickHouse is back', async () => {
      const lines: string[] = [];
      const destination = { write: (line: string) => void lines.push(line) };
      const recorder = await scene.recording.record({
        sessionTimeoutMs: 300,
        retentionMs: 200,
        log: createLogger({ name: 'recorder', destination }),
      });
      await recorder.caughtUp();
      await until(async () => (await metric(recorder, 'mandate_recorder_lag_records')) === 0);
      lines.length = 0;
      await scene.audit.command('RENAME TABLE decisions TO decisions_away');
      const records = scene.fresh(30).map((n) => decided(n));
      await scene.recording.append(records);
      await until(async () => (await metric(recorder, 'mandate_recorder_lag_records')) === 30);
      await until(async () => (await metric(recorder, 'mandate_recorder_waits_total')) >= 4);
      await until(() => lines.some((line) => line.includes('records will soon be gone')));

      await scene.audit.command('RENAME TABLE decisions_away TO decisions');
      await recorder.caughtUp();
      expect((await everyDecision(scene.audit)).sort()).toEqual(idsOf(records).sort());
      await until(async () => (await metric(recorder, 'mandate_recorder_lag_records')) === 0);
      await recorder.stop();
      const alarms = lines.filter((line) => line.includes('records will soon be gone'));
      expect(alarms.length).toBeLessThanOrEqual(2);
      expect(lines.filter((line) => /went to another|expelled/.test(line))).toEqual([]);
    });

    test('the recorder stops without waiting for ClickHouse, and the next recorder records everything', async () => {
      await scene.audit.command('RENAME TABLE decisions TO decisions_away');
      const recorder = await scene.recording.record();
      const records = scene.fresh(10).map((n) => decided(n));
      await scene.recording.append(records);
      await until(async () => (await metric(recorder, 'mandate_recorder_waits_total')) >= 1);
      const waiting = recorder.caughtUp();
      const left = expect(waiting).rejects.toThrow('the recorder stopped');
      await recorder.stop();
      await left;
      await scene.audit.command('RENAME TABLE decisions_away TO decisions');
      await scene.recordAll();
      expect((await everyDecision(scene.audit)).sort()).toEqual(idsOf(records).sort());
    });
  });
}
