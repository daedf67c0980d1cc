/** A deferred action: the request, its time, and the slots that it holds. */
import type { Limit } from '@mandate/schemas';
import type { SlidingRate } from '@mandate/step';
import type { DeferralReference } from '../port.ts';

export type Deferral = Readonly<DeferralReference> & {
  readonly atMs: number;
  /** The action waits as long as its decision is remembered. */
  readonly forgetAtMs: number;
  /** Each rate once. */
  readonly rates: readonly SlidingRate[];
};

/** Returns how long the question of these limits is kept at least, in ms. 0: as long as ids are remembered. */
export function questionMsIn(limits: readonly Limit[]): number {
  return limits.find((limit) => limit.kind === 'confirmation')?.questionMs ?? 0;
}

/** Shared by all agents without a waiting action, which are nearly all. */
export const NONE_WAIT: readonly Deferral[] = [];
