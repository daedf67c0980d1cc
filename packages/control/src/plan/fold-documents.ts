/**
 * Builds the control state from documents in files, as if they were applied to an empty plane. For commands that ask
 * no plane.
 */

import { DEFAULTS, wireTime } from '@mandate/schemas';
import { type Changed, type ControlFold, foldControl } from '../control-state.ts';
import type { ControlDocuments } from '../load-control.ts';
import type { Change } from './change.ts';
import { recordOf } from './change-record.ts';
import { planChanges } from './plan-changes.ts';

export type Folded = {
  fold: ControlFold;
  /** The number of records that the state was built from. */
  revision: number;
  refused: readonly { change: Change; refusal: Extract<Changed, { ok: false }>['refusal'] }[];
};

export function foldDocuments(documents: ControlDocuments, atMs: number): Folded {
  const fold = foldControl();
  const changes = planChanges(documents, [], { prune: false, atMs });
  const refused = changes.flatMap((change, index) => {
    const revision = index + 1;
    const made = { id: `chg-${revision}`, tenant: DEFAULTS.tenant, by: '', reason: '', at: wireTime(atMs) };
    const changed = fold.apply(recordOf(change, made), revision);
    return changed.ok ? [] : [{ change, refusal: changed.refusal }];
  });
  return { fold, revision: changes.length, refused };
}
