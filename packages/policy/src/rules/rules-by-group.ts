import type { AgentAttributes } from './ask-rules.ts';
import type { Rule } from './rule.ts';

/** Of many rules those that an agent's groups do not rule out, in no order, without looking at the others. */
export function rulesByGroup(rules: readonly Rule[]): (agent: AgentAttributes) => readonly Rule[] {
  const ofEverybody: Rule[] = [];
  const ofGroups = new Map<string, Rule[]>();
  for (const rule of rules) {
    if (rule.groups === null) ofEverybody.push(rule);
    for (const group of rule.groups ?? []) {
      const known = ofGroups.get(group) ?? [];
      ofGroups.set(group, known);
      known.push(rule);
    }
  }
  return ({ groups }) => [...ofEverybody, ...new Set(groups.flatMap((group) => ofGroups.get(group) ?? []))];
}
