/** The atomic step. The code below runs synchronously, so no other operation can run in between. */
import type { StepFacts, StepRequest } from '@mandate/schemas';
import { mapUnits } from '@mandate/schemas/core';
import {
  decisionKind,
  endsStep,
  enforcedVerdict,
  isObserveOnly,
  publishedVerdict,
  type SlidingRate,
  type VerdictCode,
} from '@mandate/step';
import type { StepResult } from '../port.ts';
import { claim, openAgent } from './agents.ts';
import { sweepOne } from './counters.ts';
import { questionMsIn } from './deferral.ts';
import { beginWaiting, releaseSlots, retakeSlots } from './deferrals.ts';
import { replayUntilMs } from './deliveries.ts';
import { findFirst } from './duplicates.ts';
import { stoppedBy } from './flags.ts';
import { forgetBrief, remember, rememberBriefly } from './forget.ts';
import { answeredDeferral, consumeGrant } from './grants.ts';
import { checkLimits } from './limits.ts';
import { openPosition } from './log-positions.ts';
import { applyPendingOutcome } from './out-of-order-outcomes.ts';
import { answerAgain } from './redelivery.ts';
import type { Duplicate, Lease, StoredDecision, TenantState, Unremembered } from './remembered.ts';
import { lifetimeSpend, ratesOf, reserve, takeSlots } from './reserve.ts';
import { hasRoom } from './room.ts';
import { type LedgerState, openTenant } from './state.ts';
import { moveTurns } from './turns.ts';

/** Decides one request at `nowMs`, in the order of docs/semantics.md section 1. */
export function decide(state: LedgerState, epoch: string, nowMs: number, request: StepRequest): StepResult {
  const { plan } = request;
  const tenant = openTenant(state, request.tenant);
  const position = openPosition(state.positions, request.source);

  const again = answerAgain(position, request, nowMs);
  if (again !== null) return again;

  const first = findFirst(tenant, request, nowMs);
  forgetBrief(state, tenant, nowMs);
  const unremembered = !hasRoom(state, tenant, request, nowMs);
  const isOver = first !== null || unremembered;
  const late = !isOver && request.deadlineAtMs !== null && nowMs > request.deadlineAtMs;
  const kill = isOver || late ? null : stoppedBy(state.flags, request.tenant, request.agentId, plan);
  const ended = endsStep({ first, unremembered, late, kill });
  if (!ended && !holds(request, nowMs)) return { kind: 'replan', atMs: nowMs };

  const judged = !ended && (plan.refusal === null || isObserveOnly(plan));
  // A request with an answer already has slots. The check does not count these slots, so that they cannot refuse the
  // request.
  const answered = judged ? answeredDeferral(tenant.grants, request, nowMs) : null;
  const own = answered === null ? [] : releaseSlots(answered, ratesOf(tenant, request), nowMs);
  const limits = judged ? checkLimits(tenant, request, nowMs) : [];
  const found = { first, unremembered, late, kill, limits };
  const enforced = enforcedVerdict(plan, found);
  const published = publishedVerdict(plan, found, enforced);

  const allowed = published.verdict === 'ALLOW';
  const grantConsumed = allowed && limits.some((fact) => fact.kind === 'confirmation' && fact.ok);
  const lease = allowed ? reserve(tenant, request, nowMs) : null;
  if (answered !== null && enforced.verdict !== 'ALLOW') retakeSlots(answered, own, nowMs);
  const takes = first === null && enforced.verdict !== 'BLOCK';
  const rates = takes ? takeSlots(tenant, request, nowMs) : [];

  tenant.sequence += 1;
  if (grantConsumed) consumeGrant(tenant.grants, request, tenant.sequence);
  const facts: StepFacts = {
    epoch,
    sequence: tenant.sequence,
    atMs: nowMs,
    ...found,
    chargedMicros: lease?.reservedMicros ?? 0,
    cumulativeMicros: lifetimeSpend(tenant, request.agentId, nowMs),
    leaseExpiresAtMs: lease?.expiresAtMs ?? null,
    ...(lease?.units !== undefined && { chargedUnits: mapUnits(lease.units, ({ reserved }) => reserved) }),
  };
  const counts = enforced.verdict === 'ALLOW';
  store(state, tenant, request, { facts, published, lease, grantConsumed, rates, position, counts });
  sweepOne(tenant.counters, nowMs);
  return { kind: 'decided', plan, facts, redelivered: false };
}

function holds({ plan }: StepRequest, nowMs: number): boolean {
  return nowMs >= plan.holdsFromMs && (plan.holdsUntilMs === null || nowMs < plan.holdsUntilMs);
}

type Outcome = Pick<StoredDecision, 'grantConsumed'> & {
  facts: StepFacts;
  published: VerdictCode;
  lease: Lease | null;
  /** The rates in which the decision took a slot. */
  rates: readonly SlidingRate[];
  position: ReturnType<typeof openPosition>;
  /** True if the call counts in its turn. */
  counts: boolean;
};

function store(state: LedgerState, tenant: TenantState, request: StepRequest, outcome: Outcome): void {
  const { facts, published, lease, grantConsumed, rates, position, counts } = outcome;
  const { digest } = request;
  const untilMs = replayUntilMs({ ...request, atMs: facts.atMs }, state.replayMemoryMs);
  const agent = openAgent(tenant, request.agentId);
  const { log, offset } = position;
  const unpublished: NonNullable<StoredDecision['unpublished']> = {
    plan: request.plan,
    facts,
    appliedOutcome: null,
  };
  const kind = decisionKind(facts);
  if (kind === 'unremembered') {
    const { sequence } = facts;
    const brief: Unremembered = {
      ...{ kind, agent, log, offset, digest, sequence, unpublished },
      forgetAtMs: untilMs,
    };
    rememberBriefly(state, brief);
    tenant.unpublished.add(brief);
    return;
  }
  if (kind === 'duplicate') {
    const duplicate: Duplicate = {
      ...{ kind, agent, log, offset, digest, unpublished },
      forgetAtMs: untilMs,
    };
    remember(state, duplicate);
    tenant.unpublished.add(duplicate);
    return;
  }
  const asksUntilMs = published.verdict === 'DEFER' ? facts.atMs + questionMsIn(request.plan.limits) : 0;
  const entry: StoredDecision = {
    kind,
    agent,
    log,
    offset,
    forgetAtMs: Math.max(untilMs, lease?.expiresAtMs ?? 0, asksUntilMs),
    actionId: request.actionId,
    attempt: request.attempt,
    idempotencyKey: request.idempotencyKey,
    digest,
    appendedAtMs: request.appendedAtMs,
    atMs: facts.atMs,
    sequence: facts.sequence,
    verdict: published.verdict,
    code: published.code,
    final: published.final,
    grantConsumed,
    lease,
    unpublished,
    another: null,
  };
  remember(state, entry);
  claim(agent, entry);
  if (lease !== null)
    moveTurns(tenant, request, facts, { forgetAtMs: Math.max(untilMs, lease.expiresAtMs), counts });
  if (entry.verdict === 'DEFER') {
    const { actionId, atMs, forgetAtMs } = entry;
    beginWaiting(agent, { actionId, digest, atMs, forgetAtMs, rates }, atMs);
  }
  unpublished.appliedOutcome = applyPendingOutcome(state, entry);
  tenant.unpublished.add(entry);
}
