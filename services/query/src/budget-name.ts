/** The fields that name a budget in answers. Together they identify its counter. */
import { BUDGET_SCOPES, described } from '@mandate/schemas';
import { z } from 'zod';

export const budgetName = {
  scope: described(z.enum(BUDGET_SCOPES), 'Who shares the budget.'),
  subject: described(
    z.string(),
    'The agent, principal or mandate of the budget. Empty: the tenant, or no principal.',
    'airline-007',
  ),
  budgetId: described(z.string(), 'The id of the budget.', 'total'),
  windowMs: described(
    z.int().nullable(),
    'The length of the window, in milliseconds. null: the budget never resets.',
    86_400_000,
  ),
};
