import { formatMicros } from '@mandate/schemas/core';
import { blocked, type CheckFn, passed, type StaticCheck } from './check.ts';

export const toolCostPerCall: StaticCheck = ({ tool }) =>
  weigh('tool-cost-per-call', tool?.maxCostPerCallMicros ?? null, "the tool's maxCostPerCall");

export const mandateCostPerCall: StaticCheck = ({ policy }) =>
  weigh('mandate-cost-per-call', policy.maxCostPerCallMicros, "the mandate's maxCostPerCall");

function weigh(check: string, maxMicros: number | null, limit: string): CheckFn | null {
  if (maxMicros === null) return null;
  return ({ name, price }) => {
    const costMicros = price.reserveMicros;
    const evidence = { costMicros, maxMicros, price: price.source };
    if (costMicros <= maxMicros) return passed(check, evidence);
    return blocked(check, evidence, {
      code: 'COST_LIMIT_EXCEEDED',
      reason: `A call of "${name}" costs ${formatMicros(costMicros)}; ${limit} is ${formatMicros(maxMicros)}.`,
      remedy: 'Make a cheaper call, or raise that limit.',
    });
  };
}
