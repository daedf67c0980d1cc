/** Records as a decider or a gateway writes them, for the tests of the rules. */

import type { LogRecord } from '@mandate/bus';
import {
  type ActionSettled,
  type AgentKilled,
  type ApprovalRecorded,
  type BudgetAdjusted,
  type Decision,
  type DecisionsRecord,
  TOPICS,
  wireTime,
} from '@mandate/schemas';
import { buildDecision, buildSettlement } from '@mandate/testing';

export const START_MS = Date.UTC(2026, 0, 5, 9, 30);

/** Returns decision number `n`. Each decision is one second later than the previous one. */
export function decided(n: number, given: Partial<Decision> = {}): DecisionsRecord {
  const appendedAtMs = START_MS + n * 1_000;
  const mandate = { id: 'm', hash: '', rules: [], policies: [] };
  return { event: 'action.decided', decision: buildDecision(n, { appendedAtMs, mandate, ...given }) };
}

/** The evidence of a budget check: the state of the budget before the decision. */
export function sawBudget(
  spentMicros: number,
  maxMicros: number,
  given: object = {},
): Decision['checks'][number] {
  const evidence = {
    scope: 'agent',
    id: 'total',
    windowMs: null,
    spentMicros,
    maxMicros,
    retryAfterMs: null,
    ...given,
  };
  return { check: 'budget', result: 'pass', evidence };
}

export function settled(n: number, given: Partial<ActionSettled['settlement']> = {}): DecisionsRecord {
  return {
    event: 'action.settled',
    settlement: buildSettlement(n, {
      ...{ settledAtMs: START_MS + n * 1_000, actualCostMicros: 1, chargedMicros: 1, cumulativeMicros: 1 },
      ...given,
    }),
  };
}

export function killed(n: number, target: AgentKilled['kill']['target']): DecisionsRecord {
  return {
    event: 'agent.killed',
    kill: {
      id: `kill-${n}`,
      by: 'key:ops',
      reason: 'it loops',
      at: wireTime(START_MS + n * 1_000),
      target,
      revision: n,
      ledgerEpoch: 'ep-1',
      ledgerSequences: {},
      openCount: 0,
      open: [],
    },
  };
}

export function approved(n: number, given: Partial<ApprovalRecorded['approval']> = {}): DecisionsRecord {
  return {
    event: 'approval.recorded',
    approval: {
      id: `apr-${n}`,
      by: 'key:ops',
      reason: 'fine',
      at: wireTime(START_MS + n * 1_000),
      tenant: 'acme',
      agentId: 'bot',
      actionId: `act-${n}`,
      digest: 'd',
      answer: 'granted',
      expiresAt: wireTime(START_MS + n * 2_000),
      ledgerEpoch: 'ep-1',
      ledgerSequence: n,
      ...given,
    },
  };
}

export function adjusted(n: number, given: Partial<BudgetAdjusted['adjustment']> = {}): DecisionsRecord {
  return {
    event: 'budget.adjusted',
    adjustment: {
      id: `adj-${n}`,
      by: 'key:ops',
      reason: 'given back',
      at: wireTime(START_MS + n * 1_000),
      tenant: 'acme',
      budget: { scope: 'agent', subject: 'bot', id: 'total', windowMs: null },
      deltaMicros: 0,
      spentMicros: 0,
      ledgerEpoch: 'ep-1',
      ledgerSequence: n,
      ...given,
    },
  };
}

/** Returns the record in the form in which the log returns it. */
export function logged(record: DecisionsRecord, offset: number, partition = 0): LogRecord {
  return {
    position: { topic: TOPICS.decisions, partition, offset },
    key: null,
    value: Buffer.from(JSON.stringify(record)),
    headers: {},
    appendedAtMs: START_MS + offset * 1_000,
  };
}
