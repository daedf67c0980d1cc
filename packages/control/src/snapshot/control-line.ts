/**
 * The fold of the control topic, written down: NDJSON, with a head, what stands, and an end that seals it. Lines come in
 * an order in which each can be taken in as it is read: a tenant before what is its own, what mandates are made of before
 * them. Lines that follow from others, such as the descendants of an agent, are left out.
 */
import type { AgentDocument, PolicyDocument, RuleDocument } from '@mandate/schemas';
import type { Changed } from '../control-state.ts';
import type { IssuedMandate } from '../issued-mandates.ts';
import type { Kept, PolicyHistory } from '../kept.ts';
import type { Tenant } from '../tenant-control.ts';

/**
 * The version of the lines, and of the fold. Raised when a line changes its meaning, and when the same records come to
 * fold to something else: one of another version is passed over, and the log folded from its start. That there are other
 * records, or other documents, shows by itself.
 */
export const CONTROL_SNAPSHOT_VERSION = 7;

/** The last record that is in it; `sha256`: of its bytes. */
export type ControlPosition = { offset: number; sha256: string };

export type ControlHead = ControlPosition & {
  line: 'control';
  version: number;
  /** The SHA-256 of what changes may say: who cannot read them all must not start behind them. */
  shape: string;
  /** About so many lines follow. */
  entries: number;
};

/** What of a type is JSON as it is: a map or a set in it does not compile, for it would be written as `{}`. */
type AsJson<T> = T extends ReadonlyMap<unknown, unknown> | ReadonlySet<unknown>
  ? never
  : T extends object
    ? { [Field in keyof T]: AsJson<T[Field]> }
    : T;

/** Those that follow from others are `childrenOf`, `keysOf`, `versions` and `rulesOf`. */
type InLinesOfTheirOwn =
  | DocumentsOf
  | 'childrenOf'
  | 'departures'
  | 'keysOf'
  | 'policies'
  | 'versions'
  | 'rulesOf'
  | 'issued';
/** What a tenant was opened as is a document, and so JSON. */
export type TenantFields = AsJson<Omit<Tenant, InLinesOfTheirOwn | 'opened'>> & Pick<Tenant, 'opened'>;

/** The fields that are documents by their ids. */
export type DocumentsOf = {
  [Field in keyof Tenant]: Tenant[Field] extends Map<string, Kept<unknown>> ? Field : never;
}[keyof Tenant];

/** By the revisions of what it is made of: the agent's, and each rule's with its id and the version of its policy. */
export type StoredMandate = Omit<IssuedMandate, 'agent' | 'rules'> & {
  agent: number;
  rules: [id: string, revision: number, version: number][];
};

export type StateLine =
  | { line: 'tenant'; name: string; forgetAt: number; fields: TenantFields }
  /** A public id of a key of this tenant, under which another one's was known first. */
  | { line: 'elsewhere'; key: string }
  | { line: 'document'; of: DocumentsOf; id: string; kept: Kept<unknown> }
  /** An agent, registered or retired, that left these ancestors at these revisions. */
  | { line: 'departures'; id: string; left: [ancestor: string, leftAt: number][] }
  | { line: 'policy'; id: string; history: Omit<PolicyHistory, 'versions'> }
  | { line: 'version'; policy: string; kept: Kept<PolicyDocument> }
  /** What no longer stands, and mandates are made of. */
  | { line: 'past agent'; kept: Kept<AgentDocument> }
  | { line: 'past rule'; kept: Kept<RuleDocument> }
  | { line: 'mandate'; mandate: StoredMandate }
  | { line: 'became'; id: string; digest: string; changed: Changed };

export type ControlLine = ControlHead | StateLine | { line: 'end'; lines: number; sha256: string };
