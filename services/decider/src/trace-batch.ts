/**
 * The traces of a batch. Each record has a span, from the moment its batch arrives until its offset is committed. The
 * span is below the span of the producer that appended the record. Below it are `plan`, `ledger step`, `decide` and
 * the append of the answer.
 *
 * The ledger and the log are called once for the whole batch, so the spans of a batch share those times
 * (`beginTogether`).
 */
import type { Batch, Bus } from '@mandate/bus';
import type { Answer } from '@mandate/engine';
import { type Attributes, consumed, type Span, type Tracer } from '@mandate/runtime';
import { GROUPS, traceparentOf } from '@mandate/schemas';

/**
 * Returns a span for each record, in order, or no spans without a tracer. A span begins a new trace if the producer
 * sent none.
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

/** Attributes of the answer to a record. Never attributes of the request, because that is the agent's data. */
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
