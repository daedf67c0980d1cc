/**
 * Random histories of a log for the tests: decisions and settlements of a few agents, each delivered once or more, at
 * offsets of its own, some of the deliveries void. What the audit must answer follows from the unique records alone.
 */
import {
  type ActionDecided,
  type ActionSettled,
  type Decision,
  type Settlement,
  sortableId,
  TOPICS,
  wireTime,
} from '@mandate/schemas';
import { buildDecision } from '@mandate/testing';
import fc from 'fast-check';
import type { Recorded } from './recorded.ts';

const START_MS = Date.UTC(2026, 0, 30);
const SPAN_MS = 4 * 86_400_000;

const atMs = fc.integer({ min: START_MS, max: START_MS + SPAN_MS });
const agentId = fc.constantFrom('a-1', 'a-2', "o'brien\\", 'zwölf✓');
const micros = fc.oneof(fc.integer({ min: 0, max: 3_000_000 }), fc.constant(2 ** 45 + 1));

const ruling = fc.constantFrom(
  { verdict: 'ALLOW', code: 'ALLOWED', observed: null },
  { verdict: 'ALLOW', code: 'ALLOWED', observed: { verdict: 'BLOCK', code: 'TOOL_DENIED' } },
  { verdict: 'BLOCK', code: 'COST_LIMIT_EXCEEDED', observed: null },
  { verdict: 'BLOCK', code: 'TOOL_DENIED', observed: null },
  { verdict: 'DEFER', code: 'APPROVAL_REQUIRED', observed: null },
) satisfies fc.Arbitrary<Pick<Decision, 'verdict' | 'code' | 'observed'>>;

const called = fc.record({
  agentId,
  tool: fc.constantFrom('get_user', 'send_certificate', null),
  appendedAtMs: atMs,
  delayMs: fc.integer({ min: 0, max: 90_000 }),
  chargedMicros: micros,
  ruling,
  team: fc.boolean(),
  settled: fc.option(
    fc.record({
      kind: fc.constantFrom('settled', 'repeated'),
      delta: fc.nat(2_000_000),
      afterMs: fc.nat(SPAN_MS),
    }),
  ),
});
type Called = typeof called extends fc.Arbitrary<infer T> ? T : never;

/** How often a record was delivered, and which of the deliveries are void. */
const deliveries = fc.array(fc.boolean(), { minLength: 1, maxLength: 3 });

export type History = { decisions: Recorded<Decision>[]; settlements: Recorded<Settlement>[] };

/** Deliveries in random order; offsets in that order. A function, so that each run can have a tenant of its own. */
export function arbitraryHistory(): fc.Arbitrary<(tenant: string) => History> {
  return fc
    .array(fc.tuple(called, deliveries, deliveries), { maxLength: 40 })
    .chain((calls) => {
      const delivered = calls.flatMap(([call, decided, settled], index) => [
        ...decided.map((isVoid) => ({ call, index, isVoid, of: 'decision' as const })),
        ...settled.map((isVoid) => ({ call, index, isVoid, of: 'settlement' as const })),
      ]);
      return fc.shuffledSubarray(delivered, { minLength: delivered.length });
    })
    .map((delivered) => (tenant) => {
      const history: History = { decisions: [], settlements: [] };
      for (const [offset, { call, index, isVoid, of }] of delivered.entries()) {
        const decision = decisionOf(tenant, index, call);
        const settlement = settledBy(call, decision);
        if (of === 'decision') history.decisions.push(recordedDecision(decision, offset, isVoid));
        else if (settlement !== null)
          history.settlements.push(recordedSettlement(settlement, offset, isVoid));
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

/** Everything about a recorded record but the record. */
export function onLog(event: unknown, offset: number, isVoid = false): Omit<Recorded<unknown>, 'record'> {
  return {
    value: new TextEncoder().encode(JSON.stringify(event)),
    coordinate: { topic: TOPICS.decisions, partition: 0, offset },
    void: isVoid,
    recordedAtMs: START_MS + offset,
    traceId: null,
  };
}

/** A decision as the log could hold it; `index` gives it its own ids. */
export function decisionOf(tenant: string, index: number, call: Partial<Called> = {}): Decision {
  const {
    agentId = 'a-1',
    tool = 'get_user',
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
    windowMs: 86_400_000,
    maxMicros: 5,
  } as const;
  const request = { id: `act-${index}`, agentId };
  return buildDecision(index, {
    appendedAtMs,
    tenant,
    agentId,
    type: tool === null ? 'llm_call' : 'tool_call',
    tool,
    model: tool === null ? 'claude-x' : null,
    ...ruling,
    chargedMicros: charged,
    cumulativeMicros: charged,
    decidedAt: wireTime(appendedAtMs + delayMs),
    reservation:
      ruling.verdict === 'ALLOW'
        ? {
            micros: charged,
            charging: { type: 'SUCCESS_BASED', estimateMicros: charged },
            budgets: team ? [own, shared] : [own],
            rates: [],
            leaseMs: 300_000,
          }
        : null,
    action:
      tool === null
        ? { ...request, type: 'llm_call', model: 'claude-x', inputTokens: 1, maxOutputTokens: 1 }
        : { ...request, type: 'tool_call', tool },
  });
}

/** What became of an action that was charged $0.10 and cost $0.09, unless told otherwise. */
export function settlementOf(decision: Decision, given: Partial<Settlement> = {}): Settlement {
  return {
    id: sortableId('stl', Date.parse(decision.decidedAt), decision.id.slice(-20)),
    kind: 'settled',
    actionId: decision.actionId,
    attempt: decision.attempt,
    tenant: decision.tenant,
    agentId: decision.agentId,
    status: 'success',
    verified: null,
    actualCostMicros: null,
    late: false,
    deltaMicros: -10_000,
    chargedMicros: 90_000,
    cumulativeMicros: 90_000,
    code: 'SETTLED',
    reason: 'because',
    completedAt: null,
    settledAt: decision.decidedAt,
    source: { topic: TOPICS.actions, partition: 0, offset: '7' },
    ledgerEpoch: 'epoch-1',
    ledgerSequence: 1,
    ...given,
  };
}

function settledBy({ settled }: Called, decision: Decision): Settlement | null {
  if (settled === null || decision.verdict !== 'ALLOW') return null;
  const settledAtMs = Date.parse(decision.decidedAt) + settled.afterMs;
  const deltaMicros =
    settled.kind === 'settled' ? settled.delta - Math.min(decision.chargedMicros, 1_000_000) : 0;
  return settlementOf(decision, {
    id: sortableId('stl', settledAtMs, decision.id.slice(-20)),
    kind: settled.kind,
    deltaMicros,
    chargedMicros: decision.chargedMicros + deltaMicros,
    cumulativeMicros: decision.chargedMicros + deltaMicros,
    settledAt: wireTime(settledAtMs),
  });
}
