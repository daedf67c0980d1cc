/** Makes a call wait for a person: the graph is interrupted, and its checkpoint keeps the waiting call. */
import { interrupt } from '@langchain/langgraph';
import type { MandateDeferredError } from '../errors.ts';

/**
 * Interrupts the graph until it is resumed. The value of the resume has no effect: the call is requested again, and the
 * decision point knows the answer of the person.
 *
 * @throws GraphInterrupt, which the graph catches; the given error if the graph has no checkpointer
 */
export function waitForAnswer(error: MandateDeferredError): void {
  const { approvalId, agentId, action, reason, remedy } = error;
  try {
    interrupt({ type: 'mandate_approval', approvalId, agentId, action, reason, remedy });
  } catch (thrown) {
    if (isBubbleUp(thrown)) throw thrown;
    throw error;
  }
}

/**
 * Takes the value with which the graph was resumed. In a resumed graph an approved call does not wait, so it must still
 * take its value. Otherwise the first question of the tool would get this value.
 */
export function takeAnswer(): void {
  try {
    interrupt(null);
  } catch {
    // The graph was not resumed, or has no checkpointer. There is no value to take.
  }
}

/** True for the errors with which LangGraph controls a graph. */
export function isBubbleUp(error: unknown): boolean {
  return (
    typeof error === 'object' && error !== null && 'is_bubble_up' in error && error.is_bubble_up === true
  );
}
