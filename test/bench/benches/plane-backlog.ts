/**
 * Measures decider and recorder in one process, as `mandate up` runs them, until every waiting request has a decision
 * in ClickHouse. The rival moves the same records through the same two topics and does nothing with them.
 */
import type { AuditClient } from '@mandate/audit';
import { startRecorder } from '@mandate/recorder';
import { silentLogger } from '@mandate/runtime';
import { TOPICS } from '@mandate/schemas';
import { createMetrics } from '@mandate/server';
import { compare } from '../measure/compare.ts';
import { measureWork, type Work } from '../measure/work.ts';
import type { Row } from '../row.ts';
import { newDecisions } from '../workload/decided.ts';
import { decideOn, newLedger } from '../workload/decider.ts';
import { passThrough, takeOnly } from '../workload/pass-through.ts';
import { newRequests } from '../workload/requests.ts';
import { emptyTables, temporaryAudit } from '../workload/temporary-audit.ts';
import { appendAll, temporaryLog } from '../workload/temporary-log.ts';

const ACTIONS = 10_000;

export async function planeBacklog(): Promise<Row[]> {
  const answers = await newDecisions(ACTIONS);
  await using held = await temporaryAudit();
  return await compare({
    pairs: 3,
    ours: () => decidingAndRecording(held.audit),
    rival: {
      what: 'the log alone, both topics',
      run: async () => {
        await using log = await temporaryLog();
        const { bus } = log;
        await appendAll(bus, TOPICS.actions, newRequests(ACTIONS));
        return await measureWork(ACTIONS, async () => {
          const second = await takeOnly(bus);
          const first = await passThrough(bus, answers);
          await first.caughtUp();
          await second.caughtUp();
          await Promise.all([first.stop(), second.stop()]);
        });
      },
    },
    figures: { perSecond: { what: 'decisions from a backlog: into ClickHouse', unit: '/s' } },
  });
}

async function decidingAndRecording(audit: AuditClient): Promise<Work> {
  await emptyTables(audit);
  await using log = await temporaryLog();
  const { bus } = log;
  await appendAll(bus, TOPICS.actions, newRequests(ACTIONS));
  const ledger = await newLedger(bus);
  return await measureWork(ACTIONS, async () => {
    const metrics = createMetrics({ service: 'bench' });
    const recorder = await startRecorder({ bus, audit, log: silentLogger(), metrics });
    const decider = await decideOn(bus, ledger);
    await decider.caughtUp();
    await recorder.caughtUp();
    await decider.stop();
    await recorder.stop();
  });
}
