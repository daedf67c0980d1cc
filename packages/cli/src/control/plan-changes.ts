/** What has to change so that what stands is what files say. */
import { isDeepStrictEqual } from 'node:util';
import { type ControlDocuments, widening } from '@mandate/policy';
import type { PolicyDocument } from '@mandate/schemas';
import type { Kind, Standing } from './standing-control.ts';

export type Document = Readonly<Record<string, unknown>>;

/** `revision`: of what is changed, 0 where there is none yet. */
export type Change = { kind: Kind; id: string; revision: number } & (
  | { does: 'add'; before: null; after: Document }
  /** `widens`: of a policy, what it lets through that it did not. */
  | { does: 'change'; before: Document; after: Document; widens: readonly string[] }
  | { does: 'remove'; before: Document; after: null }
);

/**
 * In an order in which each can be carried out: what is named by others comes before them and goes after them.
 *
 * @param prune whether what no file names is removed
 */
export function planChanges(
  wanted: ControlDocuments,
  standing: readonly Standing[],
  { prune }: { prune: boolean },
): Change[] {
  const wantedOf: Readonly<Record<Kind, ReadonlyMap<string, Document>>> = {
    agent: inOrderOfParents(wanted.agents),
    policy: wanted.policies,
    rule: wanted.rules,
  };
  const byName = new Map(standing.map((one) => [`${one.kind} ${one.id}`, one]));
  const kinds = ['agent', 'policy', 'rule'] as const;
  const puts = kinds.flatMap((kind) =>
    [...wantedOf[kind]].flatMap(([id, after]): Change[] => {
      const before = byName.get(`${kind} ${id}`);
      if (before === undefined || before.isArchived)
        return [{ kind, id, does: 'add', revision: before?.revision ?? 0, before: null, after }];
      if (isDeepStrictEqual(before.document, after)) return [];
      const { revision, document } = before;
      const widens = kind === 'policy' ? widening(document as PolicyDocument, after as PolicyDocument) : [];
      return [{ kind, id, does: 'change', revision, before: document, after, widens }];
    }),
  );
  if (!prune) return puts;
  const goes = kinds.toReversed().flatMap((kind) => {
    const gone = standing.filter(
      (one) => one.kind === kind && !one.isArchived && !wantedOf[kind].has(one.id),
    );
    return gone.map(
      ({ id, revision, document }): Change => ({
        kind,
        id,
        does: 'remove',
        revision,
        before: document,
        after: null,
      }),
    );
  });
  return [...puts, ...goes];
}

function inOrderOfParents(agents: ControlDocuments['agents']): ReadonlyMap<string, Document> {
  const ordered = new Map<string, Document>();
  const put = (id: string, above: ReadonlySet<string>) => {
    const agent = agents.get(id);
    if (agent === undefined || ordered.has(id)) return;
    // A circle is for the plane to refuse.
    if (agent.parent !== undefined && !above.has(agent.parent)) put(agent.parent, new Set([...above, id]));
    ordered.set(id, agent);
  };
  for (const id of agents.keys()) put(id, new Set([id]));
  return ordered;
}
