/**
 * What TypeScript and the Lua scripts must agree on when they encode and decode: codes for kinds, and the order of
 * fields. lua-constants.ts writes all of it for Lua.
 */
import type { Limit, OutcomeResult, Verdict } from '@mandate/schemas';

/** The number of each kind of limit. */
export const LIMIT_KIND = { budget: 1, rate: 2, confirmation: 3 } as const satisfies Record<
  Limit['kind'],
  number
>;

/** Stands for null, because no amount, time or index is below zero. */
export const NONE = -1;

/**
 * The array that says how an outcome settles a lease: one value for each of these fields, then the amounts of its
 * charging (`CHARGING_TABLE`).
 */
export const SETTLING_FIELDS = [
  'type',
  'leastMicros',
  'ownLeastMicros',
  'mostMicros',
  'markMicros',
  'releasesMicros',
  'percent',
  'open',
] as const;

/** A field of a packed delivery: `c1` is one character, `d` is a double, `B` is a byte. */
type PackedField = readonly [name: string, format: 'c1' | 'd' | 'B'];

/** Every delivery begins with these fields. */
export const DELIVERY_HEAD: readonly PackedField[] = [
  ['kind', 'c1'],
  ['forget_at', 'd'],
  ['call', 'd'],
  ['sequence', 'd'],
];

/** A decision continues with these fields. `result`: the index in `LEASE_RESULTS`, 0 without a lease. */
export const DECISION_BODY: readonly PackedField[] = [
  ['at', 'd'],
  ['attempt', 'd'],
  ['reserved', 'd'],
  ['expires_at', 'd'],
  ['charged', 'd'],
  ['verdict', 'B'],
  ['final', 'B'],
  ['grant_consumed', 'B'],
  ['result', 'B'],
];

/** The byte of a verdict is its index here, from 1 on. */
export const VERDICT_BYTES: readonly Verdict[] = ['ALLOW', 'BLOCK', 'DEFER'];

/** The byte of a lease's result is its index here, from 1 on. Null: no outcome so far. */
export const LEASE_RESULTS: readonly (OutcomeResult | null)[] = [null, 'succeeded', 'failed', 'cancelled'];
