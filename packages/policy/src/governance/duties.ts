import type { Duties, Json, Note, Obligations, Plan, PlannedSave, StepFacts } from '@mandate/schemas';
import { wireTime } from '@mandate/schemas/core';
import { changeAt } from './categories/change-at.ts';

/** Completes what an ALLOW obliges to with the time of the decision, in ms since 1970. */
export function dutiesAt(
  { obligations, notes = [], saves, change }: Duties,
  atMs: number,
): { obligations: Obligations; notes: readonly Note[] } {
  if (change !== undefined) return changeAt(change, atMs);
  if (saves === undefined) return { obligations, notes };
  return { obligations: { saves: saves.map((save) => savedAt(save, atMs)), ...obligations }, notes };
}

function savedAt(save: PlannedSave, atMs: number): Json {
  const expiresAt = save.ttlMs === null ? null : wireTime(atMs + save.ttlMs);
  return { ...save, expiresAt };
}

/** Returns the duties of an allowed action. In a turn, they follow from the intent of the turn. */
export function dutiesOf({ duties, dutiesOfIntent }: Plan, { limits }: StepFacts): Duties | null {
  if (dutiesOfIntent !== undefined) {
    const turn = limits.find((fact) => fact.kind === 'turn');
    if (turn !== undefined) return dutiesOfIntent[turn.intent ?? ''] ?? null;
  }
  return duties ?? null;
}
