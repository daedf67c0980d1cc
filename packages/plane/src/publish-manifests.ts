/**
 * Publishes the agent manifests of files at the start of a plane. A manifest that is in force as its file says is not
 * published again.
 */
import { randomBytes } from 'node:crypto';
import { singleChanges } from '@mandate/control';
import type { FollowedControl } from '@mandate/control-log';
import type { PublishableManifest } from '@mandate/documents';
import { type Clock, type Logger, MandateError } from '@mandate/runtime';
import {
  type ControlRecord,
  controlRecordFault,
  DEFAULTS,
  deepEqual,
  sortableId,
  wireTime,
} from '@mandate/schemas';

type Parts = {
  followed: Pick<FollowedControl, 'tenant' | 'change' | 'manifests'>;
  clock: Clock;
  log: Logger;
};

/** How often a manifest is compared with the log again, if another process changes it at the same time. */
const MOST_ROUNDS = 10;

const { tenant } = DEFAULTS;

/** @throws MandateError DOCUMENTS_REFUSED, which names the manifest that the plane refuses, or CONTROL_BUSY */
export async function publishManifests(
  manifests: Iterable<PublishableManifest>,
  { followed, clock, log }: Parts,
): Promise<void> {
  for (const manifest of manifests) await publishOne(manifest, { followed, clock, log });
}

async function publishOne(
  { published, path, namedAgents }: PublishableManifest,
  { followed, clock, log }: Parts,
) {
  const gone = namedAgents.find((agentId) => followed.manifests.manifestOf(tenant, agentId) === null);
  if (gone !== undefined)
    throw refused(path, `it names "${gone}", which is no agent of a published manifest`);
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const control = followed.tenant(tenant);
    const expects = control.manifests.get(published.id)?.revision ?? 0;
    const atMs = clock();
    const id = sortableId('chg', atMs, randomBytes(10).toString('hex'));
    const why = { by: 'mandate up', reason: 'as its file says', at: wireTime(atMs) };
    const change = { id, tenant, ...why, expects };
    const record: ControlRecord = { event: 'manifest.published', change, manifest: published };
    if (singleChanges(control, record).length === 0 && (await isInForce(published, followed))) return;
    const fault = controlRecordFault(record);
    if (fault !== null) throw refused(path, `it ${fault}`);
    const changed = await followed.change(record);
    if (changed.ok) {
      const { versions } = followed.tenant(tenant).manifests.get(published.id) ?? {};
      log.warn(
        { path, manifest: published.id, version: versions?.length },
        'an agent manifest was published',
      );
      return;
    }
    if (changed.refusal !== 'REVISION_CONFLICT') throw refused(path, changed.refusal);
  }
  throw new MandateError('CONTROL_BUSY', 'other processes publish the same manifests again and again', {
    remedy: 'Start again.',
    retryable: true,
  });
}

async function isInForce(
  { id, hash, options, files }: PublishableManifest['published'],
  followed: Parts['followed'],
): Promise<boolean> {
  const found = await followed.manifests.find(tenant, id);
  if (found === null || found.hash !== hash) return false;
  return deepEqual(JSON.parse(found.options), JSON.parse(options)) && deepEqual(found.files, files);
}

function refused(path: string, why: string): MandateError {
  return new MandateError('DOCUMENTS_REFUSED', `the agent manifest ${path} is refused: ${why}`, {
    remedy: 'docs/errors.md says more.',
  });
}
