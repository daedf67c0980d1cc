import type { StaticCheck } from './check.ts';

/** Where money is limited, a call whose price nobody knows cannot be weighed, and is refused. */
export const modelPriced: StaticCheck = {
  name: 'model-priced',
  look({ action, mandate, price }) {
    if (action.type !== 'llm_call') return undefined;
    const limited =
      mandate.maxCostTotalMicros !== null ||
      mandate.maxCostPerCallMicros !== null ||
      mandate.budgets.length > 0;
    if (!limited) return undefined;
    const saw = { model: action.model, price: price.source };
    if (price.source !== 'unknown') return { saw, objection: null };
    return {
      saw,
      objection: {
        code: 'UNPRICED_MODEL',
        reason: `The price of the model "${action.model}" is unknown, and a budget is in force.`,
        remedy: 'Name the model as its provider does, or state estimatedCostMicros.',
      },
    };
  },
};
