/** What a change of a price means. If no other price of the model is known, a lower price lets a budget last longer. */
import type { FieldRule, FieldRules } from './fields.ts';

const PRICE: FieldRule = {
  category: 'RESOURCE',
  widens: (was, is) => {
    if (was === undefined) return null;
    if (is === undefined) return true;
    return typeof was === 'number' && typeof is === 'number' && is < was ? true : null;
  },
};

/** Says whether the same number is a lower price in the second unit. Other units cannot be compared. */
const UNIT: FieldRule = {
  category: 'RESOURCE',
  widens: (was, is) => (was === undefined || is === undefined || is === 'TOKEN_1K' ? null : true),
};

const CURRENCY: FieldRule = {
  category: 'RESOURCE',
  widens: (was, is) => (was === 'EUR' && is === 'USD' ? true : null),
};

export const PRICING: FieldRules = {
  unit: UNIT,
  currency: CURRENCY,
  input_cost: PRICE,
  output_cost: PRICE,
  fixed_cost_per_request: PRICE,
};
