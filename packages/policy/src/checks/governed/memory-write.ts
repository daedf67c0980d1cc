import type { Duties, MemoryWrite, OriginViolation, PlannedSave } from '@mandate/schemas';
import { listed, readDuration } from '@mandate/schemas/core';
import type { Save, Saves, WriteQuestion } from '../../governance/saves/decide-saves.ts';
import type { Hints } from '../../governance/saves/hints.ts';
import { lowerLimit } from '../../lower-limit.ts';
import { tooManySteps } from '../../refused-plan.ts';
import { blocked, type JointCheck, type JointFinding, obliging } from '../check.ts';
import { type Governed, governedOf } from './governed.ts';

const CHECK = 'saves-decided';

/**
 * Decides what of an interaction is saved. Only what every policy saves is saved. A model cannot force or prevent a
 * save: what it must not say is left out and told.
 */
export const savesDecided: JointCheck = (calls) => {
  if (calls[0]?.type !== 'memory_write') return null;
  const governed = governedOf(calls);
  const saving = governed.filter(({ governance }) => governance.saves !== null);
  return {
    check: CHECK,
    run(subject) {
      const decided: Saves[] = [];
      for (const { governance, policy } of saving) {
        const saves = governance.saves?.()(questionOf(subject.action as MemoryWrite), subject.stepBudget);
        if (saves === null || saves === undefined) {
          const { check, violation } = tooManySteps('for the save rules', {});
          return { result: 'block', check, violation, of: policy };
        }
        decided.push(saves);
      }
      return answered(decided, governed);
    },
  };
};

function answered(decided: readonly Saves[], governed: readonly Governed[]): JointFinding {
  const saves = savesOfAll(decided);
  for (const { policy, governance } of governed) {
    const { specialist } = governance;
    const refused = specialist === null ? undefined : saves.find(({ store }) => !specialist.write.has(store));
    if (refused === undefined) continue;
    const { store } = refused;
    const finding = blocked(
      CHECK,
      { store },
      {
        code: 'STORE_NOT_ALLOWED',
        reason: `The save goes to the store "${store}". This specialist may write ${listed(specialist?.write ?? [])}.`,
        remedy: 'Have the agent of the specialist save it, or go on without memory.',
      },
    );
    return { ...finding, of: policy };
  }
  const decidedBy =
    decided.find((one) => one.saves.length === 0)?.decidedBy ?? decided[0]?.decidedBy ?? 'none';
  const duties: Duties = { obligations: { decidedBy }, saves: saves as unknown as PlannedSave[] };
  const violations: OriginViolation[] = uniqueOf(decided.flatMap((one) => one.violations));
  const finding = obliging(CHECK, { decidedBy, stores: saves.map(({ store }) => store) }, duties);
  return violations.length === 0 ? finding : { ...finding, violations };
}

function questionOf({ event, text, hints = {}, origins = {} }: MemoryWrite): WriteQuestion {
  const { ttl, ...others } = hints;
  const read = ttl === undefined ? null : readDuration(ttl);
  const asked = read?.ok === true ? { ...others, ttlMs: read.ms } : others;
  return { event, text, hints: asked as Hints, origins };
}

/** Returns the saves that all policies decide, each with the shortest time. */
function savesOfAll(decided: readonly Saves[]): readonly Save[] {
  const [first, ...others] = decided.map(({ saves }) => saves);
  if (first === undefined) return [];
  return others.reduce<readonly Save[]>(
    (saves, other) =>
      saves.flatMap((save) => {
        const same = other.find(({ store }) => store === save.store);
        return same === undefined ? [] : [{ ...save, ttlMs: lowerLimit(save.ttlMs, same.ttlMs) }];
      }),
    first,
  );
}

function uniqueOf(violations: readonly OriginViolation[]): OriginViolation[] {
  const byField = new Map(violations.map((one) => [`${one.rule} ${one.field}`, one]));
  return [...byField.values()];
}
