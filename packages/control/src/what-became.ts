import type { ControlRecord } from '@mandate/schemas';
import type { Changed, ControlFold } from './control-state.ts';

/** What a record of the control topic means to a reader of its history, not of its present state. */
export type WhatBecame = {
  /** Its place on the log, counted from 1. */
  revision: number;
  /** Why it never took effect; null where it did. */
  refusal: Extract<Changed, { ok: false }>['refusal'] | null;
  /** The change had been made before, and happened once. */
  isRepeat: boolean;
  /** For a policy that it published: the number of this version; 0 for anything else. */
  policyVersion: number;
};

/** Folds the record, behind all those before it. */
export function foldChange(fold: ControlFold, record: ControlRecord, revision: number): WhatBecame {
  const changed = fold.apply(record, revision);
  const tookEffect = changed.ok && changed.revision === revision;
  return {
    revision,
    refusal: changed.ok ? null : changed.refusal,
    isRepeat: changed.ok && !tookEffect,
    policyVersion: tookEffect ? versionOf(fold, record) : 0,
  };
}

function versionOf(fold: ControlFold, record: ControlRecord): number {
  if (record.event !== 'policy.published') return 0;
  return fold.tenant(record.change.tenant).policies.get(record.policy.id)?.versions.length ?? 0;
}
