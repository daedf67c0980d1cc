/** Records what an adapter reports about the calls of an instance. */
import type { MandateInstance } from '../mandate.ts';
import type { RunningOutcome } from '../types.ts';

/** Returns the list to which every outcome is added, in the order of the reports. */
export function recordOutcomes(mandate: MandateInstance): RunningOutcome[] {
  const outcomes: RunningOutcome[] = [];
  const agentOf = mandate.agent.bind(mandate);
  mandate.agent = (options) => {
    const agent = agentOf(options);
    const start: typeof agent.start = async (call) => {
      const running = await agent.start(call);
      const settle: typeof running.settle = (outcome) => {
        outcomes.push(outcome);
        return running.settle(outcome);
      };
      return { ...running, settle };
    };
    return { ...agent, start };
  };
  return outcomes;
}
