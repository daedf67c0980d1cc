import { type Check, mandateOfBudget } from './decision.ts';
import type { BudgetLimit } from './limit.ts';

/**
 * Returns the subject of a budget that a check examined. The check does not contain the agent or the person. So the
 * subject is found from the scope, the ancestor in the check, and the decision.
 *
 * @returns empty for a budget of the tenant, and for an action without a principal
 */
export function budgetSubject(
  scope: BudgetLimit['scope'],
  check: Pick<Check, 'policy' | 'ancestor'>,
  of: { agentId: string; principalId: string; mandateId: string },
): string {
  switch (scope) {
    case 'agent':
      return check.ancestor ?? of.agentId;
    case 'principal':
      return of.principalId;
    case 'mandate':
      return mandateOfBudget(check, of.mandateId);
    case 'tenant':
      return '';
  }
}
