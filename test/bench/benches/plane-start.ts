/**
 * Starts `mandate up` as a user does, and measures until it prints its URL: on an empty folder, and on a folder with
 * history.
 */
import { join } from 'node:path';
import { ask, identity, MIGRATIONS_DIRECTORY, migrate, openEmbeddedAudit } from '@mandate/audit';
import { type Bus, createSqliteBus, type Outgoing } from '@mandate/bus';
import { answerBatch } from '@mandate/engine';
import { createMemoryLedger } from '@mandate/ledger';
import { silentLogger, systemClock } from '@mandate/runtime';
import { recorderGroup, TOPICS } from '@mandate/schemas';
import { startPlane } from '@mandate/testing';
import { stated } from '../measure/compare.ts';
import type { Row } from '../row.ts';
import { answerContext } from '../workload/decider.ts';
import { takeOnly } from '../workload/pass-through.ts';
import { newRequests } from '../workload/requests.ts';
import { temporaryFolder } from '../workload/temporary-log.ts';

const DECISIONS = 100_000;
const BATCH = 500;

export async function planeStart(): Promise<Row[]> {
  const empty: number[] = [];
  for (let start = 0; start < 4; start++) {
    using folder = temporaryFolder();
    empty.push(await secondsUntilReady(folder.path));
  }
  using folder = temporaryFolder();
  await layDown(folder.path);
  const folding = await secondsUntilReady(folder.path);
  const again: number[] = [];
  for (let start = 0; start < 3; start++) again.push(await secondsUntilReady(folder.path));
  const decisions = `${DECISIONS.toLocaleString('en')} decisions`;
  return [
    stated('mandate up until ready: empty folder', 's', empty),
    stated(`mandate up until ready: ${decisions} to fold`, 's', [folding]),
    stated(`mandate up until ready: ${decisions}, with the snapshot of the last start`, 's', again),
  ];
}

async function secondsUntilReady(data: string): Promise<number> {
  const startMs = performance.now();
  const plane = await startPlane({ data });
  const tookMs = performance.now() - startMs;
  await plane.kill();
  return tookMs / 1_000;
}

/** Writes a log with `count` decisions that a recorder has already recorded. */
async function layDown(folder: string): Promise<void> {
  const bus = await createSqliteBus({ path: join(folder, 'log.sqlite'), log: silentLogger() });
  const context = answerContext(createMemoryLedger({ clock: systemClock, epoch: 'ep_bench' }));
  for (let done = 0; done < DECISIONS; done += BATCH) {
    const incoming = newRequests(BATCH).map(({ key, value }, index) => ({
      source: { topic: TOPICS.actions, partition: 0, offset: done + index },
      appendedAtMs: Date.now(),
      key,
      value: Buffer.from(value),
    }));
    const { answers, operations } = await answerBatch(incoming, context);
    await bus.append(
      TOPICS.decisions,
      answers.flatMap((answer): Outgoing[] =>
        answer.kind === 'published' ? [] : [{ key: answer.key, value: JSON.stringify(answer.record) }],
      ),
    );
    await context.ledger.confirm(context.ledger.epoch, operations);
  }
  await markRecorded(bus, folder);
  await bus.close();
}

async function markRecorded(bus: Bus, folder: string): Promise<void> {
  const audit = await openEmbeddedAudit({ path: join(folder, 'audit') });
  await migrate(audit, MIGRATIONS_DIRECTORY);
  const [tables] = await ask(audit, identity, {});
  await audit.close();
  const recorder = await takeOnly(bus, recorderGroup(tables?.id ?? ''));
  await recorder.caughtUp();
  await recorder.stop();
}
