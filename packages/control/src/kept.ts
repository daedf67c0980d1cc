import type { PolicyDocument, TenantDocument } from '@mandate/schemas';

/** `revision`: the place on the log, counted from 1, of the change that made it what it is. */
export type Kept<T> = { readonly revision: number; readonly document: T };

export type PolicyHistory = {
  readonly revision: number;
  /** The first is version 1. */
  readonly versions: readonly Kept<PolicyDocument>[];
  readonly isArchived: boolean;
};

/**
 * As it was opened, or changed since; `closedAt` null: it is open. `hadTopic`: it publishes to a topic of its own, or did once,
 * so that something may still lie there.
 */
export type OpenedTenant = Kept<TenantDocument> & {
  readonly closedAt: string | null;
  readonly hadTopic: boolean;
};

/** By the id of an agent: the ancestors that it left, each with the revision at which it did so last. */
export type Departures = Map<string, Map<string, number>>;

/** As JSON, in UTF-16 units; of what is not there none. */
export function unitsOf(document: object | undefined): number {
  return document === undefined ? 0 : JSON.stringify(document).length;
}
