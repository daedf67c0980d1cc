/** Compares the agent manifests of files with those that are published on a plane. */
import { type ApiClient, rowsOf } from '@mandate/client';
import { type Change, type Kind, LISTS } from '@mandate/control/plan';
import type { PublishableManifest } from '@mandate/documents';
import { deepEqual } from '@mandate/schemas';

type Listed = { id: string; revision: number; isRemoved: boolean };
type Shown = Listed & {
  hash: string;
  options: object;
  files: object;
  agents: readonly string[];
  policies: readonly string[];
  rules: readonly string[];
};

/** A manifest of the plane. `owns`: the names of its documents, such as `policy support-team`. */
export type StandingManifest = Pick<Shown, 'id' | 'revision' | 'hash' | 'options' | 'files'> & {
  owns: ReadonlySet<string>;
};

/** Returns the manifests that are in force on the plane, by their ids. */
export async function standingManifests(api: ApiClient): Promise<ReadonlyMap<string, StandingManifest>> {
  const all = new Map<string, StandingManifest>();
  const rows = rowsOf(api, {
    path: '/v1/manifests',
    cursor: 'cursor',
    pageSize: 1_000,
    rows: (answer: { next: string | null; manifests: readonly Listed[] }) => answer.manifests,
  });
  for await (const { id, isRemoved } of rows) {
    if (isRemoved) continue;
    const shown = await api.get<Shown>(`/v1/manifests/${encodeURIComponent(id)}`);
    const kinds = ['agent', 'policy', 'rule'] as const;
    const owns = new Set(kinds.flatMap((kind) => shown[LISTS[kind]].map((own) => `${kind} ${own}`)));
    all.set(id, { ...shown, owns });
  }
  return all;
}

export type ManifestPlan = {
  /** The manifests that are to be published, with the revision that they have on the plane; 0: none. */
  publish: readonly { manifest: PublishableManifest; revision: number }[];
  /** The manifests that are to be removed. */
  remove: readonly StandingManifest[];
  /** True for a change that follows from publishing or removing a manifest, so it is not made alone. */
  isOfManifest(change: { kind: Kind; id: string }): boolean;
};

/**
 * @param changes the changes that make the documents of the plane equal to those of the files
 * @param prune whether manifests that no file contains are removed
 */
export function planManifests(
  wanted: ReadonlyMap<string, PublishableManifest>,
  standing: ReadonlyMap<string, StandingManifest>,
  changes: readonly Change[],
  { prune }: { prune: boolean },
): ManifestPlan {
  const differing = new Set(changes.map(nameOf));
  const publish = [...wanted.values()].flatMap((manifest) => {
    const { published } = manifest;
    const before = standing.get(published.id);
    const names = namesOf(published);
    const isSame =
      before !== undefined &&
      before.hash === published.hash &&
      deepEqual(before.options, JSON.parse(published.options)) &&
      deepEqual(before.files, published.files) &&
      ![...names, ...before.owns].some((name) => differing.has(name));
    return isSame ? [] : [{ manifest, revision: before?.revision ?? 0 }];
  });
  const remove = prune ? [...standing.values()].filter(({ id }) => !wanted.has(id)) : [];
  const made = new Set([
    ...publish.flatMap(({ manifest }) => namesOf(manifest.published)),
    ...publish.flatMap(({ manifest }) => [...(standing.get(manifest.published.id)?.owns ?? [])]),
    ...remove.flatMap(({ owns }) => [...owns]),
  ]);
  return { publish, remove, isOfManifest: (change) => made.has(nameOf(change)) };
}

/** Returns the names of documents that a manifest had on the plane and no longer has in its file. */
export function documentsLeft(
  wanted: ReadonlyMap<string, PublishableManifest>,
  standing: ReadonlyMap<string, StandingManifest>,
): ReadonlySet<string> {
  return new Set(
    [...wanted.values()].flatMap(({ published }) => {
      const stays = new Set(namesOf(published));
      return [...(standing.get(published.id)?.owns ?? [])].filter((name) => !stays.has(name));
    }),
  );
}

function namesOf({ agents, policies, rules }: PublishableManifest['published']): string[] {
  return [
    ...agents.map(({ id }) => `agent ${id}`),
    ...policies.map(({ id }) => `policy ${id}`),
    ...rules.map(({ id }) => `rule ${id}`),
  ];
}

function nameOf({ kind, id }: { kind: Kind; id: string }): string {
  return `${kind} ${id}`;
}
