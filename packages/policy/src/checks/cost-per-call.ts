import { formatMicros } from '@mandate/schemas';
import type { Finding, StaticCheck, Subject } from './check.ts';

export const toolCostPerCall: StaticCheck = {
  name: 'tool-cost-per-call',
  look: (subject) => weigh(subject, subject.tool?.maxCostPerCallMicros ?? null, "the tool's maxCostPerCall"),
};

export const mandateCostPerCall: StaticCheck = {
  name: 'mandate-cost-per-call',
  look: (subject) => weigh(subject, subject.mandate.maxCostPerCallMicros, "the mandate's maxCostPerCall"),
};

function weigh({ action, price }: Subject, maxMicros: number | null, name: string): Finding {
  if (maxMicros === null) return undefined;
  const saw = { costMicros: price.reserveMicros, maxMicros, price: price.source };
  if (price.reserveMicros <= maxMicros) return { saw, objection: null };
  const what = action.type === 'tool_call' ? action.tool : action.model;
  return {
    saw,
    objection: {
      code: 'COST_LIMIT_EXCEEDED',
      reason: `A call of "${what}" costs ${formatMicros(price.reserveMicros)}; ${name} is ${formatMicros(maxMicros)}.`,
      remedy: 'Make a cheaper call, or raise that limit.',
    },
  };
}
