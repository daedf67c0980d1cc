/**
 * Makes decisions in the form in which a decider writes them. Rivals read and write the same records, so Mandate and
 * its rivals handle exactly the same bytes.
 */
import type { Bus, Outgoing } from '@mandate/bus';
import { TOPICS } from '@mandate/schemas';
import { decideOn, newLedger } from './decider.ts';
import { newRequests } from './requests.ts';
import { appendAll, temporaryLog } from './temporary-log.ts';

/** Returns `count` decisions, in log order. */
export async function newDecisions(count: number): Promise<Outgoing[]> {
  await using log = await temporaryLog();
  const { bus } = log;
  await appendAll(bus, TOPICS.actions, newRequests(count));
  const decider = await decideOn(bus, await newLedger(bus));
  await decider.caughtUp();
  await decider.stop();
  const decisions = await decisionsOn(bus);
  if (decisions.length !== count) throw new Error(`${decisions.length} decisions for ${count} actions`);
  return decisions;
}

async function decisionsOn(bus: Bus): Promise<Outgoing[]> {
  const decisions: Outgoing[] = [];
  const reader = await bus.read({
    topics: [TOPICS.decisions],
    from: 'earliest',
    onRecords(records) {
      for (const { key, value } of records) {
        if (key !== null) decisions.push({ key, value: new TextDecoder().decode(value) });
      }
    },
  });
  await reader.caughtUp;
  await reader.stop();
  return decisions;
}
