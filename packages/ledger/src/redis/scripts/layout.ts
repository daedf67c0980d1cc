/**
 * The constants that TypeScript and the Lua scripts share to encode and decode data: codes of kinds, and the order of
 * fields. lua-constants.ts writes them for Lua.
 */
import type { Limit, OutcomeResult, TokenPrice, TurnLimit, Verdict } from '@mandate/schemas';

/** The code of each kind of limit. */
export const LIMIT_KIND = {
  budget: 1,
  rate: 2,
  confirmation: 3,
  turn: 4,
  tokens: 5,
  toolCalls: 6,
} as const satisfies Record<Limit['kind'], number>;

/** The code of each count of a turn. */
export const TURN_COUNT = { tool: 1, model: 2 } as const satisfies Record<
  NonNullable<TurnLimit['counts']>,
  number
>;

/** The number for null. No amount, time or index is below zero. */
export const NONE = -1;

/**
 * The fields of the array that says how an outcome settles a lease. The amounts of its charging follow
 * (`CHARGING_TABLE`). If the call has token prices, a list of them follows.
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

/** The fields of an array that states the price of the tokens of a call. */
export const TOKEN_PRICE_FIELDS = [
  'fromInputTokens',
  'inputMicros',
  'cachedInputMicros',
  'cacheWriteMicros',
  'outputMicros',
  'perCallMicros',
] as const satisfies readonly (keyof TokenPrice)[];

/** A field of a packed delivery: `c1` is one character, `d` is a double, `B` is a byte. */
type PackedField = readonly [name: string, format: 'c1' | 'd' | 'B'];

/** The first fields of every delivery. */
export const DELIVERY_HEAD: readonly PackedField[] = [
  ['kind', 'c1'],
  ['forget_at', 'd'],
  ['call', 'd'],
  ['sequence', 'd'],
];

/** The next fields of a decision. `result`: the index in `LEASE_RESULTS`, 0 without a lease. */
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

/** A verdict is stored as its index in this list, counted from 1. */
export const VERDICT_BYTES: readonly Verdict[] = ['ALLOW', 'BLOCK', 'DEFER'];

/** The result of a lease is stored as its index in this list, counted from 1. Null: no outcome yet. */
export const LEASE_RESULTS: readonly (OutcomeResult | null)[] = [null, 'succeeded', 'failed', 'cancelled'];
