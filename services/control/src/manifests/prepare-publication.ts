/**
 * Prepares the change that publishes a manifest. It runs in the control thread, because a large manifest takes long. It
 * returns the record as bytes, so that the event loop need not write and check the record again.
 */
import {
  agentsNamedIn,
  filesInMemory,
  type Publication,
  type PublicationNote,
  publicationOf,
  publishedDocument,
  violationsOf,
} from '@mandate/agent-manifest';
import { manifestOfAgent, type TenantControl } from '@mandate/control';
import type { WrittenChange } from '@mandate/control-log';
import type { ControlReplica } from '@mandate/control-log/replica';
import {
  type ControlRecord,
  controlRecordFault,
  type PublishedManifest,
  readControlRecord,
} from '@mandate/schemas';
import type { GateDocument } from '@mandate/schemas/agent-manifest';
import { HttpProblem, readBody } from '@mandate/server';
import { changeTooLarge } from '../writes/change-too-large.ts';
import { refusedChange } from '../writes/refused-change.ts';
import { type DocumentChange, documentChanges } from './document-changes.ts';
import { publishBody } from './publish-body.ts';

type Replica = Pick<ControlReplica, 'tenant' | 'refusalOf'>;
type Author = ControlRecord['change'];

/** What the answer says of a publication before it is made. The version is the one that it would have. */
type Prepared = {
  id: string;
  hash: string;
  version: number;
  documents: readonly DocumentChange[];
  widens: readonly string[];
  warnings: readonly PublicationNote[];
};

export type PreparedPublication = { prepared: Prepared; written: WrittenChange };

/** @throws HttpProblem if the body is not as described, or if the manifest is refused */
export function preparePublication(
  replica: Replica,
  { body, change, gate, atMs }: { body: Uint8Array; change: Author; gate: GateDocument | null; atMs: number },
): PreparedPublication {
  const { manifest, files, options } = readBody(body, publishBody);
  const all = filesInMemory({ ...files, [MAIN]: manifest });
  const { manifests } = replica.tenant(change.tenant);
  const isAgent = (agentId: string) => manifestOfAgent(manifests, agentId) !== null;
  const publication = publicationOf(all, MAIN, options, gate, { isAgent });
  if (!publication.ok) throw refusedManifest(publication);
  return prepared(replica, { ...publication, change, atMs });
}

/**
 * Prepares the change that publishes an earlier version again, with the documents that it had then. The gate is asked
 * again, because it may forbid today what it allowed then.
 *
 * @param value the bytes of the record of that version
 */
export function prepareRollback(
  replica: Replica,
  {
    value,
    change,
    gate,
    atMs,
  }: { value: Uint8Array; change: Author; gate: GateDocument | null; atMs: number },
): PreparedPublication {
  const record = readControlRecord(value);
  if (record.event !== 'manifest.published')
    throw new TypeError('the record of a version publishes a manifest');
  const published = record.manifest;
  const document = publishedDocument(published.text);
  const violations = violationsOf(document, gate);
  const { manifests } = replica.tenant(change.tenant);
  const faults = agentsNamedIn(document)
    .filter((agentId) => manifestOfAgent(manifests, agentId) === null)
    .map(agentGone);
  if (violations.length + faults.length > 0) throw refusedManifest({ ok: false, faults, violations });
  return prepared(replica, { published, warnings: [], change, atMs });
}

/** The name of the manifest in faults. */
const MAIN = 'manifest.yaml';

function agentGone(agentId: string): PublicationNote {
  const message = `names "${agentId}", which is no agent of a published manifest any more`;
  return { code: 'REFERENCE_MISSING', file: MAIN, path: 'topology', line: null, column: null, message };
}

function prepared(
  replica: Replica,
  {
    published,
    warnings,
    change,
    atMs,
  }: { published: PublishedManifest; warnings: readonly PublicationNote[]; change: Author; atMs: number },
): PreparedPublication {
  const { id, hash } = published;
  const control = replica.tenant(change.tenant);
  const record: ControlRecord = { event: 'manifest.published', change, manifest: published };
  mustTakeEffect(replica, record, control);
  const { documents, widens } = documentChanges(control, published, atMs);
  const version = (control.manifests.get(id)?.versions.length ?? 0) + 1;
  const value = new TextEncoder().encode(JSON.stringify(record));
  return {
    prepared: { id, hash, version, documents, widens, warnings },
    written: { id: change.id, tenant: change.tenant, event: record.event, value },
  };
}

/** The state may change before the record is on the log. Then the result of the record says so. */
function mustTakeEffect(replica: Replica, record: ControlRecord, control: TenantControl): void {
  const fault = controlRecordFault(record);
  if (fault !== null) throw changeTooLarge(fault, 'Split the manifest into several, each with fewer agents.');
  const refused = replica.refusalOf(record);
  if (refused !== null) throw refusedChange(refused, record, control);
}

/** The maximum number of faults or violations that one answer lists. */
const LISTED = 100;

function refusedManifest({ faults, violations }: Extract<Publication, { ok: false }>): HttpProblem {
  const [violation] = violations;
  if (violation !== undefined)
    return new HttpProblem(
      422,
      'GATE_VIOLATED',
      `the gate forbids it: ${violation.path} ${violation.message}`,
      {
        remedy:
          'Change the manifest at each place in `violations`, or ask an operator of the plane to change gate.yaml.',
        extension: {
          violations: violations.slice(0, LISTED),
          errors: violations
            .slice(0, LISTED)
            .map(({ path, message }) => ({ pointer: path, detail: message })),
        },
      },
    );
  const [fault] = faults;
  const first = fault === undefined ? '' : `: ${placeOf(fault)} ${fault.message}`;
  return new HttpProblem(422, 'MANIFEST_INVALID', `the manifest has faults${first}`, {
    remedy: 'Correct the manifest at each place in `faults`.',
    extension: {
      faults: faults.slice(0, LISTED),
      errors: faults
        .slice(0, LISTED)
        .map(({ line, path, message }) => ({ line, pointer: path, detail: message })),
    },
  });
}

function placeOf({ file, line, column, path }: PublicationNote): string {
  return [file, line, column].filter((one) => one !== null).join(':') + (path === '' ? '' : ` ${path}`);
}
