/**
 * Random histories of a log for the tests: decisions, settlements and budget adjustments. A record may be delivered
 * several times, at different offsets. Some deliveries are void, which means that they do not count. The audit's
 * answers must depend on the unique valid records only.
 */
import {
  type ActionDecided,
  type ActionSettled,
  type AuditRead,
  type BudgetAdjusted,
  type Decision,
  type Settlement,
  type Shadow,
  sortableId,
  TOPICS,
  wireTime,
} from '@mandate/schemas';
import { buildDecision, buildReservation, buildSettlement } from '@mandate/testing';
import fc from 'fast-check';
import type { Recorded } from './recorded.ts';

/** The random histories start here: near the end of a month and near the start of summer time in Berlin. */
export const START_MS = Date.UTC(2026, 2, 28, 12);
export const SPAN_MS = 4 * 86_400_000;
const TEAM_WINDOW_MS = 86_400_000;

const atMs = fc.integer({ min: START_MS, max: START_MS + SPAN_MS });
const agentId = fc.constantFrom('a-1', 'a-2', "o'brien\\", 'zwölf✓');
const micros = fc.oneof(fc.integer({ min: 0, max: 3_000_000 }), fc.constant(2 ** 45 + 1));

function shadowOf(verdict: Shadow['verdict'], code: Shadow['code']): Shadow {
  return { verdict, code, unknownLimits: code === null ? 1 : 0, rules: ['r-1'], policies: ['pol_c@1'] };
}

/** The possible outcomes of a decision. */
export const arbitraryRuling = fc.constantFrom(
  { verdict: 'ALLOW', code: 'ALLOWED', observed: null },
  { verdict: 'ALLOW', code: 'ALLOWED', observed: { verdict: 'BLOCK', code: 'TOOL_DENIED' } },
  { verdict: 'BLOCK', code: 'COST_LIMIT_EXCEEDED', observed: null },
  { verdict: 'BLOCK', code: 'TOOL_DENIED', observed: null },
  { verdict: 'ALLOW', code: 'ALLOWED', observed: null, shadow: shadowOf('BLOCK', 'TOOL_DENIED') },
  { verdict: 'BLOCK', code: 'TOOL_DENIED', observed: null, shadow: shadowOf('BLOCK', 'TOOL_DENIED') },
  { verdict: 'BLOCK', code: 'TOOL_DENIED', observed: null, shadow: shadowOf('UNKNOWN', null) },
  { verdict: 'BLOCK', code: 'DUPLICATE_ACTION', observed: null, kind: 'duplicate' },
  { verdict: 'DEFER', code: 'APPROVAL_REQUIRED', observed: null },
) satisfies fc.Arbitrary<
  Pick<Decision, 'verdict' | 'code' | 'observed' | 'shadow'> & { kind?: Decision['kind'] }
>;

const mandate = fc.constantFrom(
  null,
  { id: 'm-1', hash: 'h', rules: [], policies: ['pol_a@1', 'pol_b@2'] },
  { id: 'mnd_2', hash: 'h', rules: [], policies: ['pol_a@2'] },
) satisfies fc.Arbitrary<Decision['mandate']>;

const principal = fc.constantFrom(undefined, { id: 'u-1', role: 'clerk' }, { id: 'u-2' });

const tokenCount = fc.oneof(fc.nat(9_000), fc.constant(2 ** 40));

const arbitraryUsage = fc.option(
  fc
    .tuple(tokenCount, tokenCount, fc.option(tokenCount, { nil: undefined }), fc.boolean())
    .map(([one, other, reasoning, cached]) => ({
      inputTokens: one + other,
      ...(cached && { cachedInputTokens: one, cacheWriteTokens: other }),
      outputTokens: other,
      ...(reasoning !== undefined && { reasoningTokens: Math.min(reasoning, other) }),
    })),
  { nil: undefined },
);

