/**
 * Decides a file of actions offline, in the order of the file. It uses the redaction, policy, ledger and batch code
 * of a plane. The clock is virtual: the largest `requestedAt` so far, or the time of the run if no record has a
 * `requestedAt`. No deadline applies.
 */
import type { MandatesInForce } from '@mandate/policy';
import type { ContentFinders } from '@mandate/policy/governance';
import { readActionsRecord } from '@mandate/schemas';
import type { Evaluated } from '../answer-alone.ts';
import { offlineDecider, type RedactAction } from './offline-decider.ts';

/** Yields one answer for each line, in order. `runAtMs` is the time of the run. `finders`: as for `offlineDecider`. */
export async function* evaluate(
  lines: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { control, redact, finders }: { control: MandatesInForce; redact: RedactAction; finders: ContentFinders },
  runAtMs: number,
): AsyncGenerator<Evaluated> {
  let givenMs = Number.NEGATIVE_INFINITY;
  const clock = () => (givenMs === Number.NEGATIVE_INFINITY ? runAtMs : givenMs);
  const decider = offlineDecider(control, redact, clock, finders);
  for await (const value of lines) {
    givenMs = Math.max(givenMs, requestedAtMs(value));
    yield await decider.answer(value);
  }
}

/** Returns the time that the record states, or minus infinity if it states no readable time. */
function requestedAtMs(value: Uint8Array): number {
  const read = readActionsRecord(value);
  if (!read.ok || read.value.event !== 'action.requested') return Number.NEGATIVE_INFINITY;
  const { requestedAt } = read.value.action;
  return requestedAt === undefined ? Number.NEGATIVE_INFINITY : Date.parse(requestedAt);
}
