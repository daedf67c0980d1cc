/** A deferred action: what its agent asked, when, and the slots that it holds. */
import type { DeferralReference } from '../port.ts';
import type { SlidingRate } from './sliding-rate.ts';

export type Deferral = Readonly<DeferralReference> & {
  readonly atMs: number;
  /** As long as the decision is remembered, the action waits. */
  readonly forgetAtMs: number;
  /** Each once. */
  readonly rates: readonly SlidingRate[];
};

/** Shared by agents of which nothing waits, as nearly all are. */
export const NONE_WAIT: readonly Deferral[] = [];