const arbitraryToolCalls = fc.option(
  fc.uniqueArray(
    fc.record({ tool: fc.constantFrom('', 'get_user', 'рас"\'\\'), calls: fc.integer({ min: 1, max: 9 }) }),
    {
      selector: ({ tool }) => tool,
      minLength: 1,
    },
  ),
  { nil: undefined },
);

/** Returns random parts of a decision. Its request reaches the log at most `spanMs` after `START_MS`. */
export const arbitraryCall = (spanMs = SPAN_MS) =>
  fc.record({
    agentId,
    tool: fc.constantFrom('get_user', 'send_certificate', null),
    model: fc.constantFrom('claude-x', 'llama-y'),
    provider: fc.constantFrom('anthropic', undefined),
    principal,
    mandate,
    appendedAtMs: fc.integer({ min: START_MS, max: START_MS + spanMs }),
    delayMs: fc.oneof(fc.integer({ min: 0, max: 12 }), fc.integer({ min: -5, max: 90_000 })),
    chargedMicros: micros,
    ruling: arbitraryRuling,
    team: fc.boolean(),
    /** The results of the checks of the agent's own budget, the team's budget, and a rate. */
    weighed: fc.option(
      fc.record({
        spentMicros: fc.nat(3_000_000),
        maxMicros: fc.constantFrom(0, 1_000_000, 3_000_000),
        teamMaxMicros: fc.constantFrom(2_500_000, 2 ** 46),
        calls: fc.nat(9),
      }),
    ),
    settled: fc.option(
      fc.record({
        kind: fc.constantFrom('settled', 'repeated'),
        delta: fc.nat(2_000_000),
        status: fc.constantFrom('success', 'failure', 'cancelled'),
        verified: fc.constantFrom(null, true, false),
        excessMicros: fc.constantFrom(0, 0, 2 ** 45),
        releasedMicros: fc.constantFrom(0, 500, -20),
        refused: fc.boolean(),
        usage: arbitraryUsage,
        toolCalls: arbitraryToolCalls,
        usageMicros: fc.constantFrom(undefined, 0, 7, 2 ** 45),
        afterMs: fc.nat(spanMs),
      }),
    ),
  });
type Called = ReturnType<typeof arbitraryCall> extends fc.Arbitrary<infer T> ? T : never;

/** Each item is one delivery of the record. The item is true if the delivery is void. */
const deliveries = fc.array(fc.constantFrom(false, false, false, true), { minLength: 1, maxLength: 3 });

export const arbitraryAdjustment = fc.record({
  agentId: fc.option(agentId),
  deltaMicros: fc.integer({ min: -500_000, max: 100_000 }),
  atMs,
});

export type History = {
  decisions: Recorded<Decision>[];
  settlements: Recorded<Settlement>[];
  adjustments: Recorded<BudgetAdjusted>[];
};

/**
 * Returns random histories. Deliveries have a random order, and their offsets rise in this order. Each generated
 * value is a function of the tenant, so that each run can use its own tenant.
 */
export function arbitraryHistory(spanMs = SPAN_MS): fc.Arbitrary<(tenant: string) => History> {
  return fc
    .tuple(
      fc.array(fc.tuple(arbitraryCall(spanMs), deliveries, deliveries), { maxLength: 40, size: 'max' }),
      fc.array(fc.tuple(arbitraryAdjustment, deliveries), { maxLength: 3 }),
    )
    .chain(([calls, adjustments]) => {
      const delivered = [
        ...calls.flatMap(([call, decided, settled], index) => [
          ...decided.map((isVoid) => ({ call, index, isVoid, of: 'decision' as const })),
          ...settled.map((isVoid) => ({ call, index, isVoid, of: 'settlement' as const })),
        ]),
        ...adjustments.flatMap(([adjusted, given], index) =>
          given.map((isVoid) => ({ adjusted, index, isVoid, of: 'adjustment' as const })),
        ),
      ];
      return fc.shuffledSubarray(delivered, { minLength: delivered.length });
    })
    .map((delivered) => (tenant) => {
      const history: History = { decisions: [], settlements: [], adjustments: [] };
      for (const [offset, one] of delivered.entries()) {
        if (one.of === 'adjustment') {
          const record = adjustmentOf(tenant, one.index, one.adjusted);
          history.adjustments.push({ record, ...onLog(record, offset, one.isVoid) });
          continue;
        }
        const decision = decisionOf(tenant, one.index, one.call);
        const settlement = settledBy(one.call, decision);
        if (one.of === 'decision') history.decisions.push(recordedDecision(decision, offset, one.isVoid));
        else if (settlement !== null)
          history.settlements.push(recordedSettlement(settlement, offset, one.isVoid));
      }
      return history;
    });
}

