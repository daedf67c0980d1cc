/**
 * ClickHouse away for a while and back, under a recorder that goes on: killed in the middle of inserts and started again
 * on its folder, or stopped so that requests hang and are given up, though the server carries them out later. No row is
 * lost, and none is doubled in any answer, during or afterwards.
 */
import { ask, chargesByAgent, recordedByPartition, searchSettlements } from '@mandate/audit';
import { isMandateError } from '@mandate/runtime';
import { describeWithOwnServers, startClickHouse, waitUntil } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { decided, epochBegan, settled } from '../e2e/audit/log-records.ts';
import { everyDecision, openRecording, type Recording } from '../e2e/audit/recording.ts';
import { openTablesOn } from '../e2e/audit/server-tables.ts';

const ROUNDS = 4;
/** How long the recorder waits for a request: the shorter, the more of them are given up while the server hangs. */
const PATIENCE_MS = 500;

type Measured = Awaited<ReturnType<Recording['record']>>;

describeWithOwnServers(['clickhouse'], 'ClickHouse', () => {
  test.each([
    ['killed and started again', 'kill'],
    ['hanging for a while', 'pause'],
  ] as const)('%s under a recorder: every row once, in every answer', async (_, fault) => {
    await using server = await startClickHouse();
    const recording = await openRecording(undefined, () =>
      openTablesOn(server.url, { timeoutMs: PATIENCE_MS }),
    );
    onTestFinished(() => recording.close());
    const { audit } = recording;
    for (const partition of [0, 1]) await recording.append([epochBegan('ep-1')], partition);
    const recorder = await recording.record({ maxBatch: 200 });
    const flow = produce(recording);
    const asking = askAllAlong(recording);
    onTestFinished(() => void [flow.stop(), asking.stop()]);

    for (let round = 0; round < ROUNDS; round += 1) {
      const rows = await metric(recorder, 'mandate_recorder_rows_total');
      await waitUntil(
        'rows land',
        async () => (await metric(recorder, 'mandate_recorder_rows_total')) > rows,
      );
      const waits = await metric(recorder, 'mandate_recorder_waits_total');
      if (fault === 'kill') await server.kill();
      else server.pause();
      await waitUntil('it is missed', async () => {
        return (await metric(recorder, 'mandate_recorder_waits_total')) >= waits + 3;
      });
      if (fault === 'kill') await server.restart();
      else server.resume();
    }
    await flow.stop();
    await recorder.caughtUp();
    await asking.stop();
    expect(asking.answers()).toBeGreaterThan(0);

    const produced = flow.produced();
    const expected = Array.from({ length: produced }, (_, n) => decided(n).decision.id);
    expect(await everyDecision(audit)).toEqual(expected.toReversed());
    const charged = await ask(audit, chargesByAgent, { tenant: 'acme' });
    expect(charged.reduce((sum, row) => sum + row.chargedMicros, 0)).toBe(produced * 100_000);
    expect(charged.reduce((sum, row) => sum + row.settledMicros, 0)).toBe(produced * -10_000);
    const [newest] = await ask(audit, searchSettlements, { tenant: 'acme', limit: 1 });
    expect(newest?.actionId).toBe(`act-${produced - 1}`);
    const tables = await ask(audit, recordedByPartition, {});
    expect(tables.filter(({ table }) => table === 'quarantine')).toEqual([]);
  });
});

/** Appends decisions with their settlements, now and then one again, for as long as it is not stopped. */
function produce(recording: Recording) {
  let isOn = true;
  let n = 0;
  const done = (async () => {
    for (; isOn; n += 10) {
      const numbers = Array.from({ length: 10 }, (_, index) => n + index);
      const records = numbers.flatMap((number) => [decided(number), settled(number)]);
      await recording.append([...records, decided(Math.max(0, n - 30))]);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  })();
  return {
    produced: () => n,
    stop() {
      isOn = false;
      return done;
    },
  };
}

/** Asks again and again: what is answered holds no decision twice, and no answer takes one back. */
function askAllAlong({ audit }: Recording) {
  let isOn = true;
  let answers = 0;
  const done = (async () => {
    let most = 0;
    while (isOn) {
      try {
        const [ids, charged] = [
          await everyDecision(audit),
          await ask(audit, chargesByAgent, { tenant: 'acme' }),
        ];
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids.length).toBeGreaterThanOrEqual(most);
        expect(charged.reduce((sum, row) => sum + row.chargedMicros, 0) % 100_000).toBe(0);
        most = ids.length;
        answers += 1;
      } catch (error) {
        if (!isMandateError(error, 'AUDIT_UNAVAILABLE')) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  // Told by `stop`, which every test awaits.
  done.catch(() => {});
  return {
    answers: () => answers,
    stop() {
      isOn = false;
      return done;
    },
  };
}

async function metric({ metrics }: Measured, name: string): Promise<number> {
  const { values } = (await metrics.registry.getSingleMetric(name)?.get()) ?? { values: [] };
  return values.reduce((sum, { value }) => sum + value, 0);
}
