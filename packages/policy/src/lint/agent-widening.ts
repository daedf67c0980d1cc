/**
 * What an agent that is changed may be let through that it was not: in words, as of a policy (widening.ts). In other groups, with
 * other labels, other rules match it: those that did held it, and those that do now may be the first. A rule that asks for its
 * name, or whether it has a parent, is not looked at.
 */
import type { AgentDocument } from '@mandate/schemas';

export function agentWidening(before: AgentDocument, after: AgentDocument): readonly string[] {
  return [
    ...left(before.groups, after.groups).map((group) => `groups: - ${group}`),
    ...left(after.groups, before.groups).map((group) => `groups: + ${group}`),
    ...otherLabels(before.labels, after.labels),
    // Under a parent for the first time it is held to more.
    ...(before.parent === undefined || before.parent === after.parent
      ? []
      : [`parent: ${before.parent} → ${after.parent ?? 'none'}`]),
  ];
}

function left(some: readonly string[], others: readonly string[]): readonly string[] {
  const known = new Set(others);
  return [...new Set(some)].filter((name) => !known.has(name));
}

type Labels = AgentDocument['labels'];

function otherLabels(before: Labels, after: Labels): readonly string[] {
  const said = (labels: Labels, name: string) =>
    Object.hasOwn(labels, name) ? JSON.stringify(labels[name]) : 'none';
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => said(before, name) !== said(after, name))
    .map((name) => `labels.${name}: ${said(before, name)} → ${said(after, name)}`);
}
