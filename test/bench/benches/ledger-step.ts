/**
 * Measures the atomic step on the memory ledger, in batches of the decider's size. A step covers replay memory, kill
 * switch, three budgets, two rates, then the confirmation that the decisions are on the log. The rival is the
 * smallest possible counter: get, compare, set.
 */
import { createMemoryLedger } from '@mandate/ledger';
import { systemClock } from '@mandate/runtime';
import { compare } from '../measure/compare.ts';
import { measureWork, type Work } from '../measure/work.ts';
import type { Row } from '../row.ts';
import { mandateDocument, mandateOf } from '../workload/mandate.ts';
import { stepRequests } from '../workload/step-requests.ts';

const STEPS = 50_000;
const BATCH = 500;

export async function ledgerStep(): Promise<Row[]> {
  return compare({
    pairs: 7,
    ours: steps,
    rival: { what: 'Map: get, compare, set', run: counting },
    figures: { perSecond: { what: 'ledger in memory: step + confirm', unit: '/s' } },
  });
}

const mandate = mandateOf(mandateDocument({ globs: 10 }));

async function steps(): Promise<Work> {
  const ledger = createMemoryLedger({ clock: systemClock, epoch: 'ep_bench' });
  const requests = stepRequests(STEPS, mandate);
  let charged = 0;
  const work = await measureWork(STEPS, async () => {
    for (let from = 0; from < STEPS; from += BATCH) {
      const batch = requests.slice(from, from + BATCH);
      const results = await ledger.step(batch);
      await ledger.confirm(ledger.epoch, batch);
      for (const result of results) if (result.kind === 'decided') charged += result.facts.chargedMicros;
    }
  });
  await ledger.close();
  if (charged === 0) throw new Error('nothing was charged');
  return work;
}

async function counting(): Promise<Work> {
  const keys = stepRequests(STEPS, mandate).map(({ tenant, agentId }) => `${tenant}/${agentId}`);
  const counters = new Map<string, number>();
  return await measureWork(STEPS, () => {
    for (const key of keys) {
      const count = counters.get(key) ?? 0;
      if (count < STEPS) counters.set(key, count + 1);
    }
  });
}
