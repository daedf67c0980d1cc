/**
 * The fold of the control topic as text: NDJSON with a head, the state, and an end that seals it. Each line can be
 * applied as soon as it is read: a tenant comes before its documents, and the sources of grants come before the
 * grants. Data that follows from other lines is left out, such as the descendants of an agent.
 */
import type { AgentDocument, PolicyDocument, RuleDocument } from '@mandate/schemas';
import type { Changed } from '../control-state.ts';
import type { IssuedMandate } from '../issued-mandates.ts';
import type { PolicyHistory, Revisioned } from '../revisioned.ts';
import type { Tenant } from '../tenant-control.ts';

/**
 * The version of the lines and of the fold. Raise it if a line changes its meaning, or if the same records fold to
 * another state. A snapshot of another version is skipped, and the log is folded from its start. New kinds of records
 * or documents need no new version, because `shape` shows them.
 */
export const CONTROL_SNAPSHOT_VERSION = 8;

/** The log position of the last record in the snapshot. `sha256`: of its bytes. */
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
 * The part of a type that is plain JSON. A map or set in it does not compile, because JSON would write it as `{}`.
 */
type AsJson<T> = T extends ReadonlyMap<unknown, unknown> | ReadonlySet<unknown>
  ? never
  : T extends object
    ? { [Field in keyof T]: AsJson<T[Field]> }
    : T;

/**
 * Fields with their own lines. `childrenOf`, `keysOf`, `versions` and `rulesOf` have none, because they follow from
 * others.
 */
type InLinesOfTheirOwn =
  | DocumentsOf
  | 'childrenOf'
  | 'departures'
  | 'keysOf'
  | 'policies'
  | 'versions'
  | 'rulesOf'
  | 'issued';
/** `opened` is a document and therefore plain JSON. */
export type TenantFields = AsJson<Omit<Tenant, InLinesOfTheirOwn | 'opened'>> & Pick<Tenant, 'opened'>;

/** The fields that hold documents by id. */
export type DocumentsOf = {
  [Field in keyof Tenant]: Tenant[Field] extends Map<string, Revisioned<unknown>> ? Field : never;
}[keyof Tenant];

/**
 * Names the sources of a grant by their revisions: the agent, and each rule with its id and the version of its
 * policy.
 */
export type StoredMandate = Omit<IssuedMandate, 'agent' | 'rules'> & {
  agent: number;
  rules: [id: string, revision: number, version: number][];
};

export type StateLine =
  | { line: 'tenant'; name: string; forgetAt: number; fields: TenantFields }
  /** A public key id of this tenant that another tenant's key had first. */
  | { line: 'elsewhere'; key: string }
  | { line: 'document'; of: DocumentsOf; id: string; kept: Revisioned<unknown> }
  /** An agent, registered or retired, that left these ancestors at these revisions. */
  | { line: 'departures'; id: string; left: [ancestor: string, leftAt: number][] }
  | { line: 'policy'; id: string; history: Omit<PolicyHistory, 'versions'> }
  | { line: 'version'; policy: string; kept: Revisioned<PolicyDocument> }
  /** A document that is no longer current, but from which grants were made. */
  | { line: 'past agent'; kept: Revisioned<AgentDocument> }
  | { line: 'past rule'; kept: Revisioned<RuleDocument> }
  | { line: 'mandate'; mandate: StoredMandate }
  | { line: 'result'; id: string; digest: string; changed: Changed };

export type ControlLine = ControlHead | StateLine | { line: 'end'; lines: number; sha256: string };
