/** Agents to whom nothing is allowed by all that they are held to together. */
import type { AgentDocument } from '@mandate/schemas';
import { agentsAbove } from '../control/agents-above.ts';
import { boundsDocument, nameOfBounds } from '../control/tenant-bounds.ts';
import type { TenantControl } from '../control/tenant-control.ts';
import { takes } from '../effort.ts';
import { type AgentAttributes, mayMatch } from '../rules/ask-rules.ts';
import type { Rule } from '../rules/rule.ts';
import { rulesByGroup } from '../rules/rules-by-group.ts';
import { skip } from './effort.ts';
import { emptyTogether } from './empty-together.ts';
import type { Finding } from './finding.ts';
import { isAlive, type Look, meant, type RuleRead } from './rules-read.ts';

/** For each set of rules that some agent may be held to at some time, a smallest set of policies that leaves no tool over. */
export function nothingInCommon(
  control: TenantControl,
  rules: readonly RuleRead[],
  agents: readonly AgentDocument[],
  { atMs, effort }: Look,
): Finding[] {
  const enforced = rules
    .filter(({ document }) => isAlive(document, atMs))
    .flatMap((rule) => withPolicy(control, rule));
  const bounds = boundsIn(control);
  const ofGroups = rulesByGroup(enforced, ({ rule }) => rule.groups);
  const given = new Map<string, readonly Held[]>();
  const givenTo = (agent: AgentAttributes) => {
    const known = given.get(agent.id);
    if (known !== undefined) return known;
    const some = ofGroups(agent.groups);
    takes(effort, some.length);
    const held = some.filter(({ rule, tools }) => tools !== undefined && mayMatch(rule, agent, effort));
    given.set(agent.id, held);
    return held;
  };
  const found = new Map<string, Finding>();
  /** Whether anybody knows of such a set. */
  const looked = new Map<string, boolean>();
  const skipped = () => skip(effort, 'NOTHING_IN_COMMON', 'agents');
  for (const agent of agents) {
    if (effort.left < 0) {
      skipped();
      continue;
    }
    const above = agentsAbove(control.agents, agent).flatMap(({ id, agent: one }) =>
      one === null
        ? []
        : givenTo(one).map((held) => ({ ...held, policy: `${held.policy} of ${id}`, tools: held.below })),
    );
    const own = [...givenTo({ ...agent }), ...above];
    const held = own.length === 0 ? own : [...own, ...bounds];
    const key = held.map(({ rule, policy }) => `${rule?.id} ${policy}`).join('\n');
    const known = looked.get(key);
    if (known === false) skipped();
    if (known !== undefined) continue;
    const empty = emptyTogether(
      held.map(({ tools = [] }) => tools),
      effort,
    );
    // Of rules that were not all asked, some leaving no tool over means that all do; others mean nothing.
    const isKnown = empty === null ? effort.left >= 0 : empty !== undefined;
    looked.set(key, isKnown);
    if (!isKnown) skipped();
    if (!empty) continue;
    const names = [...new Set(empty.map((at) => held[at]?.policy ?? ''))];
    if (found.has(names.join('\n'))) continue;
    const quoted = names.map((name) => `"${name}"`).join(' and ');
    found.set(names.join('\n'), {
      code: 'NOTHING_IN_COMMON',
      severity: 'error',
      rules: empty.flatMap((at) => held[at]?.rule?.id ?? []),
      policies: names,
      message: `No tool is allowed by all of ${quoted}, to which the agent "${agent.id}" may be held: where all their rules match at once, every tool call is blocked.`,
      remedy:
        'Let their allowedTools have a name in common, or keep their rules from matching the same agent.',
    });
  }
  return [...found.values()];
}

/** `rule`: null of bounds, which no rule gives. `below`: what it allows to those below whoever holds it. */
type Held = {
  rule: Rule | null;
  policy: string;
  tools: readonly string[] | undefined;
  below: readonly string[] | undefined;
};

/** Of the tenant, where they say which tools there are. */
function boundsIn({ opened }: TenantControl): readonly Held[] {
  const tools = opened === null ? undefined : boundsDocument(opened.document)?.allowedTools;
  if (opened === null || tools === undefined) return [];
  return [{ rule: null, policy: nameOfBounds(opened), tools, below: tools }];
}

function withPolicy(control: TenantControl, { document, read }: RuleRead): (Held & { rule: Rule })[] {
  const policy = meant(control, document);
  if (!read.ok || policy === undefined) return [];
  const { allowedTools: tools, delegableTools = [] } = policy.document;
  const below = tools && [...tools, ...delegableTools];
  return [{ rule: read.compiled, policy: document.policy, tools, below }];
}
