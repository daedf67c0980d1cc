import { blocked, passed, type StaticCheck } from './check.ts';

/** Where money is limited, a call whose price nobody knows cannot be weighed, and is refused. */
export const modelPriced: StaticCheck = ({ type, policy }) => {
  if (type !== 'llm_call') return null;
  const limited =
    policy.maxCostTotalMicros !== null || policy.maxCostPerCallMicros !== null || policy.budgets.length > 0;
  if (!limited) return null;
  return ({ name: model, price }) => {
    const saw = { model, price: price.source };
    if (price.source !== 'unknown') return passed('model-priced', saw);
    return blocked('model-priced', saw, {
      code: 'UNPRICED_MODEL',
      reason: `The price of the model "${model}" is unknown, and a budget is in force.`,
      remedy: 'Name the model as its provider does, or state estimatedCostMicros.',
    });
  };
};
