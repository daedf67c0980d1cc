/** A real log and real tables for tests of the recorder. */
import { setTimeout as pause } from 'node:timers/promises';
import type { AuditClient } from '@mandate/audit';
import type { DecisionsRecord } from '@mandate/schemas';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { epochBegan } from './log-records.ts';
import { type OpenTables, openRecording, type Recording } from './recording.ts';

export const TABLES = [
  'rollup_marks',
  'rollup_sums',
  'decisions',
  'settlements',
  'control_events',
  'dead_letters',
  'republications',
  'audit_reads',
  'quarantine',
  'kept_from',
];

/**
 * One log and one set of tables for all tests of a file. The tables are emptied before each test, but the log keeps
 * its records.
 */
export type RecorderScene = {
  readonly recording: Recording;
  readonly audit: AuditClient;
  /** Returns a number that it has not returned before in this file, so that ids on the log never repeat. */
  next(): number;
  fresh(count: number): number[];
  /** Records everything on the log, and stops. */
  recordAll(options?: Parameters<Recording['record']>[0]): Promise<void>;
  emptyTables(): Promise<void>;
};

/** Returns the scene. Call this function inside `describe`. The scene is opened before the first test runs. */
export function recorderScene(open: OpenTables): RecorderScene {
  let recording: Recording;
  let serial = 0;
  const next = () => serial++;
  beforeAll(async () => {
    recording = await openRecording(undefined, open);
  });
  const emptyTables = async () => {
    for (const table of TABLES) await recording.audit.command(`TRUNCATE TABLE ${table}`);
  };
  beforeEach(async () => {
    await emptyTables();
    for (const partition of [0, 1]) await recording.append([epochBegan('ep-1')], partition);
  });
  afterAll(() => recording.close());
  return {
    get recording() {
      return recording;
    },
    get audit() {
      return recording.audit;
    },
    next,
    fresh: (count) => Array.from({ length: count }, next),
    emptyTables,
    async recordAll(options = {}) {
      const recorder = await recording.record(options);
      await recorder.caughtUp();
      await recorder.stop();
    },
  };
}

export const idsOf = (records: readonly DecisionsRecord[]) =>
  records.flatMap((record) => (record.event === 'action.decided' ? [record.decision.id] : []));

export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await pause(5);
}

export async function metric(
  recorder: Awaited<ReturnType<Recording['record']>>,
  name: string,
): Promise<number> {
  const { values } = (await recorder.metrics.registry.getSingleMetric(name)?.get()) ?? { values: [] };
  return values.reduce((sum, { value }) => sum + value, 0);
}
