/**
 * Random histories of one partition of the decisions topic. Ledgers are rebuilt, and newer ledgers replace older
 * ones. `standing` says which decisions are valid, according to the documented contract and not to the code. Every
 * reader of the log is tested with these histories, so all readers agree.
 */
import type { DecisionsRecord } from '@mandate/schemas';
import fc from 'fast-check';
import { buildDecision } from './build-decision.ts';

export type EpochStep =
  | { begins: { id: string; generation?: number } }
  /** The id of the ledger epoch in which the decision was made. */
  | { madeIn: string };

const EPOCHS = 6;
const HIGHEST_GENERATION = 9;

/**
 * Ledger epochs begin in random order of their generations. Some generations are equal, and some are missing, as in
 * records of older programs. A record with a generation may appear twice, as after a lost acknowledgement.
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

/** Returns the record of a step. `at` makes each decision different. */
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

/** Returns for each step whether it is a valid decision. */
export function standing(steps: readonly EpochStep[]): boolean[] {
  return steps.map((step, at) => {
    if (!('madeIn' in step)) return false;
    const inForce = steps
      .slice(0, at)
      .findLast((_, place) => !isOvertaken(steps, place) && begunAt(steps, place));
    return inForce === undefined || ('begins' in inForce && inForce.begins.id === step.madeIn);
  });
}

/**
 * True if an earlier record has the same or a higher generation. A record without a generation is never overtaken.
 */
export function isOvertaken(steps: readonly EpochStep[], place: number): boolean {
  const { generation } = begunAt(steps, place) ?? {};
  if (generation === undefined) return false;
  return steps.slice(0, place).some((_, before) => (begunAt(steps, before)?.generation ?? 0) >= generation);
}

function begunAt(steps: readonly EpochStep[], place: number): { id: string; generation?: number } | null {
  const step = steps[place];
  return step !== undefined && 'begins' in step ? step.begins : null;
}
