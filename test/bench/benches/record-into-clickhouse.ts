/**
 * Measures how fast decisions on the log become rows in ClickHouse, in this process or over HTTP. The rival inserts
 * the same rows, made by the recorder in an earlier run, with the same client in the same batches. It reads no log,
 * checks nothing and commits nothing.
 */
import type { AuditClient } from '@mandate/audit';
import type { Outgoing } from '@mandate/bus';
import { startRecorder } from '@mandate/recorder';
import { silentLogger } from '@mandate/runtime';
import { TOPICS } from '@mandate/schemas';
import { createMetrics } from '@mandate/server';
import { compare } from '../measure/compare.ts';
import { measureWork, type Work } from '../measure/work.ts';
import type { Row } from '../row.ts';
import { newDecisions } from '../workload/decided.ts';
import { auditOverHttp, emptyTables, temporaryAudit } from '../workload/temporary-audit.ts';
import { appendAll, temporaryLog } from '../workload/temporary-log.ts';

const DECISIONS = 20_000;

type Insert = { table: string; rows: readonly object[] };

export async function recordIntoClickHouse(): Promise<Row[]> {
  await using held = await temporaryAudit();
  return await compareRecording('recorder: log → ClickHouse', held.audit);
}

export async function recordOverHttp(): Promise<Row[]> {
  await using held = await auditOverHttp();
  return await compareRecording('recorder: log → ClickHouse over HTTP', held.audit);
}

async function compareRecording(what: string, audit: AuditClient): Promise<Row[]> {
  const decisions = await newDecisions(DECISIONS);
  const inserts: Insert[] = [];
  await recording(noting(audit, inserts), decisions);
  return await compare({
    pairs: 5,
    ours: () => recording(audit, decisions),
    rival: {
      what: 'client.insert of the same rows',
      run: async () => {
        await emptyTables(audit);
        return await measureWork(DECISIONS, async () => {
          for (const { table, rows } of inserts) await audit.insert(table, rows);
        });
      },
    },
    figures: { perSecond: { what, unit: '/s' } },
  });
}

async function recording(audit: AuditClient, decisions: readonly Outgoing[]): Promise<Work> {
  await emptyTables(audit);
  await using log = await temporaryLog();
  const { bus } = log;
  await appendAll(bus, TOPICS.decisions, decisions);
  return await measureWork(DECISIONS, async () => {
    const metrics = createMetrics({ service: 'bench' });
    const recorder = await startRecorder({ bus, audit, log: silentLogger(), metrics });
    await recorder.caughtUp();
    await recorder.stop();
  });
}

function noting(audit: AuditClient, inserts: Insert[]): AuditClient {
  return {
    ...audit,
    async insert(table, rows) {
      inserts.push({ table, rows });
      await audit.insert(table, rows);
    },
  };
}
