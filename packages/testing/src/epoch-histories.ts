/**
 * Histories of one partition of the decisions topic, in which ledgers are rebuilt, overtaken and decided in; and which of
 * the decisions stand, by the words of the contract and not by its code. Each reader of the log is held to the same, so
 * all of them agree.
 */
import type { DecisionsRecord } from '@mandate/schemas';
import fc from 'fast-check';
import { buildDecision } from './build-decision.ts';

export type EpochStep =
  | { begins: { id: string; generation?: number } }
  /** The epoch that a decision was made in. */
  | { madeIn: string };

const EPOCHS = 6;
const HIGHEST_GENERATION = 9;

/**
 * Epochs begin in any order of their generations, some of which are the same, and some of which are missing, as in what
 * older programs wrote. A record that names its generation may come twice, as after a lost acknowledgement.
 */
export const arbitraryEpochHistory: fc.Arbitrary<EpochStep[]> = fc
  .record({
    generations: fc.array(fc.option(fc.integer({ min: 1, max: HIGHEST_GENERATION }), { freq: 4 }), {
      minLength: EPOCHS,
      maxLength: EPOCHS,
    }),
    steps: fc.array(fc.record({ begins: fc.boolean(), epoch: fc.nat(EPOCHS - 1) }), { maxLength: 40 }),
  })
  .map(({ generations, steps }) => {
    const begun = new Set<number>();
    return steps.flatMap(({ begins, epoch }): EpochStep[] => {
      const id = `ep-${epoch}`;
      if (!begins) return [{ madeIn: id }];
      const generation = generations[epoch] ?? null;
      if (generation !== null) return [{ begins: { id, generation } }];
      if (begun.has(epoch)) return [];
      begun.add(epoch);
      return [{ begins: { id } }];
    });
  });

/** A step as it lies on the log; `at` tells one decision from another. */
export function recordOf(step: EpochStep, at: number): DecisionsRecord {
  if ('begins' in step) {
    const epoch = { ...step.begins, previous: null, reason: 'rebuilt', at: '2026-01-01T00:00:00.000Z' };
    return { event: 'ledger.epoch', epoch };
  }
  return {
    event: 'action.decided',
    decision: buildDecision(at, { appendedAtMs: 1_000, ledgerEpoch: step.madeIn }),
  };
}

/** For each step, whether it is a valid decision. */
export function standing(steps: readonly EpochStep[]): boolean[] {
  return steps.map((step, at) => {
    if (!('madeIn' in step)) return false;
    const inForce = steps
      .slice(0, at)
      .findLast((_, place) => !isOvertaken(steps, place) && begunAt(steps, place));
    return inForce === undefined || ('begins' in inForce && inForce.begins.id === step.madeIn);
  });
}

/** Whether a record of as high a generation lies before this one, which names its own. */
export function isOvertaken(steps: readonly EpochStep[], place: number): boolean {
  const { generation } = begunAt(steps, place) ?? {};
  if (generation === undefined) return false;
  return steps.slice(0, place).some((_, before) => (begunAt(steps, before)?.generation ?? 0) >= generation);
}

function begunAt(steps: readonly EpochStep[], place: number): { id: string; generation?: number } | null {
  const step = steps[place];
  return step !== undefined && 'begins' in step ? step.begins : null;
}
