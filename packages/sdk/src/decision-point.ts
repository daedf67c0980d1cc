/** Where actions are decided and settled. Local mode decides in this process. */
import { localDecider } from '@mandate/engine';
import { compileActionRedaction, type MandatesInForce } from '@mandate/policy';
import type { ActionRequested, Decision, Outcome, Settlement } from '@mandate/schemas';
import type { StateManager } from './state.ts';
import type { Kill } from './types.ts';

export type DecisionPoint = {
  /** @param record has passed `readActionsRecord` */
  decide(record: ActionRequested): Promise<Decision>;
  /** Settles an allowed tool call. */
  settle(outcome: Outcome): Promise<Settlement>;
  /** Calls the listener after each kill, until the returned function is called. */
  onKill(listener: (kill: Kill) => void): () => void;
};

export function localDecisionPoint(control: MandatesInForce, state: StateManager): DecisionPoint {
  const { ledger, clock, kills } = state;
  const decider = localDecider({ ledger, control, redact: compileActionRedaction(), clock });
  return {
    async decide(record) {
      const decision = await decider.decide(record);
      state.decided(decision);
      return decision;
    },
    async settle(outcome) {
      const settlement = await decider.settle(outcome);
      state.settled(settlement, 'tool_call');
      return settlement;
    },
    onKill: (listener) => kills.onKill(listener),
  };
}
