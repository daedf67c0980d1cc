/**
 * Makes records for the logs of tests, as deciders and gateways write them. There is one literal for each kind of
 * record.
 */
import {
  type AccessRecord,
  type ActionDecided,
  type ActionSettled,
  type AgentKilled,
  type ControlRecord,
  type DeadLetter,
  type DeadLetterRepublished,
  type Decision,
  type LedgerEpoch,
  type Republication,
  type Settlement,
  sortableId,
  TOPICS,
  wireTime,
} from '@mandate/schemas';
import { buildDecision, buildSettlement } from '@mandate/testing';

export const START_MS = Date.UTC(2026, 0, 30, 12);

/**
 * Returns decision number `n` of a tenant. It has one of a few agents, charges $0.10, and has an id that is unique
 * for `n`.
 */
export function decided(n: number, given: Partial<Decision> = {}): ActionDecided {
  const { agentId = `agent-${n % 4}`, tool = 'get_user' } = given;
  const decision = buildDecision(n, {
    appendedAtMs: START_MS + n,
    agentId,
    tool,
    chargedMicros: 100_000,
    cumulativeMicros: 100_000,
    checks: [{ check: 'tool-lists', result: 'pass', evidence: { tool } }],
    action: { id: `act-${n}`, agentId, type: 'tool_call', tool: tool ?? 'get_user', args: { n } },
    ...given,
  });
  return { event: 'action.decided', decision };
}

export function settled(n: number, given: Partial<Settlement> = {}): ActionSettled {
  const settlement = buildSettlement(n, {
    ...{ settledAtMs: START_MS + n + 50, agentId: `agent-${n % 4}`, reason: 'success' },
    ...{ actualCostMicros: 90_000, deltaMicros: -10_000, chargedMicros: 90_000, cumulativeMicros: 90_000 },
    id: sortableId('stl', START_MS + n, n.toString(16).padStart(20, '0')),
    ...given,
  });
  return { event: 'action.settled', settlement };
}

export function killed(id: string, target: AgentKilled['kill']['target']): AgentKilled {
  const open = [
    {
      ...{ tenant: 'globex', agentId: 'spy', actionId: 'secret-action', attempt: 1 },
      ...{ type: 'tool_call' as const, tool: 'secret-tool', digest: 'd', sequence: 1, reservedMicros: 1 },
      ...{ decidedAtMs: START_MS, leaseExpiresAtMs: START_MS + 1 },
    },
  ];
  return {
    event: 'agent.killed',
    kill: {
      id,
      by: 'ops',
      reason: 'runaway',
      at: wireTime(START_MS),
      target,
      revision: 1,
      ledgerEpoch: 'ep-1',
      ledgerSequences: { globex: 7 },
      openCount: 1,
      open,
    },
  };
}

export function epochBegan(id: string, generation?: number): LedgerEpoch {
  const named = generation === undefined ? {} : { generation };
  return {
    event: 'ledger.epoch',
    epoch: { id, ...named, previous: null, reason: 'rebuilt', at: wireTime(START_MS) },
  };
}

/** Returns the record of an operator's republication. The answer to the republished record has one of `answerIds`. */
export function republished(
  id: string,
  letter: DeadLetter['deadLetter'],
  { tenant, answerIds }: Pick<Republication, 'tenant' | 'answerIds'>,
): DeadLetterRepublished {
  const at = wireTime(START_MS + 1_000);
  return {
    event: 'deadletter.republished',
    republication: {
      id,
      by: 'ops',
      reason: 'mended',
      at,
      letterId: letter.id,
      corrected: true,
      source: { ...letter.source, offset: 900 },
      appendedAt: at,
      tenant,
      answerIds,
    },
  };
}

/** Returns the `n`th read of a decision in a tenant's audit. */
export function readByKey(n: number, tenant = 'acme', agent = 'agent-1'): AccessRecord {
  return {
    event: 'audit.read',
    read: {
      id: sortableId('read', START_MS + n, n.toString(16).padStart(20, '0')),
      tenant,
      key: { id: `key-of-${tenant}`, name: 'auditor' },
      method: 'GET',
      route: '/v1/audit/decisions',
      parameters: { agent },
      refused: false,
      requestId: `req-${n}`,
      traceId: null,
      at: wireTime(START_MS + n),
    },
  };
}

export function deadLetterOf(n: number, topic: string = TOPICS.actions): DeadLetter {
  return {
    event: 'dead.letter',
    deadLetter: {
      id: sortableId('dlq', START_MS + n, n.toString(16).padStart(20, '0')),
      source: { topic, partition: 0, offset: n },
      key: null,
      fault: {
        code: 'INVALID_ACTION',
        reason: 'not JSON',
        remedy: 'send JSON',
        pointer: '',
        line: 1,
        column: 1,
      },
      valueBase64: Buffer.from('{').toString('base64'),
      truncated: false,
      bytes: 1,
      appendedAt: wireTime(START_MS + n),
      at: wireTime(START_MS + n),
    },
  };
}

/** Returns a change for the control topic. */
export function ruleRemoved(tenant: string): ControlRecord {
  const change = {
    id: `change-${tenant}`,
    tenant,
    by: 'ops',
    reason: 'unused',
    at: wireTime(START_MS + 86_400_000),
  };
  return { event: 'rule.removed', ruleId: 'r', change };
}
