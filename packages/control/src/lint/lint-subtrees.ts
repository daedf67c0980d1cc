/**
 * Finds problems between an agent and its descendants, and tools that the agent may delegate without being allowed
 * them itself.
 */

import type { Rule } from '@mandate/policy';
import { consume, mayMatch, rulesByGroup } from '@mandate/policy/parts';
import type { AgentDocument, PolicyDocument } from '@mandate/schemas';
import type { TenantControl } from '../tenant-control.ts';
import type { Finding } from './finding.ts';
import { type LintBudget, skip } from './lint-budget.ts';

/** A rule that applies now or will apply later. `policy` is undefined if the policy does not exist. */
type Given = { rule: Rule; policy: PolicyDocument | undefined };

const NAMED = 10;

/** @param below the sub-agents to examine */
export function lintSubtrees(
  { agents }: TenantControl,
  below: readonly AgentDocument[],
  given: readonly Given[],
  stepBudget: LintBudget,
): Finding[] {
  const children = new Map<string, string>();
  for (const { id, parent } of below)
    if (parent !== undefined && !children.has(parent)) children.set(parent, id);
  const ofGroups = rulesByGroup(given, ({ rule }) => rule.groups);
  const ofParents = [...children].flatMap(([id, child]): Finding[] => {
    const parent = agents.get(id)?.document;
    if (parent === undefined) return [missing(id, child)];
    const some = ofGroups(parent.groups);
    const held = consume(stepBudget, some.length)
      ? some.filter(({ rule }) => mayMatch(rule, { ...parent }, stepBudget))
      : [];
    if (stepBudget.left < 0) {
      skip(stepBudget, 'PARENT_HOLDS_NOTHING', 'parents');
      skip(stepBudget, 'TOOLS_HANDED_ON', 'parents');
      return [];
    }
    return held.length === 0 ? [holdsNothing(id, child)] : held.flatMap((one) => handedOn(id, one));
  });
  return [...ofParents, ...nothingToHandOn(given)];
}

function missing(id: string, child: string): Finding {
  return {
    code: 'PARENT_MISSING',
    severity: 'error',
    message: `The agent "${id}", an ancestor of "${child}", is no longer registered. Every action of its descendants is blocked.`,
    remedy: `Register "${id}" again, or give its sub-agents another parent.`,
  };
}

function holdsNothing(id: string, child: string): Finding {
  return {
    code: 'PARENT_HOLDS_NOTHING',
    severity: 'error',
    message: `No rule can match the agent "${id}", an ancestor of "${child}". Every action of its descendants is blocked.`,
    remedy: `Let a rule match "${id}", or give its sub-agents another parent.`,
  };
}

/** Reports tools that an agent may delegate but not call itself. This is not a mistake, but people should know it. */
function handedOn(id: string, { rule, policy }: Given): Finding[] {
  const { allowedTools, delegableTools = [] } = policy ?? {};
  const tools = delegableTools.filter((tool) => allowedTools?.includes(tool) === false);
  if (policy === undefined || tools.length === 0) return [];
  const named = tools.slice(0, NAMED).map((tool) => `"${tool}"`);
  const more = tools.length > NAMED ? `, and ${tools.length - NAMED} more` : '';
  return [
    {
      code: 'TOOLS_HANDED_ON',
      severity: 'warning',
      rules: [rule.id],
      policies: [policy.id],
      message: `The policy "${policy.id}" lets descendants of "${id}" call tools that "${id}" itself may not call: ${named.join(', ')}${more}.`,
      remedy: 'If you do not mean this, remove the tools from delegableTools.',
    },
  ];
}

function nothingToHandOn(given: readonly Given[]): Finding[] {
  const policies = new Set(given.flatMap(({ policy }) => policy ?? []));
  return [...policies].flatMap(({ id, allowedTools, delegableTools }): Finding[] => {
    if (delegableTools === undefined || allowedTools !== undefined) return [];
    return [
      {
        code: 'NOTHING_TO_HAND_ON',
        severity: 'warning',
        policies: [id],
        message: `The policy "${id}" has delegableTools but no allowedTools. It already allows every tool.`,
        remedy: 'List the tools that its agents may call themselves under `allowedTools`.',
      },
    ];
  });
}
