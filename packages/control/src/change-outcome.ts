import type { ControlRecord } from '@mandate/schemas';
import type { Changed, ControlFold } from './control-state.ts';

/** The result of a control record, for readers of the history of changes. The current state does not contain it. */
export type ChangeOutcome = {
  /** The log position of the record, counted from 1. */
  revision: number;
  /** Why the change was refused. Null if it was applied. */
  refusal: Extract<Changed, { ok: false }>['refusal'] | null;
  /** True if the same change was made before. Then it was applied once. */
  isRepeat: boolean;
  /** The number of the version of a policy or manifest that the change published. 0 for other changes. */
  policyVersion: number;
  /** The versions of policies that a published manifest made, such as `refunds.clerk@2`. */
  policiesMade: readonly string[];
};

/** Applies a record to the state after all earlier records, and returns its result. */
export function applyRecord(fold: ControlFold, record: ControlRecord, revision: number): ChangeOutcome {
  const changed = fold.apply(record, revision);
  const tookEffect = changed.ok && changed.revision === revision;
  return {
    revision,
    refusal: changed.ok ? null : changed.refusal,
    isRepeat: changed.ok && !tookEffect,
    policyVersion: tookEffect ? versionOf(fold, record) : 0,
    policiesMade: tookEffect ? policiesMade(fold, record, revision) : [],
  };
}

function versionOf(fold: ControlFold, record: ControlRecord): number {
  const { policies, manifests } = fold.tenant(record.change.tenant);
  switch (record.event) {
    case 'policy.published':
      return policies.get(record.policy.id)?.versions.length ?? 0;
    case 'manifest.published':
      return manifests.get(record.manifest.id)?.versions.length ?? 0;
    default:
      return 0;
  }
}

function policiesMade(fold: ControlFold, record: ControlRecord, revision: number): string[] {
  if (record.event !== 'manifest.published') return [];
  const { policies } = fold.tenant(record.change.tenant);
  return record.manifest.policies.flatMap(({ id }) => {
    const history = policies.get(id);
    return history?.revision === revision ? [`${id}@${history.versions.length}`] : [];
  });
}
