import { ruleDocument } from '@mandate/schemas';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stepBudgetOfAction } from '../step-budget.ts';
import { type AgentAttributes, mayMatch } from './ask-rules.ts';
import { compileRule } from './rule.ts';
import { rulesByGroup } from './rules-by-group.ts';

const GROUPS = ['a', 'b', 'c'];

test('returns every rule that may match an agent, once and in order, and no rule of other groups', () => {
  const wanted = fc.array(fc.option(fc.subarray(GROUPS, { minLength: 1 })), { maxLength: 5 });
  fc.assert(
    fc.property(wanted, fc.subarray([...GROUPS, 'd']), (all, groups) => {
      const rules = all.flatMap((one, at) => {
        const fields = { version: 1, id: `r${at}`, policy: 'p', ...(one && { groups: one }) };
        const read = compileRule(ruleDocument.parse(fields));
        return read.ok ? [read.compiled] : [];
      });
      const agent = { id: 'bot', groups } as unknown as AgentAttributes;
      const matching = rules.filter((rule) => mayMatch(rule, agent, stepBudgetOfAction()));
      expect(rulesByGroup(rules, (rule) => rule.groups)(groups)).toEqual(matching);
    }),
  );
});
