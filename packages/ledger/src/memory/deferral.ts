/** A deferred action: the request, its time, and its slots. */
import type { Limit } from '@mandate/schemas';
import type { SlidingRate } from '@mandate/step';
import type { DeferralReference } from '../port.ts';

export type Deferral = Readonly<DeferralReference> & {
  readonly atMs: number;
  /** The time until which the action waits. Its decision is remembered until the same time. */
  readonly forgetAtMs: number;
  /** The rates in which the action has a slot, each rate once. */
  readonly rates: readonly SlidingRate[];
};

/** Returns in ms how long a question about these limits is kept at least. 0 means as long as ids are remembered. */
export function questionMsIn(limits: readonly Limit[]): number {
  return limits.find((limit) => limit.kind === 'confirmation')?.questionMs ?? 0;
}

/** Nearly all agents have no waiting action. They share this empty list. */
export const NONE_WAIT: readonly Deferral[] = [];
