import {
  type BudgetLimit,
  type Decision,
  type Reservation,
  type Settlement,
  sortableId,
  TOPICS,
  UNBOUND_SETTLING,
  wireTime,
} from '@mandate/schemas';

/**
 * Returns the first decision on request `n` of a partition: an ALLOW that costs nothing, with the changes in `given`.
 */
export function buildDecision(
  n: number,
  { appendedAtMs, ...given }: Partial<Decision> & { appendedAtMs: number },
): Decision {
  const { agentId = 'bot', tool = 'look', type = 'tool_call' } = given;
  return {
    id: sortableId('dec', appendedAtMs, n.toString(16).padStart(20, '0')),
    kind: 'first',
    actionId: `act-${n}`,
    attempt: 1,
    tenant: 'acme',
    agentId,
    type,
    tool,
    model: null,
    provider: null,
    verdict: 'ALLOW',
    observed: null,
    code: 'ALLOWED',
    reason: 'every check passed',
    remedy: '',
    final: false,
    retryAfterMs: null,
    chargedMicros: 0,
    cumulativeMicros: 0,
    remainingMicros: null,
    remainingCalls: null,
    leaseExpiresAt: null,
    mandate: null,
    duplicateOf: null,
    requestedAt: null,
    appendedAt: wireTime(appendedAtMs),
    decidedAt: wireTime(appendedAtMs),
    source: { topic: TOPICS.actions, partition: 0, offset: n },
    controlRevision: 1,
    ledgerEpoch: 'ep-1',
    ledgerSequence: n,
    digest: 'd',
    reservation: null,
    grantConsumed: false,
    checks: [],
    action: { id: `act-${n}`, agentId, type: 'tool_call', tool: tool ?? 'look' },
    ...given,
  };
}

const LEASE_MS = 300_000;

/** Returns a reservation of `micros` from the agent's total budget only, with the changes in `given`. */
export function buildReservation(micros: number, given: Partial<Reservation> = {}): Reservation {
  return {
    micros,
    charging: { type: 'SUCCESS_BASED', estimateMicros: micros },
    settling: UNBOUND_SETTLING,
    budgets: [],
    rates: [],
    leaseMs: LEASE_MS,
    ...given,
  };
}

/** Returns a decision that charged one dollar to a budget without a limit. */
export function buildCharged(
  n: number,
  budget: Omit<BudgetLimit, 'kind' | 'maxMicros'>,
  given: Partial<Decision> & { appendedAtMs: number },
): Decision {
  const micros = 1_000_000;
  return buildDecision(n, {
    chargedMicros: micros,
    leaseExpiresAt: wireTime(given.appendedAtMs + LEASE_MS),
    reservation: buildReservation(micros, { budgets: [{ kind: 'budget', ...budget, maxMicros: null }] }),
    ...given,
  });
}

/**
 * Returns outcome `n` of a partition: a success that the agent reports and that moves no money, with the changes in
 * `given`.
 */
export function buildSettlement(
  n: number,
  { settledAtMs, ...given }: Partial<Settlement> & { settledAtMs: number },
): Settlement {
  return {
    id: sortableId('stl', settledAtMs, n.toString(16).padStart(20, '0')),
    kind: 'settled',
    actionId: `act-${n}`,
    attempt: 1,
    tenant: 'acme',
    agentId: 'bot',
    status: 'success',
    verified: null,
    actualCostMicros: null,
    reportedBy: { keyId: null, mayRelease: false },
    late: false,
    deltaMicros: 0,
    chargedMicros: 0,
    cumulativeMicros: 0,
    excessMicros: 0,
    releasedMicros: 0,
    code: 'SETTLED',
    marks: [],
    reason: '',
    completedAt: null,
    settledAt: wireTime(settledAtMs),
    source: { topic: TOPICS.actions, partition: 0, offset: n },
    ledgerEpoch: 'ep-1',
    ledgerSequence: n,
    ...given,
  };
}
