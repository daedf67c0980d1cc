import type { PolicyDocument, TenantDocument } from '@mandate/schemas';

/** `revision`: the log position, counted from 1, of the last change of the document. */
export type Revisioned<T> = { readonly revision: number; readonly document: T };

export type PolicyHistory = {
  readonly revision: number;
  /** The versions of the policy. The first entry is version 1. */
  readonly versions: readonly Revisioned<PolicyDocument>[];
  readonly isArchived: boolean;
};

/**
 * The tenant document as opened or last changed. `closedAt` is null while the tenant is open. `hadTopic` is true if
 * the tenant publishes or ever published to its own topic, because that topic may still contain records.
 */
export type OpenedTenant = Revisioned<TenantDocument> & {
  readonly closedAt: string | null;
  readonly hadTopic: boolean;
};

/** The former ancestors by agent id, each with the revision at which the agent last left it. */
export type Departures = Map<string, Map<string, number>>;

/** Returns the size of the document as JSON, in UTF-16 units. 0 if there is no document. */
export function unitsOf(document: object | undefined): number {
  return document === undefined ? 0 : JSON.stringify(document).length;
}
