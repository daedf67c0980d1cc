/**
 * The traces of a batch. Each record has a span, from the arrival of its batch until the commit of its offset. Its
 * parent is the span of the producer that appended the record. Its children are `plan`, `ledger step`, `decide` and
 * the append of the answer.
 *
 * The ledger and the log are called once for the whole batch, so all spans of a batch have the same times there
 * (`beginTogether`).
 */
import type { Batch, Bus } from '@mandate/bus';
import type { Answer } from '@mandate/engine';
import { type Attributes, consumed, type Span, type Tracer } from '@mandate/runtime';
import { GROUPS, traceparentOf } from '@mandate/schemas';

/**
 * Returns a span for each record, in order. Empty without a tracer. If the producer sent no trace, a span begins a
 * new trace.
 */
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

/** Returns trace attributes of an answer. The request gives no attributes, because it contains the agent's data. */
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
