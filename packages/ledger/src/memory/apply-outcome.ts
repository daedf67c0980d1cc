/** What an outcome does to an ALLOW, once it is known what it moves: of a step, of the log. */
import type { Result } from '../charge.ts';
import { addToCounter } from './counters.ts';
import type { Entry } from './remembered.ts';

/** In the counters that the ALLOW charged. Answers false where there is nothing that it could settle. */
export function applyOutcome(
  entry: Entry,
  { deltaMicros, result }: { deltaMicros: number; result: Result },
  nowMs: number,
): boolean {
  const { lease, agent, atMs } = entry;
  if (lease === null || lease.result !== null) return false;
  for (const { counter } of lease.charges) addToCounter(counter, atMs, deltaMicros, nowMs);
  lease.chargedMicros += deltaMicros;
  lease.result = result;
  agent.tenant.running.delete(entry);
  return true;
}
