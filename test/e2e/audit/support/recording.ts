/**
 * A log in a temporary folder, audit tables in the folder or on a server, and recorders that read the log and fill
 * the tables.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AuditClient,
  ask,
  MIGRATIONS_DIRECTORY,
  migrate,
  openEmbeddedAudit,
  searchDecisions,
} from '@mandate/audit';
import { type Bus, createSqliteBus } from '@mandate/bus';
import { type Recorder, type RecorderOptions, startRecorder } from '@mandate/recorder';
import { type Logger, silentLogger } from '@mandate/runtime';
import { agentKey, type DecisionsRecord, TOPICS } from '@mandate/schemas';
import { createMetrics, type Metrics } from '@mandate/server';

const PARTITIONS = 2;

export type Recording = {
  folder: string;
  bus: Bus;
  audit: AuditClient;
  /**
   * Appends records to the decisions topic: all to one partition, or by the key of each record's agent. Returns the
   * offset after each record.
   */
  append(records: readonly (DecisionsRecord | Uint8Array)[], partition?: number): Promise<number[]>;
  /** Starts a recorder. If the test does not stop the recorder, `close` stops it. */
  record(options?: Partial<RecorderOptions>): Promise<Recorder & { metrics: Metrics }>;
  close(): Promise<void>;
};

export function openLog(folder: string): Promise<Bus> {
  return createSqliteBus({ path: join(folder, 'log.sqlite'), log: silentLogger(), partitions: PARTITIONS });
}

export async function openTables(folder: string): Promise<AuditClient> {
  const audit = await openEmbeddedAudit({ path: join(folder, 'audit') });
  await migrate(audit, MIGRATIONS_DIRECTORY);
  return audit;
}

/** Opens audit tables for one recording, which closes them at its end. */
export type OpenTables = (folder: string) => Promise<AuditClient>;

export async function openRecording(
  folder = mkdtempSync(join(tmpdir(), 'mandate-recording-')),
  open: OpenTables = openTables,
): Promise<Recording> {
  const log: Logger = silentLogger();
  const bus = await openLog(folder);
  const audit = await open(folder);
  const recorders = new Set<Recorder>();
  return {
    folder,
    bus,
    audit,
    async append(records, partition) {
      const acks = await bus.append(
        TOPICS.decisions,
        records.map((record) => ({
          key: keyOf(record),
          value: record instanceof Uint8Array ? record : JSON.stringify(record),
          ...(partition === undefined ? {} : { partition }),
        })),
      );
      return acks.map(({ position }) => position.offset);
    },
    async record(options = {}) {
      const metrics = createMetrics({ service: 'test' });
      const recorder = await startRecorder({
        bus,
        audit,
        log,
        metrics,
        gatherMs: 10,
        lagEveryMs: 20,
        ...options,
      });
      recorders.add(recorder);
      return {
        ...recorder,
        metrics,
        stop: async () => {
          recorders.delete(recorder);
          await recorder.stop();
        },
      };
    },
    async close() {
      await Promise.all([...recorders].map((recorder) => recorder.stop()));
      await bus.close();
      await audit.close();
      rmSync(folder, { recursive: true });
    },
  };
}

function keyOf(record: DecisionsRecord | Uint8Array): string | null {
  if (record instanceof Uint8Array) return null;
  if (record.event === 'action.decided') return agentKey(record.decision.tenant, record.decision.agentId);
  if (record.event === 'action.settled') return agentKey(record.settlement.tenant, record.settlement.agentId);
  return null;
}

/** Returns the ids of all decisions in the audit, newest first. Reads page by page. */
export async function everyDecision(audit: AuditClient, tenant = 'acme', limit = 1_000): Promise<string[]> {
  const ids: string[] = [];
  for (;;) {
    const page = await ask(audit, searchDecisions, { tenant, limit, before: ids.at(-1) });
    ids.push(...page.map(({ id }) => id));
    if (page.length < limit) return ids;
  }
}
