import type { MemoryOperation, PlannedChange } from '@mandate/schemas';
import { listed } from '@mandate/schemas/core';
import { isOfModel } from '../origins.ts';
import type { Categories } from './categories.ts';
import { OPERATIONS } from './operations.ts';
import { transformed } from './transformers.ts';
import { firstRefusal, type Refusal } from './validators.ts';

export type ChangePlan =
  | { readonly refusal: Refusal; readonly planned: null }
  | { readonly refusal: null; readonly planned: PlannedChange };

/** What the store knows. A model must not say it, because it could hide a protected category that way. */
const KNOWN_BY_STORE = ['existing', 'createdAt', 'currentExpiresAt', 'contentLength'] as const;

/** Plans a change of memory. The plan does not depend on the time: `changeAt` adds the time of the decision. */
export function planChange(categories: Categories, operation: MemoryOperation): ChangePlan {
  const refusal = unknownStore(categories, operation) ?? factOfModel(operation);
  if (refusal !== null) return { refusal, planned: null };
  const { validators, transformers } = OPERATIONS[operation.operation](categories, operation);
  const refused = firstRefusal(validators);
  return refused === null
    ? { refusal: null, planned: transformed(transformers) }
    : { refusal: refused, planned: null };
}

function unknownStore(categories: Categories, { store, toStore = store }: MemoryOperation): Refusal | null {
  const unknown = [store, toStore].find((one) => !categories.has(one));
  if (unknown === undefined) return null;
  return {
    evidence: { store: unknown },
    violation: {
      code: 'STORE_NOT_ALLOWED',
      reason: `The store "${unknown}" is not in the config of categories. These are: ${listed(categories.keys())}.`,
      remedy: 'Use one of these stores, or have the store added to the config of categories.',
    },
  };
}

function factOfModel(operation: MemoryOperation): Refusal | null {
  const field = KNOWN_BY_STORE.find(
    (fact) => operation[fact] !== undefined && isOfModel(operation, fact, 'system'),
  );
  if (field === undefined) return null;
  return {
    evidence: { field, origin: 'model' },
    violation: {
      code: 'ORIGIN_NOT_ALLOWED',
      reason: `The model said "${field}", which only the store knows.`,
      remedy: `Leave "${field}" to the program that reads the store.`,
    },
  };
}

/** Combines the plans of several policies: the earliest ceiling counts, and all categories are made. */
export function mergedChanges(one: PlannedChange, other: PlannedChange): PlannedChange {
  const creates = [...new Set([...(one.creates ?? []), ...(other.creates ?? [])])].sort(byDepth);
  const expiry = one.expiry ?? other.expiry;
  return {
    ...other,
    ...one,
    ...(creates.length > 0 && { creates }),
    ...(expiry !== undefined && {
      expiry: { ...expiry, ceilings: [...(one.expiry?.ceilings ?? []), ...(other.expiry?.ceilings ?? [])] },
    }),
  };
}

function byDepth(one: string, other: string): number {
  return one.split('/').length - other.split('/').length || (one < other ? -1 : 1);
}
