/** Distributed mode: decides in this process. The state is in Redis, and every process with the same prefix shares it. */
import { type LocalDecider, localDecider } from '@mandate/engine';
import { compileActionRedaction } from '@mandate/policy';
import { nameFault } from '@mandate/schemas/core';
import { ledgerApprovals } from '../approvals.ts';
import type { Audit } from '../audit.ts';
import type { DecisionPoint } from '../decision-point.ts';
import { mandatesOf, readActionOf, remainingBudget } from '../local/local-point.ts';
import { readMandate } from '../policy.ts';
import type { MandateDocument } from '../types.ts';
import type { OpenState, RedisStateManager } from './redis-state.ts';
import { Room } from './room.ts';

type Options = {
  mandate?: MandateDocument | string | undefined;
  agentId?: string | undefined;
  state: RedisStateManager;
  audit: Audit;
  /** Whether the state ends with the point. */
  closesState: boolean;
};

/** The most steps that one process has under way at Redis. More would make each of them late. */
const MOST_STEPS = 32;

/** @throws MandateError MANDATES_INVALID, FILE_UNREADABLE */
export function distributedPoint({ mandate, agentId, state, audit, closesState }: Options): DecisionPoint {
  const mandates = mandatesOf({ mandate, agentId });
  const room = new Room(MOST_STEPS);
  const redact = compileActionRedaction();
  const deciders = new WeakMap<OpenState, LocalDecider>();
  const deciderOf = (open: OpenState): LocalDecider => {
    const known = deciders.get(open);
    if (known !== undefined) return known;
    const { ledger, clock } = open;
    const made = localDecider({ ledger, control: mandates, redact, clock });
    deciders.set(open, made);
    return made;
  };
  return {
    nameFault,
    readAction: readActionOf,
    async decide(record) {
      const decision = await room.with(async () => {
        const open = await state.open();
        const made = await deciderOf(open).decide(record);
        state.decided(open, made);
        return made;
      });
      audit.record({ event: 'action.decided', decision });
      return decision;
    },
    async settle(outcome, type) {
      const settlement = await room.with(async () => {
        const open = await state.open();
        const made = await deciderOf(open).settle(outcome);
        state.settled(open, made, type);
        return made;
      });
      audit.record({ event: 'action.settled', settlement });
    },
    kills: state.kills,
    approvals: ledgerApprovals(() => state.open()),
    costOf: (agent) => state.costOf(agent),
    callsOf: (agent) => state.callsOf(agent),
    async remainingBudgetOf(agent) {
      const { ledger, clock } = await state.open();
      return remainingBudget(mandates, agent, clock(), ledger);
    },
    delegate(parent, agent, document) {
      mandates.delegate(parent, agent);
      if (document !== undefined) mandates.state(agent, readMandate(document, agent));
    },
    addMandate: (agent, document) => mandates.state(agent, readMandate(document, agent)),
    flush: async (options) => void (await audit.flush(options)),
    auditCounts: () => audit.counts(),
    async close(options) {
      await audit.close(options);
      if (closesState) await state.close();
    },
  };
}
