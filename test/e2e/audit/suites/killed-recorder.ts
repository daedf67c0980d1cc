/**
 * Kills a recorder again and again, at random moments, while records arrive. No row may be missing, and none may
 * count twice.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ask, chargesByAgent, recordedByPartition, searchSettlements } from '@mandate/audit';
import { TOPICS } from '@mandate/schemas';
import { byLength } from '@mandate/testing';
import { expect, test } from 'vitest';
import { decided, epochBegan, settled } from '../support/log-records.ts';
import { everyDecision, type OpenTables, openLog, openRecording } from '../support/recording.ts';

const KILLS = byLength({ short: 2, full: 5 });
/** The number of decisions on the log before the recorder starts. It is killed before it has recorded all of them. */
const AHEAD = 2_000;

/** How to open the tables: a function for this process, and arguments for the recorder processes that are killed. */
export type TablesOfSeveral = { open: OpenTables; args: readonly string[] };

function startProcess(folder: string, args: readonly string[]): ChildProcess {
  const script = join(import.meta.dirname, '../support/recorder-process.fixture.ts');
  return spawn(process.execPath, [script, folder, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
}

export function killedRecorder(tables: () => Promise<TablesOfSeveral>): void {
  test(`after ${KILLS} kills the audit has each decision once, and every row`, async () => {
    const { open, args } = await tables();
    const folder = mkdtempSync(join(tmpdir(), 'mandate-killed-'));
    const bus = await openLog(folder);
    // The state of the producer. `mayReach` limits the number of decisions that it has appended, because otherwise a
    // slow machine could never catch up.
    const flow = { isOn: true, mayReach: AHEAD, decisions: 0, voided: 0 };

    /**
     * Appends records in bursts: decisions, their settlements, some repetitions, and some decisions of an older
     * ledger.
     */
    async function produce(): Promise<void> {
      const epoch = JSON.stringify(epochBegan('ep-2'));
      await bus.append(
        TOPICS.decisions,
        [0, 1].map((partition) => ({ key: null, value: epoch, partition })),
      );
      for (let n = 0; flow.isOn; n += 20) {
        const numbers = Array.from({ length: 20 }, (_, index) => n + index);
        const records = numbers.flatMap((number) => [
          decided(number, { ledgerEpoch: 'ep-2' }),
          settled(number, { ledgerEpoch: 'ep-2' }),
          ...(number % 7 === 0 ? [decided(Math.max(0, number - 30), { ledgerEpoch: 'ep-2' })] : []),
          ...(number % 11 === 0 ? [decided(number, { id: `dec-void-${number}`, ledgerEpoch: 'ep-1' })] : []),
        ]);
        await bus.append(
          TOPICS.decisions,
          records.map((record) => ({
            key: record.event === 'action.decided' ? record.decision.agentId : record.settlement.agentId,
            value: JSON.stringify(record),
          })),
        );
        flow.decisions = n + 20;
        flow.voided += numbers.filter((number) => number % 11 === 0).length;
        do await pause(3);
        while (flow.isOn && flow.decisions >= flow.mayReach);
      }
    }
    const producing = produce();

    for (let kills = 0; kills < KILLS; kills += 1) {
      const child = startProcess(folder, args);
      const exited = once(child, 'exit');
      if (child.stdout === null) throw new Error('no stdout');
      // The recorder has just committed a batch, so the kill hits the next batch.
      await once(child.stdout, 'data');
      await pause(Math.random() * 150);
      child.kill('SIGKILL');
      await exited;
      flow.mayReach = flow.decisions + AHEAD;
    }
    flow.isOn = false;
    await producing;
    await bus.close();

    const recording = await openRecording(folder, open);
    const { audit } = recording;
    const recorder = await recording.record({ maxBatch: 500 });
    await recorder.caughtUp();

    const expected = Array.from({ length: flow.decisions }, (_, n) => decided(n).decision.id);
    expect(await everyDecision(audit)).toEqual(expected.toReversed());
    const charged = await ask(audit, chargesByAgent, { tenant: 'acme' });
    expect(charged.reduce((sum, row) => sum + row.chargedMicros, 0)).toBe(flow.decisions * 100_000);
    expect(charged.reduce((sum, row) => sum + row.settledMicros, 0)).toBe(flow.decisions * -10_000);
    const [newest] = await ask(audit, searchSettlements, { tenant: 'acme', limit: 1 });
    expect(newest?.actionId).toBe(`act-${flow.decisions - 1}`);
    const rows = await ask(audit, recordedByPartition, {});
    const inTable = (table: string) => rows.filter((row) => row.table === table);
    expect(inTable('decisions').reduce((sum, row) => sum + row.voidRows, 0)).toBe(flow.voided);
    expect(inTable('settlements').reduce((sum, row) => sum + row.rows, 0)).toBe(flow.decisions);
    expect(inTable('quarantine')).toEqual([]);
    await recording.close();
  });
}
