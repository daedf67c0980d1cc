/** Local mode: decides in this process, by the policy and the ledger that a plane uses. */
import { localDecider } from '@mandate/engine';
import type { Ledger } from '@mandate/ledger';
import { budgetsInForce, compileActionRedaction, leastRemaining } from '@mandate/policy';
import { type ActionRequested, DEFAULTS, readActionsRecord } from '@mandate/schemas';
import { nameFault } from '@mandate/schemas/core';
import { ledgerApprovals } from '../approvals.ts';
import { type Audit, NO_RECORDS } from '../audit.ts';
import type { DecisionPoint, ReadAction } from '../decision-point.ts';
import { MandatesOfAgents, readMandate, readMandateFile } from '../policy.ts';
import type { StateManager } from '../state.ts';
import type { MandateDocument } from '../types.ts';

type Options = {
  /** A mandate as an object, or the path of a mandate file. Absent: no agent has a mandate yet. */
  mandate?: MandateDocument | string | undefined;
  /** The agent that gets a mandate that is an object. Absent: every agent. */
  agentId?: string | undefined;
  state: StateManager;
  audit?: Audit;
  /** Whether the state ends with the point. */
  closesState?: boolean;
};

/** @throws MandateError MANDATES_INVALID, FILE_UNREADABLE */
export function localPoint({ mandate, agentId, state, audit, closesState = true }: Options): DecisionPoint {
  const { ledger, clock, kills } = state;
  const mandates = mandatesOf({ mandate, agentId });
  const decider = localDecider({ ledger, control: mandates, redact: compileActionRedaction(), clock });
  return {
    nameFault,
    readAction: readActionOf,
    async decide(record) {
      const decision = await decider.decide(record);
      state.decided(decision);
      audit?.record({ event: 'action.decided', decision });
      return decision;
    },
    async settle(outcome, type) {
      const settlement = await decider.settle(outcome);
      state.settled(settlement, type);
      audit?.record({ event: 'action.settled', settlement });
    },
    kills,
    approvals: ledgerApprovals(() => state),
    costOf: async (agent) => state.costOf(agent),
    callsOf: async (agent) => state.callsOf(agent),
    remainingBudgetOf: (agent) => remainingBudget(mandates, agent, clock(), ledger),
    delegate(parent, agent, document) {
      mandates.delegate(parent, agent);
      if (document !== undefined) mandates.state(agent, readMandate(document, agent));
    },
    addMandate: (agent, document) => mandates.state(agent, readMandate(document, agent)),
    flush: async (options) => void (await audit?.flush(options)),
    auditCounts: () => audit?.counts() ?? NO_RECORDS,
    async close(options) {
      await audit?.close(options);
      if (closesState) await state.close();
    },
  };
}

/** @throws MandateError MANDATES_INVALID, FILE_UNREADABLE */
export function mandatesOf({ mandate, agentId }: Pick<Options, 'mandate' | 'agentId'>): MandatesOfAgents {
  const file = typeof mandate === 'string' ? readMandateFile(mandate) : [];
  return new MandatesOfAgents(typeof mandate === 'object' ? [readMandate(mandate, agentId ?? null)] : file);
}

/** Returns the least that any budget of the agent has left. Null if no budget limits the agent. */
export async function remainingBudget(
  mandates: MandatesOfAgents,
  agent: string,
  atMs: number,
  ledger: Pick<Ledger, 'spent'>,
): Promise<number | null> {
  const budgets = budgetsInForce(mandates, DEFAULTS.tenant, agent, atMs);
  return leastRemaining(budgets, await ledger.spent(DEFAULTS.tenant, budgets));
}

/** Reads a record as strictly as the log of a plane does. */
export function readActionOf(json: string): ReadAction {
  const read = readActionsRecord(new TextEncoder().encode(json));
  return read.ok ? { ok: true, value: read.value as ActionRequested } : read;
}
