/**
 * Computes what an action is charged with in a unit other than money, after its outcome. The rules are those of money,
 * so the same function applies them. It gets the reserved amount of the unit, and the reported amount instead of the
 * actual cost.
 */
import type { SettleRequest, UnitSettled, UnitSettling } from '@mandate/schemas';
import type { CounterUnit } from '@mandate/schemas/core';
import { finalCharge } from './final-charge.ts';

type Reported = Pick<SettleRequest, 'status' | 'verified' | 'usage' | 'toolCalls' | 'mayRelease'>;

/** What an outcome states in each unit. Null if it states nothing. */
const REPORTED_IN: Readonly<
  Record<CounterUnit, (outcome: Pick<Reported, 'usage' | 'toolCalls'>) => number | null>
> = {
  tokens: ({ usage }) => (usage === undefined ? null : usage.inputTokens + usage.outputTokens),
  toolCalls: ({ toolCalls }) => toolCalls ?? null,
};

export function reportedIn(unit: CounterUnit, outcome: Pick<Reported, 'usage' | 'toolCalls'>): number | null {
  return REPORTED_IN[unit](outcome);
}

export type UnitCharge = Omit<UnitSettled, 'delta' | 'overdrawn'>;

/** @param held the present value of the agent's counter of releases in this unit */
export function unitCharge(
  unit: CounterUnit,
  { reserved, settling }: { reserved: number; settling: UnitSettling },
  outcome: Reported,
  held: number,
): UnitCharge {
  const { charging: type, most, releases } = settling;
  const { status, verified, mayRelease } = outcome;
  const { chargedMicros, excessMicros, releasedMicros, releaseRefused } = finalCharge(
    {
      reservedMicros: reserved,
      charging: { type, estimateMicros: reserved },
      settling: {
        leastMicros: 0,
        ownLeastMicros: 0,
        mostMicros: most,
        markMicros: null,
        releases: releases === null ? null : { micros: releases.amount, percent: releases.percent },
        open: false,
      },
    },
    { status, verified, actualMicros: reportedIn(unit, outcome), mayRelease },
    held,
  );
  return { charged: chargedMicros, excess: excessMicros, released: releasedMicros, releaseRefused };
}
