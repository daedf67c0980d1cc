import { hasPrice } from '../price.ts';
import { blocked, passed, type StaticCheck } from './check.ts';

const CHECK = 'estimate-stated';

/** Checks that a call states an estimate. A policy may require an estimate from calls of tools without a price. */
export const estimateStated: StaticCheck = (calls) => {
  if (calls.judgedAs !== 'tool' || !calls.policy.requireEstimate || hasPrice(calls)) return null;
  return ({ action: { estimatedCostMicros = 0 }, name: tool }) => {
    if (estimatedCostMicros > 0) return passed(CHECK, { tool, estimateMicros: estimatedCostMicros });
    return blocked(
      CHECK,
      { tool, estimateMicros: 0 },
      {
        code: 'ESTIMATE_REQUIRED',
        reason: `The tool "${tool}" has no price, and the call states no estimate above $0.`,
        remedy: 'State estimatedCostMicros, or ask for a cost to be set for the tool.',
      },
    );
  };
};
