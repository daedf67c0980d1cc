/** How a call waits for a person: the graph is interrupted, and its checkpoint waits. */
import { interrupt } from '@langchain/langgraph';
import type { MandateDeferredError } from '../errors.ts';

/**
 * Interrupts the graph until it is resumed. The value of the resume has no effect: the call is asked for again, and
 * the decision point knows what the person answered.
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
 * Takes the value with which the graph was resumed. In a resumed graph an approved call does not wait, so it must take
 * the value itself. Otherwise the first question of the tool would get it.
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
