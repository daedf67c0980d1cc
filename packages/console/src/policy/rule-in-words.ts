/** Describes in words which agents a rule applies to, and when. */
import type { AgentDocument, Condition, FieldCondition, RuleDocument } from '@mandate/schemas';

/** `every agent`, `agents bot-*, worker in the groups staff`. */
export function agentsInWords({ agents, groups }: RuleDocument): string {
  const named = agents === undefined ? null : `agents ${agents.join(', ')}`;
  const grouped =
    groups === undefined ? null : `the ${groups.length === 1 ? 'group' : 'groups'} ${groups.join(', ')}`;
  if (named !== null && grouped !== null) return `${named} in ${grouped}`;
  return named ?? (grouped === null ? 'every agent' : `agents in ${grouped}`);
}

/** Returns when the rule applies, a phrase for each limit. Empty: always. */
export function limitsInWords({ when, mode = 'enforce', startsAt, endsAt }: RuleDocument): readonly string[] {
  return [
    ...(when === undefined ? [] : [`if ${conditionInWords(when)}`]),
    ...(startsAt === undefined ? [] : [`from ${startsAt}`]),
    ...(endsAt === undefined ? [] : [`until ${endsAt}`]),
    ...(mode === 'observe' ? ['only observed'] : []),
    ...(mode === 'shadow' ? ['in shadow: never enforced'] : []),
  ];
}

/** True if the rule applies to the agent, whatever its condition says. */
export function isFor({ agents, groups }: RuleDocument, agent: AgentDocument): boolean {
  const isNamed = agents === undefined || agents.some((pattern) => matches(pattern, agent.id));
  return isNamed && (groups === undefined || groups.some((group) => agent.groups?.includes(group) === true));
}

/** In a pattern, `*` matches any characters. */
function matches(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return pattern === name;
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length)
    return false;
  let from = first.length;
  for (const piece of rest) {
    const at = name.indexOf(piece, from);
    if (at === -1) return false;
    from = at + piece.length;
  }
  return from <= name.length - last.length;
}

const OPERATORS: Readonly<Record<FieldCondition['op'], string>> = {
  '==': 'is',
  '!=': 'is not',
  contains: 'contains',
  in: 'is one of',
  not_in: 'is none of',
  '>': 'is above',
  '>=': 'is at least',
  '<': 'is below',
  '<=': 'is at most',
  matches: 'matches',
  starts_with: 'begins with',
  exists: 'exists',
};

function conditionInWords(condition: Condition): string {
  if ('all' in condition) return joined(condition.all, 'and');
  if ('any' in condition) return joined(condition.any, 'or');
  if ('not' in condition) return `none of (${joined(condition.not, 'or')})`;
  const { field, op, value } = condition;
  const name = typeof field === 'string' ? field : field.join('.');
  if (op === 'exists') return `${name} ${value === false ? 'is absent' : 'exists'}`;
  return `${name} ${OPERATORS[op]} ${[value].flat().map(String).join(', ')}`;
}

function joined(conditions: readonly Condition[], word: 'and' | 'or'): string {
  return conditions
    .map((one) => ('all' in one || 'any' in one ? `(${conditionInWords(one)})` : conditionInWords(one)))
    .join(` ${word} `);
}
