/**
 * Finds what a changed agent may newly do, as lines of text (like widening.ts for policies). With other groups or
 * labels, other rules match the agent: old limits may end, and a rule may allow something for the first time. Only
 * attributes that rules ask about are reported.
 */
import type { AgentDocument } from '@mandate/schemas';
import type { AttributesAsked } from './attributes-asked.ts';

/** @param asked the attributes that the current rules ask about */
export function agentWidening(
  before: AgentDocument,
  after: AgentDocument,
  asked: AttributesAsked,
): readonly string[] {
  return [
    ...(before.requiresGrant && !after.requiresGrant
      ? ['requiresGrant: true → none: the agent and its descendants may act without a grant']
      : []),
    ...left(before.groups, after.groups)
      .filter(asked.group)
      .map((group) => `groups: - ${group}: rules for this group no longer apply to the agent`),
    ...left(after.groups, before.groups)
      .filter(asked.group)
      .map((group) => `groups: + ${group}: rules for this group may be the first that apply to the agent`),
    ...namesIn(before.labels, after.labels)
      .filter((name) => asked.attribute('labels', name))
      .flatMap((name) => other(`labels.${name}`, saidOf(before.labels, name), saidOf(after.labels, name))),
    // A parent only adds limits. So an agent that gets its first parent may do no more than before, unless rules ask
    // about the parent.
    ...(before.parent !== undefined || asked.attribute('parent')
      ? other('parent', before.parent, after.parent)
      : []),
    ...(asked.attribute('name') ? other('name', before.name, after.name) : []),
  ];
}

function left(some: readonly string[], others: readonly string[]): readonly string[] {
  const known = new Set(others);
  return [...new Set(some)].filter((group) => !known.has(group));
}

type Labels = AgentDocument['labels'];

function namesIn(...all: readonly Labels[]): readonly string[] {
  return [...new Set(all.flatMap(Object.keys))];
}

function saidOf(labels: Labels, name: string): string | undefined {
  return Object.hasOwn(labels, name) ? JSON.stringify(labels[name]) : undefined;
}

function other(name: string, before: string | undefined, after: string | undefined): string[] {
  return before === after
    ? []
    : [`${name}: ${before ?? 'none'} → ${after ?? 'none'}: other rules may apply to the agent`];
}
