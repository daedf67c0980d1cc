/**
 * Computes how many tokens an action is charged with after its outcome. The rules are those of money, so the same
 * function applies them. It gets the reserved tokens instead of the reserved amount, and the reported tokens instead of
 * the actual cost.
 */
import type { SettleRequest, TokenSettling } from '@mandate/schemas';
import { finalCharge } from './final-charge.ts';

export type TokenCharge = {
  chargedTokens: number;
  /** The reported tokens above the cap. */
  excessTokens: number;
  /** The tokens to add to the agent's counter of released tokens. Negative if a success allows more releases. */
  releasedTokens: number;
  releaseRefused: boolean;
};

/** @param releasedTokens the present value of the agent's counter of released tokens */
export function tokenCharge(
  { reservedTokens, settling }: { reservedTokens: number; settling: TokenSettling },
  {
    status,
    verified,
    usage,
    mayRelease,
  }: Pick<SettleRequest, 'status' | 'verified' | 'usage' | 'mayRelease'>,
  releasedTokens: number,
): TokenCharge {
  const { charging: type, mostTokens, releases } = settling;
  const charged = finalCharge(
    {
      reservedMicros: reservedTokens,
      charging: { type, estimateMicros: reservedTokens },
      settling: {
        leastMicros: 0,
        ownLeastMicros: 0,
        mostMicros: mostTokens,
        markMicros: null,
        releases: releases === null ? null : { micros: releases.tokens, percent: releases.percent },
        open: false,
      },
    },
    {
      status,
      verified,
      actualMicros: usage === undefined ? null : usage.inputTokens + usage.outputTokens,
      mayRelease,
    },
    releasedTokens,
  );
  return {
    chargedTokens: charged.chargedMicros,
    excessTokens: charged.excessMicros,
    releasedTokens: charged.releasedMicros,
    releaseRefused: charged.releaseRefused,
  };
}
