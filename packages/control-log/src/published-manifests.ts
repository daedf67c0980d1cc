/**
 * The published agent manifests, as a process that follows the control topic finds them. The state in memory has only
 * the position of each version. The manifest itself is read from the topic, which keeps every version always. So a run
 * can keep to the version with which it began.
 */
import { type Bus, recordUnreadable } from '@mandate/bus';
import { type ManifestHistory, manifestOfAgent, type TenantControl } from '@mandate/control';
import { MandateError } from '@mandate/runtime';
import { readWrittenManifest } from '@mandate/schemas';
import { positionOf } from './control-changes.ts';

export type ManifestFound = {
  id: string;
  /** The number of the version, from 1. */
  version: number;
  /** The log position of the version, counted from 1. */
  revision: number;
  hash: string;
  /** The manifest as written, as JSON text. */
  text: string;
  /** The options of its compilation, as JSON text. */
  options: string;
  /** The texts of the files that the manifest names, by the paths that it states. */
  files: Readonly<Record<string, string>>;
  /** The person or key that published the version, and why and when. */
  by: string;
  reason: string;
  at: string;
};

export type PublishedManifests = {
  /** Returns the latest version. Null if the manifest does not exist or is removed. */
  find(tenant: string, id: string): Promise<ManifestFound | null>;
  /**
   * Returns a version, also of a removed manifest. Null if there is no such version.
   *
   * @param version its number, or its hash. If several versions have the hash, the latest of them is returned
   */
  findVersion(tenant: string, id: string, version: number | string): Promise<ManifestFound | null>;
  /** Returns the id of the manifest in force that has this agent. Null if there is none. */
  manifestOf(tenant: string, agentId: string): string | null;
  /** Returns the bytes of the record of a version, by its number. Null if there is no such version. */
  recordOf(tenant: string, id: string, version: number): Promise<Uint8Array | null>;
};

export function publishedManifests(
  bus: Pick<Bus, 'at'>,
  controlOf: (tenant: string) => Pick<TenantControl, 'manifests'>,
): PublishedManifests {
  async function read({ versions }: ManifestHistory, number: number): Promise<ManifestFound | null> {
    const kept = versions[number - 1];
    if (kept === undefined) return null;
    const { revision, document } = kept;
    const position = positionOf(revision - 1);
    const written = writtenIn(await recordAt(bus, position), position);
    return { ...written, ...document, version: number, revision };
  }

  return {
    async find(tenant, id) {
      const history = controlOf(tenant).manifests.get(id);
      return history === undefined || history.isRemoved ? null : read(history, history.versions.length);
    },
    async findVersion(tenant, id, version) {
      const history = controlOf(tenant).manifests.get(id);
      if (history === undefined) return null;
      const isIt = ({ document }: { document: { hash: string } }) => document.hash === version;
      const number = typeof version === 'number' ? version : history.versions.findLastIndex(isIt) + 1;
      return read(history, number);
    },
    manifestOf: (tenant, agentId) => manifestOfAgent(controlOf(tenant).manifests, agentId),
    async recordOf(tenant, id, version) {
      const kept = controlOf(tenant).manifests.get(id)?.versions[version - 1];
      return kept === undefined ? null : recordAt(bus, positionOf(kept.revision - 1));
    },
  };
}

type Position = ReturnType<typeof positionOf>;

async function recordAt(bus: Pick<Bus, 'at'>, position: Position): Promise<Uint8Array> {
  const record = await bus.at(position);
  if (record !== null) return record.value;
  throw new MandateError('BUS_OFFSET_LOST', 'the control topic no longer has the record of a manifest', {
    remedy: 'Restore the topic from a copy. It must be kept always.',
  });
}

function writtenIn(value: Uint8Array, position: Position) {
  try {
    return readWrittenManifest(value);
  } catch (error) {
    throw recordUnreadable(position, error);
  }
}
