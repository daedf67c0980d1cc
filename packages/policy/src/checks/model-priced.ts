import type { LlmCall } from '@mandate/schemas';
import { blocked, passed, type StaticCheck, type Subject } from './check.ts';

/** Checks that the cost of the call can be known. If money is limited, a call without a known price is refused. */
export const modelPriced: StaticCheck = ({ judgedAs, policy, at }) => {
  if (judgedAs !== 'model') return null;
  const limited =
    policy.maxCostTotalMicros !== null || policy.maxCostPerCallMicros !== null || policy.budgets.length > 0;
  if (!limited) return null;
  return (subject) => {
    const { name: model, price } = subject;
    const unpriced = price.unpriced?.find((one) => one.at === at);
    if (unpriced === undefined) return passed('model-priced', { model, price: price.source });
    return unpriced.lacks === 'tokens' ? tokensMissing(subject) : priceMissing(subject);
  };
};

function priceMissing({ name: model }: Subject) {
  return blocked(
    'model-priced',
    { model, price: 'unknown' },
    {
      code: 'UNPRICED_MODEL',
      reason: `The price of the model "${model}" is unknown, and a budget is in force.`,
      remedy:
        'Name the model as its provider does (`mandate prices` lists the known models), or ask for its price to be added ' +
        `to the policy: modelPrices: { ${JSON.stringify(model)}: { inputPerMillion: <dollars>, outputPerMillion: <dollars> } }.`,
    },
  );
}

function tokensMissing({ name: model, action }: Subject) {
  const { inputTokens, maxOutputTokens } = action as LlmCall;
  const missing = [
    ...(inputTokens === undefined ? ['inputTokens'] : []),
    ...(maxOutputTokens === undefined ? ['maxOutputTokens'] : []),
  ];
  const named = missing.join(' and ');
  return blocked(
    'model-priced',
    { model, price: 'unknown', missing },
    {
      code: 'TOKENS_NOT_STATED',
      reason: `The call does not say its ${named}, and a budget is in force.`,
      remedy: `State ${named}, or ask for defaultTokens to be set.`,
    },
  );
}