export function recordedDecision(decision: Decision, offset: number, isVoid = false): Recorded<Decision> {
  const event: ActionDecided = { event: 'action.decided', decision };
  return { record: decision, ...onLog(event, offset, isVoid) };
}

export function recordedSettlement(
  settlement: Settlement,
  offset: number,
  isVoid = false,
): Recorded<Settlement> {
  const event: ActionSettled = { event: 'action.settled', settlement };
  return { record: settlement, ...onLog(event, offset, isVoid) };
}

/** Returns the fields of `Recorded` for an event on the log, except `record` itself. */
export function onLog(event: unknown, offset: number, isVoid = false): Omit<Recorded<unknown>, 'record'> {
  return {
    value: new TextEncoder().encode(JSON.stringify(event)),
    position: { topic: TOPICS.decisions, partition: 0, offset },
    void: isVoid,
    recordedAtMs: START_MS + offset,
    traceId: null,
  };
}

/** Returns a decision with ids that are made from `index`. */
export function decisionOf(tenant: string, index: number, call: Partial<Called> = {}): Decision {
  const {
    agentId = 'a-1',
    tool = 'get_user',
    model = 'claude-x',
    provider,
    principal,
    mandate = null,
    weighed = null,
    appendedAtMs = START_MS + index,
    delayMs = 5,
    chargedMicros = 100_000,
  } = call;
  const { team = false, ruling = { verdict: 'ALLOW', code: 'ALLOWED', observed: null } } = call;
  const charged = ruling.verdict === 'ALLOW' ? chargedMicros : 0;
  const own = {
    kind: 'budget',
    scope: 'agent',
    subject: agentId,
    id: 'total',
    windowMs: null,
    maxMicros: null,
  } as const;
  const shared = {
    kind: 'budget',
    scope: 'tenant',
    subject: '',
    id: 'team',
    windowMs: TEAM_WINDOW_MS,
    maxMicros: 5,
  } as const;
  const request = { id: `act-${index}`, agentId, ...(principal && { principal }) };
  return buildDecision(index, {
    appendedAtMs,
    tenant,
    agentId,
    type: tool === null ? 'llm_call' : 'tool_call',
    tool,
    model: tool === null ? model : null,
    provider: tool === null ? (provider ?? null) : null,
    mandate,
    ...ruling,
    chargedMicros: charged,
    cumulativeMicros: charged,
    decidedAt: wireTime(appendedAtMs + delayMs),
    checks: weighed === null ? [] : checksOf(weighed, team),
    reservation:
      ruling.verdict === 'ALLOW'
        ? buildReservation(charged, { budgets: team ? [own, shared] : [own] })
        : null,
    action:
      tool === null
        ? {
            ...request,
            type: 'llm_call',
            model,
            ...(provider && { provider }),
            inputTokens: 1,
            maxOutputTokens: 1,
          }
        : { ...request, type: 'tool_call', tool },
  });
}

