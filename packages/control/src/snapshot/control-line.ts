/**
 * The control state as text: NDJSON with a head, the state, and an end with a digest that proves the text is whole.
 * Each line can be applied as soon as it is read. A tenant comes before its documents, and the sources of grants come
 * before the grants. Data that follows from other lines is left out, such as the descendants of an agent.
 */
import type { AgentDocument, PolicyDocument, RuleDocument } from '@mandate/schemas';
import type { Changed } from '../control-state.ts';
import type { Grant } from '../grants.ts';
import type { ManifestHistory, ManifestVersion } from '../manifests/manifest-history.ts';
import type { PolicyHistory, Revisioned } from '../revisioned.ts';
import type { Tenant } from '../tenant-control.ts';

/**
 * The version of the lines and of the state. Raise it if the meaning of a line changes, or if the same records lead
 * to another state. A snapshot of another version is skipped, and the log is read from its start. New kinds of
 * records or documents need no new version, because `shape` changes with them.
 */
export const CONTROL_SNAPSHOT_VERSION = 13;

/** The log position of the last record in the snapshot. `sha256` is the hash of the record's bytes. */
export type ControlPosition = { offset: number; sha256: string };

export type ControlHead = ControlPosition & {
  line: 'control';
  version: number;
  /** The SHA-256 of the schema of control records. A reader with another schema must not start from the snapshot. */
  shape: string;
  /** The approximate number of lines that follow. */
  entries: number;
};

/**
 * Accepts only types that are plain JSON. A type with a map or set does not compile, because JSON would write the map
 * or set as `{}`.
 */
type AsJson<T> = T extends ReadonlyMap<unknown, unknown> | ReadonlySet<unknown>
  ? never
  : T extends object
    ? { [Field in keyof T]: AsJson<T[Field]> }
    : T;

/**
 * Fields that are not in the line of the tenant. Most of them have lines of their own. `childrenOf`, `keysOf`,
 * `versions` and `rulesOf` are not written at all, because they follow from other lines.
 */
type InLinesOfTheirOwn =
  | DocumentsOf
  | 'childrenOf'
  | 'departures'
  | 'keysOf'
  | 'policies'
  | 'versions'
  | 'rulesOf'
  | 'manifests'
  | 'issued';
/** `opened` is a document, so it is plain JSON. */
export type TenantFields = AsJson<Omit<Tenant, InLinesOfTheirOwn | 'opened'>> & Pick<Tenant, 'opened'>;

/** The names of the fields that are maps of documents by id. */
export type DocumentsOf = {
  [Field in keyof Tenant]: Tenant[Field] extends Map<string, Revisioned<unknown>> ? Field : never;
}[keyof Tenant];

/**
 * A grant as it is stored. It contains only the revisions of its sources: of the agent, and of each rule, with the
 * version of the rule's policy.
 */
export type StoredGrant = Omit<Grant, 'agent' | 'rules'> & {
  agent: number;
  rules: [id: string, revision: number, version: number][];
};

export type StateLine =
  | { line: 'tenant'; name: string; forgetAt: number; fields: TenantFields }
  /**
   * The public id of a key of this tenant that belongs to another tenant, because that tenant already had a key with
   * the same id.
   */
  | { line: 'elsewhere'; key: string }
  | { line: 'document'; of: DocumentsOf; id: string; kept: Revisioned<unknown> }
  /**
   * The ancestors that an agent left, and the revision at which it left each. The agent may be registered or retired.
   */
  | { line: 'departures'; id: string; left: [ancestor: string, leftAt: number][] }
  | { line: 'policy'; id: string; history: Omit<PolicyHistory, 'versions'> }
  | { line: 'version'; policy: string; kept: Revisioned<PolicyDocument> }
  | { line: 'manifest'; id: string; history: Omit<ManifestHistory, 'versions'> }
  | { line: 'manifest version'; manifest: string; kept: Revisioned<ManifestVersion> }
  /** A document that was replaced or removed, but that grants still use. */
  | { line: 'past agent'; kept: Revisioned<AgentDocument> }
  | { line: 'past rule'; kept: Revisioned<RuleDocument> }
  | { line: 'grant'; grant: StoredGrant }
  | { line: 'result'; id: string; digest: string; changed: Changed };

export type ControlLine = ControlHead | StateLine | { line: 'end'; lines: number; sha256: string };
