/**
 * The agent manifests of a tenant. The state holds no manifest itself, only the position of each version on the control
 * topic: the record at that position contains the manifest, and the topic is kept always. So versions cost little
 * memory, and a run can read the version with which it began.
 */
import type { ControlRecord } from '@mandate/schemas';
import { type Revisioned, unitsOf } from '../revisioned.ts';

export type Published = Extract<ControlRecord, { event: 'manifest.published' }>;
export type Removed = Extract<ControlRecord, { event: 'manifest.removed' }>;

/** What is known of a version without its record. */
export type ManifestVersion = {
  readonly hash: string;
  /** The person or key that published the version, and why and when. */
  readonly by: string;
  readonly reason: string;
  readonly at: string;
};

/** The ids of the documents that belong to a manifest. No other manifest may publish them. */
export type OwnDocuments = {
  readonly agents: readonly string[];
  readonly policies: readonly string[];
  readonly rules: readonly string[];
};

export type ManifestHistory = {
  readonly revision: number;
  /** The versions of the manifest. The first entry is version 1. The revision of each is the position of its record. */
  readonly versions: readonly Revisioned<ManifestVersion>[];
  readonly isRemoved: boolean;
  /** The documents of the latest version. Empty if the manifest is removed. */
  readonly owns: OwnDocuments;
};

/** The same history in a mutable form. Only the code that applies records changes it. */
export type KeptManifest = ManifestHistory & { readonly versions: Revisioned<ManifestVersion>[] };

export const OWNS_NOTHING: OwnDocuments = { agents: [], policies: [], rules: [] };

/** Keeps the version, or the removal, after the documents were changed. */
export function keepManifest(
  manifests: Map<string, KeptManifest>,
  record: Published | Removed,
  revision: number,
): void {
  const id = idOf(record);
  const { versions = [] } = manifests.get(id) ?? {};
  if (record.event === 'manifest.published') versions.push({ revision, document: versionOf(record) });
  const isRemoved = record.event === 'manifest.removed';
  manifests.set(id, { revision, versions, isRemoved, owns: ownedAfter(record) });
}

/** Returns how much the change adds to the size of what is kept of manifests, in UTF-16 units. */
export function historyGrowth(
  manifests: ReadonlyMap<string, ManifestHistory>,
  record: Published | Removed,
): number {
  const before = manifests.get(idOf(record))?.owns ?? OWNS_NOTHING;
  const version = record.event === 'manifest.published' ? unitsOf(versionOf(record)) : 0;
  return version + unitsOf(ownedAfter(record)) - unitsOf(before);
}

export function idOf(record: Published | Removed): string {
  return record.event === 'manifest.published' ? record.manifest.id : record.manifestId;
}

function ownedAfter(record: Published | Removed): OwnDocuments {
  if (record.event === 'manifest.removed') return OWNS_NOTHING;
  const { agents, policies, rules } = record.manifest;
  const ids = (documents: readonly { id: string }[]) => documents.map(({ id }) => id);
  return { agents: ids(agents), policies: ids(policies), rules: ids(rules) };
}

function versionOf({ manifest: { hash }, change: { by, reason, at } }: Published): ManifestVersion {
  return { hash, by, reason, at };
}
