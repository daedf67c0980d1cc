/** Answers a repeated delivery with the stored answer, or with the fact that its record is on the log. */
import { MandateError } from '@mandate/runtime';
import type { SettleRequest, StepRequest } from '@mandate/schemas';
import type { StepResult } from '../port.ts';
import { isForgotten } from './deliveries.ts';
import { type Position, sourceOf } from './log-positions.ts';

/** Returns null for an unknown or forgotten delivery. Throws LEDGER_CORRUPT if the position had another request. */
export function answerAgain(
  position: Position,
  operation: StepRequest | SettleRequest,
  nowMs: number,
): StepResult | null {
  const known = position.log.deliveries.get(position.offset);
  if (known === undefined || isForgotten(known, nowMs)) return null;
  const digest = known.kind === 'settled' ? null : known.digest;
  if (digest !== (operation.op === 'settle' ? null : operation.digest)) throw corrupt(position);
  const { unpublished } = known;
  if (unpublished === null) return { kind: 'published' };
  if ('plan' in unpublished)
    return { kind: 'decided', plan: unpublished.plan, facts: unpublished.facts, redelivered: true };
  return { kind: 'settled', facts: unpublished.facts, redelivered: true };
}

function corrupt(position: Position): MandateError {
  const { topic, partition, offset } = sourceOf(position);
  return new MandateError(
    'LEDGER_CORRUPT',
    `The ledger remembers another record at ${topic}/${partition}/${offset} than the one that was read there.`,
    {
      remedy:
        'Log and ledger do not belong together. Rebuild the ledger from this log, or point it at its own.',
    },
  );
}