function checksOf(weighed: NonNullable<Called['weighed']>, team: boolean): Decision['checks'] {
  const { spentMicros, maxMicros, teamMaxMicros, calls } = weighed;
  const evidence = { spentMicros, windowMs: null };
  const budget = { check: 'budget', result: 'pass' } as const;
  const ofTeam = {
    ...evidence,
    scope: 'tenant',
    id: 'team',
    windowMs: TEAM_WINDOW_MS,
    maxMicros: teamMaxMicros,
  };
  return [
    { ...budget, evidence: { ...evidence, scope: 'agent', id: 'total', maxMicros } },
    ...(team ? [{ ...budget, evidence: ofTeam }] : []),
    { check: 'mandate-rate', result: 'pass', evidence: { calls, maxCalls: 10, windowMs: 60_000 } },
  ];
}

/** Returns an adjustment of the agent's own budget, or of the team's budget. */
export function adjustmentOf(
  tenant: string,
  index: number,
  { agentId, deltaMicros, atMs }: typeof arbitraryAdjustment extends fc.Arbitrary<infer T> ? T : never,
): BudgetAdjusted {
  return {
    event: 'budget.adjusted',
    adjustment: {
      id: `adj-${index}`,
      by: 'ops',
      reason: 'r',
      at: wireTime(atMs),
      tenant,
      budget:
        agentId === null
          ? { scope: 'tenant', subject: '', id: 'team', windowMs: TEAM_WINDOW_MS }
          : { scope: 'agent', subject: agentId, id: 'total', windowMs: null },
      deltaMicros,
      spentMicros: 0,
      ledgerEpoch: 'epoch-1',
      ledgerSequence: 1,
    },
  };
}

/** Returns the audit read number `index` of a tenant: a read of one decision, with one of two keys. */
export function readOf(tenant: string, index: number, given: Partial<AuditRead> = {}): AuditRead {
  return {
    id: sortableId('read', START_MS + index, index.toString(16).padStart(20, '0')),
    tenant,
    key: { id: `key-${index % 2}`, name: 'auditor' },
    method: 'GET',
    route: '/v1/audit/decisions/:id',
    parameters: { id: `dec_${index}` },
    refused: false,
    requestId: `req-${index}`,
    traceId: null,
    at: wireTime(START_MS + index),
    ...given,
  };
}

/** Returns the settlement of an action that was charged $0.10 and cost $0.09, unless `given` says otherwise. */
export function settlementOf(decision: Decision, given: Partial<Settlement> = {}): Settlement {
  return buildSettlement(7, {
    settledAtMs: Date.parse(decision.decidedAt),
    id: sortableId('stl', Date.parse(decision.decidedAt), decision.id.slice(-20)),
    actionId: decision.actionId,
    attempt: decision.attempt,
    tenant: decision.tenant,
    agentId: decision.agentId,
    ...{ deltaMicros: -10_000, chargedMicros: 90_000, cumulativeMicros: 90_000, reason: 'because' },
    ...{ ledgerEpoch: 'epoch-1', ledgerSequence: 1 },
    ...given,
  });
}

function settledBy({ settled }: Called, decision: Decision): Settlement | null {
  if (settled === null || decision.verdict !== 'ALLOW') return null;
  const settledAtMs = Date.parse(decision.decidedAt) + settled.afterMs;
  const moves = settled.kind === 'settled';
  const deltaMicros = moves ? settled.delta - Math.min(decision.chargedMicros, 1_000_000) : 0;
  return settlementOf(decision, {
    id: sortableId('stl', settledAtMs, decision.id.slice(-20)),
    kind: settled.kind,
    deltaMicros,
    chargedMicros: decision.chargedMicros + deltaMicros,
    cumulativeMicros: decision.chargedMicros + deltaMicros,
    settledAt: wireTime(settledAtMs),
    status: settled.status,
    verified: settled.verified,
    ...(settled.usage && { usage: settled.usage }),
    ...(settled.toolCalls && { toolCalls: settled.toolCalls }),
    ...(settled.usage && settled.usageMicros !== undefined && { usageMicros: settled.usageMicros }),
    ...(moves && {
      excessMicros: settled.excessMicros,
      releasedMicros: settled.releasedMicros,
      marks: settled.refused ? ['RELEASE_REFUSED'] : [],
    }),
  });
}
