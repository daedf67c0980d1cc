/** The saves that a decision allows a program. */
import type { Action } from '@mandate/schemas';
import { listIn, type Obligations, textIn, textOrNull, UnknownForm } from '../carry-out.ts';

/** A save that the program must carry out. */
export type Save = {
  readonly store: string;
  /** The save rule that decided, or the name of what decided instead of a rule. */
  readonly rule: string;
  readonly scope: string;
  /** What to do: `save_to_semantic`, `save`, or `summarize_and_save`. */
  readonly action: string;
  readonly ttlMs: number | null;
  /** When the memory must expire, as a time of RFC 3339. Null: never. */
  readonly expiresAt: string | null;
  /** The id of the owner of the memory. Null if the policy does not separate people. */
  readonly owner: string | null;
  readonly category: string | null;
};

const FIELDS = ['store', 'scope', 'action', 'rule', 'ttlMs', 'expiresAt', 'owner', 'category'];

export function savesIn(
  { saves = [] }: Obligations,
  { principal }: Pick<Action, 'principal'>,
): readonly Save[] {
  return listIn(saves, 'saves', FIELDS).map((save) => {
    const { owner, category, ttlMs = null } = save;
    const isOfPrincipal = owner === 'principal.id' && principal !== undefined;
    if (!isOfPrincipal && owner !== undefined) throw new UnknownForm('saves');
    const text = (field: string) => textIn(save[field], 'saves');
    return {
      store: text('store'),
      rule: text('rule'),
      scope: text('scope'),
      action: text('action'),
      ttlMs: ttlMs as number | null,
      expiresAt: textOrNull(save.expiresAt, 'saves'),
      owner: isOfPrincipal ? principal.id : null,
      category: category === undefined ? null : text('category'),
    };
  });
}
