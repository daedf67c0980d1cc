/** The model's final charge. It first uses the table of docs/mandates.md, and then the caps of the plan. */
import type { CounterUnit, SettleRequest, UnitSettling } from '@mandate/schemas';
import type { DecideEvent } from './history.ts';

type Plan = DecideEvent['request']['plan'];
type Outcome = Pick<SettleRequest, 'status' | 'actualMicros' | 'usage' | 'verified' | 'mayRelease'>;

export type FinalCost = { micros: number; excess: number; released: number; refused: boolean };

/** Returns the price of the outcome's token usage, computed with bigints. Null if the usage has no price. */
export function usageCost(
  { tokenPrices }: Pick<Plan['settling'], 'tokenPrices'>,
  { usage }: Pick<Outcome, 'usage'>,
): number | null {
  if (tokenPrices === undefined || usage === undefined) return null;
  const { inputTokens, cachedInputTokens = 0, cacheWriteTokens = 0, outputTokens } = usage;
  const others = inputTokens - cachedInputTokens - cacheWriteTokens;
  const costs = tokenPrices
    .filter(({ fromInputTokens }) => fromInputTokens <= inputTokens)
    .map((price) => {
      const millionths =
        BigInt(others) * BigInt(price.inputMicros) +
        BigInt(cachedInputTokens) * BigInt(price.cachedInputMicros) +
        BigInt(cacheWriteTokens) * BigInt(price.cacheWriteMicros) +
        BigInt(outputTokens) * BigInt(price.outputMicros);
      return (millionths + 999_999n) / 1_000_000n + BigInt(price.perCallMicros);
    });
  const most = costs.reduce((one, other) => (one > other ? one : other), 0n);
  return most > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(most);
}

/** Returns the cost that the outcome states, or that its token usage states. Null if neither is known. */
export function statedCost(settling: Plan['settling'], outcome: Outcome): number | null {
  const costs = [outcome.actualMicros, usageCost(settling, outcome)].filter((cost) => cost !== null);
  return costs.length === 0 ? null : Math.max(...costs);
}

/**
 * @param reserved the amount that the ALLOW was charged
 * @param released the amount that the agent's own reports released so far, minus the amount that successes allow
 * again
 */
export function finalCost(
  { charging, settling }: Pick<Plan, 'charging' | 'settling'>,
  outcome: Outcome,
  { reserved, released }: { reserved: number; released: number },
): FinalCost {
  const held = Math.max(0, released);
  const bounded = !outcome.mayRelease && settling.releases !== null;
  const nothing: FinalCost = { micros: 0, excess: 0, released: 0, refused: false };
  if (outcome.status === 'cancelled' && !bounded) return nothing;
  const stated = statedCost(settling, outcome);
  const isMetered = charging.type !== 'TIERED' && stated !== null;
  const excess = isMetered ? Math.max(0, stated - settling.mostMicros) : 0;
  const metered = isMetered ? stated - excess : null;
  if (outcome.status === 'success' && outcome.verified !== false) {
    const isTrusted = outcome.mayRelease || usageCost(settling, outcome) !== null;
    const least = isTrusted ? settling.leastMicros : settling.ownLeastMicros;
    const micros = Math.max(least, ofSuccess(charging, metered, outcome.verified === true));
    const room = Number((BigInt(micros) * BigInt(settling.releases?.percent ?? 0)) / 100n);
    return { ...nothing, micros, excess, released: -Math.min(held, room) || 0 };
  }
  const micros = ofFailure(charging, metered);
  const back = reserved - micros;
  if (!bounded || back <= 0) return { ...nothing, micros, excess };
  const most = settling.releases?.micros ?? 0;
  return BigInt(held) + BigInt(back) > BigInt(most)
    ? { ...nothing, micros: reserved, excess, refused: true }
    : { ...nothing, micros, excess, released: back };
}

function ofSuccess(charging: Plan['charging'], metered: number | null, verified: boolean): number {
  switch (charging.type) {
    case 'SUCCESS_BASED':
      return metered === null ? charging.estimateMicros : metered;
    case 'ATTEMPT_BASED':
      return metered !== null && metered > charging.estimateMicros ? metered : charging.estimateMicros;
    case 'TIERED': {
      const tiers = [charging.attemptMicros, charging.successMicros];
      if (verified) tiers.push(charging.verificationMicros);
      const sum = tiers.reduce((one, other) => one + other, 0);
      return Math.min(sum, Number.MAX_SAFE_INTEGER);
    }
    case 'COMPOSED': {
      const kept = verified ? charging.verifiedMicros : charging.succeededMicros;
      return Math.max(kept, metered ?? charging.estimateMicros);
    }
  }
}

function ofFailure(charging: Plan['charging'], metered: number | null): number {
  if (charging.type === 'TIERED') return charging.attemptMicros;
  const kept = {
    SUCCESS_BASED: () => 0,
    ATTEMPT_BASED: () => (charging.type === 'ATTEMPT_BASED' ? charging.estimateMicros : 0),
    COMPOSED: () => (charging.type === 'COMPOSED' ? charging.failedMicros : 0),
  }[charging.type]();
  return Math.max(kept, metered ?? 0);
}

/**
 * Returns what an outcome charges in a unit, by the same table: the reported amount, or the reserved amount if none is
 * reported.
 */
export function finalInUnit(
  unit: CounterUnit,
  { charging, most, releases }: UnitSettling,
  { status, verified, usage, toolCalls, mayRelease }: Outcome & Pick<SettleRequest, 'toolCalls'>,
  { reserved, released }: { reserved: number; released: number },
): { amount: number; excess: number; released: number; refused: boolean } {
  const isFree = mayRelease || releases === null;
  const nothing = { excess: 0, released: 0, refused: false };
  if (status === 'cancelled' && isFree) return { ...nothing, amount: 0 };
  const tokens = usage === undefined ? null : usage.inputTokens + usage.outputTokens;
  const stated = unit === 'tokens' ? tokens : (toolCalls ?? null);
  const excess = stated === null ? 0 : Math.max(0, stated - most);
  const used = stated === null ? null : stated - excess;
  const held = Math.max(0, released);
  if (status === 'success' && verified !== false) {
    const least = charging === 'ATTEMPT_BASED' ? reserved : 0;
    const amount = used === null ? reserved : Math.max(least, used);
    const room = Number((BigInt(amount) * BigInt(releases?.percent ?? 0)) / 100n);
    return { amount, excess, released: -Math.min(held, room) || 0, refused: false };
  }
  const amount = charging === 'ATTEMPT_BASED' ? Math.max(reserved, used ?? 0) : (used ?? 0);
  const back = reserved - amount;
  if (isFree || back <= 0) return { ...nothing, amount, excess };
  return BigInt(held) + BigInt(back) > BigInt(releases.amount)
    ? { amount: reserved, excess, released: 0, refused: true }
    : { amount, excess, released: back, refused: false };
}
