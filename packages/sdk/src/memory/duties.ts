import type { Decision } from '@mandate/schemas';
import { type Obligations, textIn, textOrNull, textsIn } from '../carry-out.ts';

/** The requirements of a decision about a change of memory. */
export type ChangeDuties = {
  /** When the memory must expire. Null: never. Absent: the decision does not state it. */
  readonly expiresAt?: string | null;
  /** The categories to make, from the top. */
  readonly creates: readonly string[];
  /** Null: the description is removed. */
  readonly description?: string | null;
  /** A prune deletes only memories that expire before this time. */
  readonly expiredBefore: string;
};

export const CHANGE_DUTIES = ['expiresAt', 'creates', 'created', 'description', 'expiredBefore'];

/**
 * If a decision states no requirement, as under a mandate that only observes, nothing is changed beyond the request.
 */
export function changeIn(obligations: Obligations, _action: object, { decidedAt }: Decision): ChangeDuties {
  const { expiresAt, creates = [], description, expiredBefore = decidedAt } = obligations;
  return {
    ...(expiresAt !== undefined && { expiresAt: textOrNull(expiresAt, 'expiresAt') }),
    creates: textsIn(creates, 'creates'),
    ...(description !== undefined && { description: textOrNull(description, 'description') }),
    expiredBefore: textIn(expiredBefore, 'expiredBefore'),
  };
}
