import type { MemoryOperation, PlannedChange } from '@mandate/schemas';
import { mergedChanges, planChange } from '../../governance/categories/plan-change.ts';
import { blocked, type JointCheck, obliging } from '../check.ts';
import { governedOf } from './governed.ts';

const CHECK = 'category-policies';

/** Decides a change of memory by the policies of its category. If no policy has categories, nothing may be changed. */
export const categoryPolicies: JointCheck = (calls) => {
  if (calls[0]?.type !== 'memory_operation') return null;
  const governed = governedOf(calls).filter(({ governance }) => governance.categories !== null);
  return {
    check: CHECK,
    run({ action }) {
      const operation = action as MemoryOperation;
      let change: PlannedChange | null = null;
      for (const { policy, governance } of governed) {
        const { refusal, planned } = planChange(governance.categories?.() ?? new Map(), operation);
        if (refusal !== null) return { ...blocked(CHECK, refusal.evidence, refusal.violation), of: policy };
        change = change === null ? planned : mergedChanges(change, planned);
      }
      if (change !== null)
        return obliging(CHECK, { operation: operation.operation }, { obligations: {}, change });
      return blocked(
        CHECK,
        { store: operation.store },
        {
          code: 'STORE_NOT_ALLOWED',
          reason: `No policy of the agent says what may be done in the store "${operation.store}" (governance.categories).`,
          remedy: 'Have the store and its categories added to a policy of the agent.',
        },
      );
    },
  };
};
