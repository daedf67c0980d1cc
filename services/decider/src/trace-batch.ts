/**
 * What traces tell of a batch: a span for each record, from the batch in hand to its offset committed, below the span of
 * the producer that appended it; and below that `plan`, `ledger step`, `decide` and the append of the answer.
 *
 * The ledger and the log are asked once for the whole batch: the spans of a batch share those times (`beginTogether`).
 */
import type { Batch, Bus } from '@mandate/bus';
import type { Answer } from '@mandate/engine';
import { type Attributes, consumed, type Span, type Tracer } from '@mandate/runtime';
import { GROUPS, traceparentOf } from '@mandate/schemas';

/** For each record, in order, a span, which begins a trace if its producer began none; undefined without traces. */
export function beginSpans(
  tracer: Tracer | null,
  { system }: Pick<Bus, 'system'>,
  { topic, records }: Batch,
): readonly Span[] {
  if (tracer === null) return [];
  return records.map(({ headers, position }) =>
    tracer.begin(
      `process ${topic}`,
      traceparentOf(headers),
      consumed(system, GROUPS.decider, position, records.length),
    ),
  );
}

/** What was answered to a record. Never what was asked: that is the agent's. */
export function describeAnswer(answer: Answer): Attributes {
  if (answer.kind === 'published') return { 'mandate.answer': 'published before' };
  const { record } = answer;
  switch (record.event) {
    case 'action.decided': {
      const { decision } = record;
      return {
        'mandate.answer': record.event,
        'mandate.tenant': decision.tenant,
        'mandate.agent.id': decision.agentId,
        'mandate.action.id': decision.actionId,
        'mandate.decision.id': decision.id,
        'mandate.decision.kind': decision.kind,
        'mandate.verdict': decision.verdict,
        'mandate.code': decision.code,
        'mandate.charged_micros': decision.chargedMicros,
        'mandate.ledger.sequence': decision.ledgerSequence,
      };
    }
    case 'action.settled': {
      const { settlement } = record;
      return {
        'mandate.answer': record.event,
        'mandate.tenant': settlement.tenant,
        'mandate.agent.id': settlement.agentId,
        'mandate.action.id': settlement.actionId,
        'mandate.code': settlement.code,
        'mandate.charged_micros': settlement.chargedMicros,
        'mandate.ledger.sequence': settlement.ledgerSequence,
      };
    }
    case 'dead.letter':
      return { 'mandate.answer': record.event, 'mandate.code': record.deadLetter.fault.code };
  }
}
