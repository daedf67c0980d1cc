/**
 * Decisions per second, end to end without a network: one decider decides all waiting requests on the SQLite log. The
 * rival reads the same batches, appends the same decisions (made beforehand) and commits.
 */
import { TOPICS } from '@mandate/schemas';
import { compare } from '../measure/compare.ts';
import { measureWork, type Work } from '../measure/work.ts';
import type { Row } from '../row.ts';
import { newDecisions } from '../workload/decided.ts';
import { decideOn, newLedger } from '../workload/decider.ts';
import { passThrough } from '../workload/pass-through.ts';
import { newRequests } from '../workload/requests.ts';
import { appendAll, temporaryLog } from '../workload/temporary-log.ts';

const ACTIONS = 20_000;

export async function decideBacklog(): Promise<Row[]> {
  const answers = await newDecisions(ACTIONS);
  return await compare({
    pairs: 5,
    ours: deciding,
    rival: {
      what: 'the log alone: consume, append, commit',
      run: async () => {
        await using log = await temporaryLog();
        const { bus } = log;
        await appendAll(bus, TOPICS.actions, newRequests(ACTIONS));
        return await measureWork(ACTIONS, async () => {
          const consumer = await passThrough(bus, answers);
          await consumer.caughtUp();
          await consumer.stop();
        });
      },
    },
    figures: { perSecond: { what: 'decisions from a backlog: decider', unit: '/s' } },
  });
}

async function deciding(): Promise<Work> {
  await using log = await temporaryLog();
  const { bus } = log;
  await appendAll(bus, TOPICS.actions, newRequests(ACTIONS));
  const ledger = await newLedger(bus);
  return await measureWork(ACTIONS, async () => {
    const decider = await decideOn(bus, ledger);
    await decider.caughtUp();
    await decider.stop();
  });
}
