import type { Decision } from '@mandate/schemas';
import { type Obligations, textIn, textOrNull, textsIn } from '../carry-out.ts';

/** What a decision about a change of memory demands. */
export type ChangeDuties = {
  /** When the memory must expire. Null: never. Absent: the decision says nothing of it. */
  readonly expiresAt?: string | null;
  /** The categories to make, from the top. */
  readonly creates: readonly string[];
  /** Null: the description is taken away. */
  readonly description?: string | null;
  /** A prune deletes nothing that expires later. */
  readonly expiredBefore: string;
};

export const CHANGE_DUTIES = ['expiresAt', 'creates', 'created', 'description', 'expiredBefore'];

/** Where a decision says nothing, such as one of a mandate that only observes, nothing is changed beyond the request. */
export function changeIn(obligations: Obligations, _action: object, { decidedAt }: Decision): ChangeDuties {
  const { expiresAt, creates = [], description, expiredBefore = decidedAt } = obligations;
  return {
    ...(expiresAt !== undefined && { expiresAt: textOrNull(expiresAt, 'expiresAt') }),
    creates: textsIn(creates, 'creates'),
    ...(description !== undefined && { description: textOrNull(description, 'description') }),
    expiredBefore: textIn(expiredBefore, 'expiredBefore'),
  };
}
