/** Computes the outcome of a model call from the delivered part of its answer. */
import type { RunningOutcome, TokenUsage, ToolCalls } from '../types.ts';
import { tokensOfBytes } from './count-tokens.ts';

/** The received part of an answer. */
export type Delivery = {
  /** The usage of the whole answer. Null if the provider has not stated it yet. */
  usage: TokenUsage | null;
  /** The usage at the start of a stream. Null if the provider stated no usage there. */
  started: TokenUsage | null;
  /** The bytes of text, thinking and tool arguments that the reader got. */
  deliveredBytes: number;
  /** The tool calls in the received part. Empty if there are none. Absent if they are unknown. */
  toolCalls?: ToolCalls | undefined;
};

/** The delivery if no part of the answer was received. */
export const NOTHING: Delivery = { usage: null, started: null, deliveredBytes: 0 };

/** `whole`: the reader got the whole answer. `left`: the reader stopped. `broken`: the answer failed or was aborted. */
export type AnswerEnd = 'whole' | 'left' | 'broken';

/** Returns the outcome of a whole answer. Without usage its cost is unknown, so the reservation stays charged. */
export function outcomeOfAnswer(usage: TokenUsage | null): RunningOutcome {
  return usage === null ? { status: 'success' } : { status: 'success', usage };
}

/**
 * Returns the outcome of an answer. An answer that ended early costs its input and the delivered output, because
 * providers bill both.
 *
 * @param inputTokens the estimate, used if the stream ended before the provider stated the input
 */
export function outcomeOfDelivery(end: AnswerEnd, delivery: Delivery, inputTokens: number): RunningOutcome {
  const { toolCalls } = delivery;
  const charged = chargedFor(end, delivery, inputTokens);
  return toolCalls === undefined ? charged : { ...charged, toolCalls };
}

function chargedFor(
  end: AnswerEnd,
  { usage, started, deliveredBytes }: Delivery,
  inputTokens: number,
): RunningOutcome {
  if (end === 'whole') return outcomeOfAnswer(usage);
  const status = end === 'broken' ? 'failure' : 'success';
  if (usage !== null) return { status, usage };
  const outputTokens = Math.max(started?.outputTokens ?? 0, tokensOfBytes(deliveredBytes));
  return { status, usage: { ...(started ?? { inputTokens }), outputTokens } };
}

/**
 * Returns the outcome of a call that failed in a framework. A call without any delivery costs nothing, because the
 * provider has nearly always refused it.
 *
 * @param inputTokens the estimate
 */
export function outcomeOfFailure(deliveredBytes: number, inputTokens: number): RunningOutcome {
  if (deliveredBytes === 0) return { status: 'failure' };
  return outcomeOfDelivery('broken', { ...NOTHING, deliveredBytes }, inputTokens);
}
