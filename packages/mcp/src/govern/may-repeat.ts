/** Decides whether a call may be sent twice, from what its policies and its server state about the tool. */
import type { RunningAction } from '@mandate/sdk/plane';
import { fieldsOf } from '../messages/fields-of.ts';
import type { Hints } from './known-tools.ts';

/**
 * Returns true if a repeated call has no further effect. A policy can state whether the tool may be repeated. Then the
 * server's hints do not count. If policies contradict each other, the result is false.
 */
export function mayRepeat(
  hints: Hints | null,
  { checks }: Pick<RunningAction['decision'], 'checks'>,
): boolean {
  const stated = checks
    .filter(({ check }) => check === 'tool-facts')
    .flatMap(({ evidence }) => fieldsOf(evidence).idempotent ?? []);
  if (stated.length > 0) return stated.every((idempotent) => idempotent === true);
  return saysServer(hints ?? {});
}

/** A tool that only reads may be repeated, unless the server contradicts itself and also calls it destructive. */
function saysServer({ idempotent, readOnly, destructive }: Hints): boolean {
  return idempotent === true || (readOnly === true && destructive !== true);
}
