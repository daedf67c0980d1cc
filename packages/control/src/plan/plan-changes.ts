/** Plans the changes that make a plane equal to files. */

import { type AgentDocument, deepEqual, type PolicyDocument, type RuleDocument } from '@mandate/schemas';
import { agentWidening } from '../lint/agent-widening.ts';
import { attributesAsked } from '../lint/attributes-asked.ts';
import { ruleWidening } from '../lint/rule-widening.ts';
import { widening, wideningByArrival } from '../lint/widening.ts';
import type { ControlDocuments } from '../load-control.ts';
import type { Change, Document } from './change.ts';
import type { CurrentDocument, Kind } from './current-documents.ts';
import { missingPolicies } from './named-policies.ts';

/**
 * Returns changes in an order that can be applied: a document is added before the documents that name it, and
 * removed after them.
 *
 * @param prune true to remove documents that no file contains
 * @param atMs the time of the plan
 */
export function planChanges(
  wanted: ControlDocuments,
  current: readonly CurrentDocument[],
  { prune, atMs }: { prune: boolean; atMs: number },
): Change[] {
  const widensBy = wideningAmong(current, atMs);
  const wantedOf: Readonly<Record<Kind, ReadonlyMap<string, Document>>> = {
    agent: inOrderOfParents(wanted.agents),
    policy: wanted.policies,
    rule: wanted.rules,
  };
  const byName = new Map(current.map((one) => [`${one.kind} ${one.id}`, one]));
  const kinds = ['agent', 'policy', 'rule'] as const;
  const putsOf = (kind: Kind, missing: ReadonlyMap<string, unknown> = new Map()) =>
    [...wantedOf[kind]].flatMap(([id, after]): Change[] => {
      const before = byName.get(`${kind} ${id}`);
      const widens = widensBy(kind, id, before, after, missing.has(id));
      if (before === undefined) return [{ kind, id, does: 'add', revision: 0, before: null, after, widens }];
      const { revision, document, isArchived } = before;
      if (isArchived) return [{ kind, id, does: 'add', revision, before: null, after, widens }];
      if (deepEqual(document, after)) return [];
      return [{ kind, id, does: 'change', revision, before: document, after, widens }];
    });
  const named = [...putsOf('agent'), ...putsOf('policy')];
  const puts = [...named, ...putsOf('rule', missingPolicies(wanted.rules, current, named))];
  if (!prune) return puts;
  const goes = kinds.toReversed().flatMap((kind) => {
    const gone = current.filter((one) => one.kind === kind && !one.isArchived && !wantedOf[kind].has(one.id));
    return gone.map((one): Change => {
      const { id, revision, document } = one;
      const widens = widensBy(kind, id, one, null);
      return { kind, id, does: 'remove', revision, before: document, after: null, widens };
    });
  });
  return [...puts, ...goes];
}

/**
 * Returns a function that finds what a change newly allows, as the plane would report it
 * (../lint/control-widening.ts). The function knows only the listed documents.
 */
function wideningAmong(current: readonly CurrentDocument[], atMs: number) {
  const rules = current.flatMap(({ kind, document }) => (kind === 'rule' ? (document as RuleDocument) : []));
  const asked = attributesAsked(rules);
  return (
    kind: Kind,
    id: string,
    before: CurrentDocument | undefined,
    after: Document | null,
    /** For a rule: true if its policy does not exist, so that the rule blocks the agents that it matches. */
    isMissing = false,
  ): readonly string[] => {
    const was = before?.document ?? null;
    if (kind === 'rule')
      return ruleWidening(was as RuleDocument | null, after as RuleDocument | null, {
        atMs,
        is: () => (isMissing ? null : undefined),
      });
    // The removal of an agent or a policy allows nothing more.
    if (after === null) return [];
    if (kind === 'agent')
      return was === null ? [] : agentWidening(was as AgentDocument, after as AgentDocument, asked);
    return [
      ...wideningByArrival(id, before ?? { versions: 0, isArchived: false }, rules, atMs),
      ...(was === null ? [] : widening(was as PolicyDocument, after as PolicyDocument)),
    ];
  };
}

function inOrderOfParents(agents: ControlDocuments['agents']): ReadonlyMap<string, Document> {
  const ordered = new Map<string, Document>();
  const put = (id: string, ancestors: ReadonlySet<string>) => {
    const agent = agents.get(id);
    if (agent === undefined || ordered.has(id)) return;
    // A circle of parents is not followed here, because the plane refuses it anyway.
    if (agent.parent !== undefined && !ancestors.has(agent.parent))
      put(agent.parent, new Set([...ancestors, id]));
    ordered.set(id, agent);
  };
  for (const id of agents.keys()) put(id, new Set([id]));
  return ordered;
}
