import type { PolicyDocument } from '@mandate/schemas';

/** `revision`: the place on the log, counted from 1, of the change that made it what it is. */
export type Kept<T> = { readonly revision: number; readonly document: T };

export type PolicyHistory = {
  readonly revision: number;
  /** The first is version 1. */
  readonly versions: readonly Kept<PolicyDocument>[];
  readonly isArchived: boolean;
};
