/** An instance in local mode that records its decisions and the outcomes of its calls. */
import { localPoint } from '../local/local-point.ts';
import { MandateInstance, type MandateOptions } from '../mandate.ts';
import type { Decision, MandateDocument, RunningOutcome } from '../types.ts';
import { RecordingState } from './recording-state.fixture.ts';

type Recorded = Pick<MandateOptions, 'runId' | 'onError'> & {
  document?: MandateDocument;
  state?: RecordingState;
  /** Replaces what the decision point does. */
  decide?: (() => Promise<Decision>) | undefined;
};

/** Returns the instance with the lists of its decisions and outcomes, each in their order. */
export function recordedMandate({
  document = {},
  state = new RecordingState(),
  decide,
  ...options
}: Recorded = {}) {
  const outcomes: RunningOutcome[] = [];
  class RecordedMandate extends MandateInstance {
    protected override openPoint() {
      const point = localPoint({ mandate: document, agentId: 'bot', state });
      return {
        ...point,
        decide: decide ?? point.decide,
        settle(...given: Parameters<typeof point.settle>) {
          const { status, usage } = given[0] as RunningOutcome;
          outcomes.push(usage === undefined ? { status } : { status, usage });
          return point.settle(...given);
        },
      };
    }
  }
  const mandate = new RecordedMandate({ agentId: 'bot', ...options });
  return { mandate, state, decisions: state.decisions, outcomes };
}
