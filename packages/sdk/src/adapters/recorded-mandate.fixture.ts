/** An instance in local mode that records its decisions and the outcomes of its calls. */
import { localPoint } from '../local/local-point.ts';
import { MandateInstance, type MandateOptions } from '../mandate.ts';
import type { Decision, MandateDocument, RunningOutcome } from '../types.ts';
import { RecordingState } from './recording-state.fixture.ts';

type Recorded = Pick<MandateOptions, 'runId' | 'onError'> & {
  document?: MandateDocument;
  state?: RecordingState;
  /** Decides instead of the decision point. The argument is the decision point's own function. */
  decide?: DecideInstead | undefined;
};

export type DecideInstead = (decide: () => Promise<Decision>) => Promise<Decision>;

/** Returns the instance, and the lists of its decisions and outcomes in order. */
export function recordedMandate({
  document = {},
  state = new RecordingState(),
  decide = (ofPoint) => ofPoint(),
  ...options
}: Recorded = {}) {
  const outcomes: RunningOutcome[] = [];
  class RecordedMandate extends MandateInstance {
    protected override openPoint() {
      const point = localPoint({ mandate: document, agentId: 'bot', state });
      return {
        ...point,
        decide: (...given: Parameters<typeof point.decide>) => decide(() => point.decide(...given)),
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
