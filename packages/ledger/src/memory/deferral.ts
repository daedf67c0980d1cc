/** A deferred action: what its agent asked, when, and the slots that it holds. */
import type { Limit } from '@mandate/schemas';
import type { SlidingRate } from '@mandate/step';
import type { DeferralReference } from '../port.ts';

export type Deferral = Readonly<DeferralReference> & {
  readonly atMs: number;
  /** As long as the decision is remembered, the action waits. */
  readonly forgetAtMs: number;
  /** Each once. */
  readonly rates: readonly SlidingRate[];
};

/** How long the question that these limits ask lives at least; 0: as long as ids are remembered. */
export function questionMsIn(limits: readonly Limit[]): number {
  return limits.find((limit) => limit.kind === 'confirmation')?.questionMs ?? 0;
}

/** Shared by agents of which nothing waits, as nearly all are. */
export const NONE_WAIT: readonly Deferral[] = [];
