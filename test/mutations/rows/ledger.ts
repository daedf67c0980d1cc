/** Mutations of the ledger in memory and of the state that is read from the log. */
import { inFile, type Mutation } from '../mutation.ts';

export const LEDGER_MUTATIONS: readonly Mutation[] = [
  ...inFile('packages/ledger/src/memory/step.ts', [
    ['1 a redelivery is answered before any check', 'if (again !== null) return again;', ''],
    [
      '4 an outcome that is before its decision on the log settles it',
      'unpublished.appliedOutcome = applyPendingOutcome(state, entry);',
      '',
    ],
    [
      '1 duplicates before the deadline',
      'const isOver = first !== null || unremembered',
      'const isOver = unremembered',
    ],
    ['1 the deadline before kill', 'isOver || late ? null : stoppedBy', 'isOver ? null : stoppedBy'],
    [
      '3 nothing new is allowed without room',
      'const unremembered = !hasRoom(state, tenant, request, nowMs);',
      'const unremembered = false;',
    ],
    [
      '1 a step with an outdated plan asks for a new plan',
      "if (!ended && !holds(request, nowMs)) return { kind: 'replan', atMs: nowMs };",
      '',
    ],
    [
      '1 a static verdict ends the step',
      'const judged = !ended && (plan.refusal === null || isObserveOnly(plan));',
      'const judged = !ended;',
    ],
    [
      '5 refused calls take no slot of a rate',
      "first === null && enforced.verdict !== 'BLOCK'",
      'first === null',
    ],
    [
      '3 a deferred action takes a slot',
      "first === null && enforced.verdict !== 'BLOCK'",
      "first === null && enforced.verdict === 'ALLOW'",
    ],
    ['3 a repeated DEFER takes no slot', 'const takes = first === null &&', 'const takes ='],
    [
      '3 a granted retry takes over its slots',
      'releaseSlots(answered, ratesOf(tenant, request), nowMs)',
      '[]',
    ],
    [
      '3 a refused retry keeps the slots of its question',
      "if (answered !== null && enforced.verdict !== 'ALLOW') retakeSlots",
      'if (answered !== null && false) retakeSlots',
    ],
    [
      '4 a refused action charges nothing',
      'const lease = allowed ? reserve(tenant, request, nowMs) : null;',
      'const lease = reserve(tenant, request, nowMs);',
    ],
    [
      '3 the grant is consumed in the same step',
      'if (grantConsumed) consumeGrant(tenant.grants, request, tenant.sequence);',
      '',
    ],
    [
      '1 every decision takes a sequence',
      'tenant.sequence += 1;\n  if (grantConsumed)',
      'if (allowed) tenant.sequence += 1;\n  if (grantConsumed)',
    ],
    [
      '1 a request in the millisecond of its deadline is in time',
      'nowMs > request.deadlineAtMs',
      'nowMs >= request.deadlineAtMs',
    ],
  ]),
  ...inFile('packages/ledger/src/memory/commands.ts', [
    [
      '3 commands of operators are remembered for a day',
      'Math.max(replayMemoryMs, DEFAULTS.replayMemoryMs)',
      'replayMemoryMs',
    ],
  ]),
  ...inFile('packages/ledger/src/memory/deliveries.ts', [
    [
      '3 an action is remembered until no deadline can let it through again',
      'Math.max(atMs, appendedAtMs)',
      'atMs',
    ],
  ]),
  ...inFile('packages/ledger/src/fold/fold.ts', [
    [
      '9 an outcome in a partition that is read late finds its decision',
      'Math.min(state.clockMs, ...unfinished.values())',
      'state.clockMs',
    ],
    [
      '9 a rebuild leaves out void decisions',
      'made !== null && !holdsIn(inForce, made.ledgerEpoch)',
      'made === null && false',
    ],
  ]),
  ...inFile('packages/step/src/budget-counter.ts', [
    [
      '4 sums stay exact below zero',
      'const least = -Number.MAX_SAFE_INTEGER - held;',
      'const least = Number.NEGATIVE_INFINITY;',
    ],
    [
      '4 a bucket of a window stays exact',
      'return sliding === null ? fits : within(amountAt(sliding, atMs), fits);',
      'return fits;',
    ],
  ]),
  ...inFile('packages/ledger/src/memory/deliveries.ts', [
    ['6 a kill lists actions that are not on the log yet', 'return unpublished !== null || (', 'return ('],
    ['3 no attempt after a hard block', 'return !entry.final;', 'return true;'],
    ['3 no attempt after a success', "return entry.lease.result !== 'succeeded';", 'return true;'],
    [
      '3 an attempt after the end of the lease is new',
      'return entry.lease.expiresAtMs <= nowMs;',
      'return false;',
    ],
  ]),
  ...inFile('packages/ledger/src/memory/duplicates.ts', [
    [
      '3 an idempotency key names one action',
      ' ?? decisionOwningKey(agent, request, nowMs) ?? null',
      ' ?? null',
    ],
    ['3 an attempt is never lower than the last', 'request.attempt > latest.attempt && ', ''],
    [
      '3 a grant is for exactly its payload',
      "same.verdict !== 'DEFER' || same.digest !== request.digest",
      "same.verdict !== 'DEFER'",
    ],
  ]),
  ...inFile('packages/ledger/src/memory/operator-commands.ts', [
    [
      '3 an answer needs the question with its digest',
      'asked === undefined || asked.digest !== digest',
      'asked === undefined',
    ],
    [
      '3 a final decision takes no answer of a person',
      "if (asked.verdict === 'ALLOW' || asked.final) throw approvalNotWaiting(asked);",
      '',
    ],
    [
      '3 a retryable block takes an answer of a person',
      "asked.verdict === 'ALLOW' || asked.final",
      "asked.verdict !== 'DEFER'",
    ],
  ]),
  ...inFile('packages/ledger/src/memory/grants.ts', [
    [
      '3 a grant ends at its expiry',
      "return grant.expiresAtMs > nowMs ? 'granted' : 'expired';",
      "return 'granted';",
    ],
  ]),
  ...inFile('packages/step/src/final-charge.ts', [
    [
      '4 a success charges the actual cost, otherwise the estimate',
      'actualMicros ?? estimateMicros',
      'actualMicros ?? 0',
    ],
    [
      '4 a failure charges the actual cost if it is more than what is kept',
      'Math.max(failedMicros, actualMicros ?? 0)',
      'failedMicros',
    ],
    [
      '4 verification is charged only if it ran',
      'isVerified ? kept.verifiedMicros : kept.succeededMicros',
      'kept.verifiedMicros',
    ],
    [
      '7 a success charges at least what is kept',
      'Math.max(keptMicros, meteredMicros)',
      'meteredMicros || keptMicros',
    ],
    [
      '4 a reporter that may release cancels for $0',
      "if (result === 'cancelled' && mayRelease) return { ...none, chargedMicros: 0 };",
      '',
    ],
    [
      '4 an own cancellation settles as a failure',
      "result === 'cancelled' && mayRelease",
      "result === 'cancelled'",
    ],
    [
      '4 the price of a policy is the least that a success costs',
      'Math.max(leastMicros, tableMicros)',
      'tableMicros',
    ],
    [
      '4 an own report of a success charges at least the estimate and the input',
      'isMetered ? settling.leastMicros : settling.ownLeastMicros',
      'settling.leastMicros',
    ],
    [
      '4 token usage with a price replaces the floor of the stated input',
      'outcome.mayRelease || usageMicros !== null',
      'outcome.mayRelease',
    ],
    [
      '4 the greater of the actual cost and the price of the usage counts',
      '(one ?? other) : Math.max(one, other)',
      '(one ?? other) : Math.min(one, other)',
    ],
    [
      '4 an actual cost is charged up to its cap',
      'Math.min(actualMicros, settling.mostMicros)',
      'actualMicros',
    ],
    [
      '4 tiers ignore the actual cost',
      'kept.estimateMicros === null ? 0 : (actualMicros ?? 0) - (cappedMicros ?? 0)',
      '(actualMicros ?? 0) - (cappedMicros ?? 0)',
    ],
    [
      '4 own reports give back a bounded amount',
      'Math.max(0, releasedMicros) > (settling.releases?.micros ?? 0) - givenBackMicros',
      'false',
    ],
    [
      '4 earlier give-backs of own reports count',
      'releasedMicros: givenBackMicros };',
      'releasedMicros: 0 };',
    ],
    [
      '4 a success makes room for a share of its charge only',
      'Math.min(Math.max(0, releasedMicros), roomMicros)',
      'Math.max(0, releasedMicros)',
    ],
  ]),
  ...inFile('packages/step/src/unit-charge.ts', [
    ['28 input and output count as tokens', 'usage.inputTokens + usage.outputTokens', 'usage.inputTokens'],
    [
      '28 an outcome without usage keeps the reserved tokens',
      'usage === undefined ? null',
      'usage === undefined ? 0',
    ],
    [
      '28 reported tokens above the cap are excess',
      'mostMicros: most,',
      'mostMicros: Number.MAX_SAFE_INTEGER,',
    ],
    [
      '28 an outcome that does not state tool calls keeps the reserved one',
      'toolCalls ?? null',
      'toolCalls ?? 0',
    ],
  ]),
  ...inFile('packages/ledger/src/memory/apply-outcome.ts', [
    [
      "28 an excess of tokens is charged to the agent's own counters only",
      'isOwnBudget(counter, agent.id) ? excess : 0',
      'excess',
    ],
    ['28 released tokens are counted', 'if (released === 0) return;', 'if (released !== 0) return;'],
  ]),
  ...inFile('packages/ledger/src/memory/counters.ts', [
    ['28 a counter of tokens is no counter of money', ' && counter.unit === budget.unit', ''],
  ]),
  ...inFile('packages/ledger/src/fold/fold-decision.ts', [
    [
      '28 a rebuilt ledger has the tokens of each decision',
      'for (const { counter } of charges) addToCounter(counter, atMs, reserved, state.clockMs);',
      '',
    ],
  ]),
  ...inFile('packages/step/src/usage-price.ts', [
    [
      '4 the highest price of the usage counts',
      'Math.max(most, Math.min(',
      'Math.min(most || Number.MAX_SAFE_INTEGER, Math.min(',
    ],
    [
      '4 a price of long inputs applies to long inputs only',
      'if (inputTokens < price.fromInputTokens) continue;',
      '',
    ],
    [
      '4 cached tokens are not charged twice',
      'inputTokens - cachedInputTokens - cacheWriteTokens)',
      'inputTokens)',
    ],
    ['4 the price of the usage is rounded up', 'Math.ceil(rest', 'Math.floor(rest'],
    [
      '4 cached tokens cost their own price',
      '[cachedInputTokens, price.cachedInputMicros]',
      '[cachedInputTokens, price.inputMicros]',
    ],
    ['4 a price of each call counts', 'cost + price.perCallMicros', 'cost'],
  ]),
  ...inFile('packages/step/src/final-charge.ts', [
    ['4 a cost above maxCostPerCall is marked', '(actualMicros ?? 0) > settling.markMicros', 'false'],
  ]),
  ...inFile('packages/step/src/charging-table.ts', [
    ['4 ATTEMPT_BASED failure: at least the estimate', "failed: ['estimateMicros'],", 'failed: [],'],
    ['4 ATTEMPT_BASED success: at least the estimate', "succeeded: ['estimateMicros'],", 'succeeded: [],'],
    ['4 TIERED failure: the attempt', "failed: ['attemptMicros'],", "failed: ['successMicros'],"],
    [
      '4 TIERED success: attempt and success',
      "succeeded: ['attemptMicros', 'successMicros'],",
      "succeeded: ['attemptMicros'],",
    ],
    ['7 COMPOSED failure: the kept amount', "failed: ['failedMicros'],", 'failed: [],'],
    ['7 COMPOSED success: the kept amount', "succeeded: ['succeededMicros'],", 'succeeded: [],'],
  ]),
  ...inFile('packages/ledger/src/memory/settle.ts', [
    [
      '4 only the first outcome settles',
      "return lease.result === null ? 'settled' : 'repeated';",
      "return 'settled';",
    ],
    [
      '4 an overdrawn budget is marked OVERDRAWN',
      'overdrawn: deltaMicros + moved.excessMicros > 0 && ',
      'overdrawn: false && ',
    ],
    ['4 late outcomes are marked', 'nowMs >= lease.expiresAtMs', 'nowMs > lease.expiresAtMs'],
  ]),
  ...inFile('packages/ledger/src/memory/apply-outcome.ts', [
    ['4 an outcome ends an open call', 'if (lease.settling.open) {', 'if (false) {'],
    [
      "4 an excess is charged to the agent's own budgets only",
      'isOwnBudget(charge.counter, agent.id) ? moved.excessMicros : 0',
      'moved.excessMicros',
    ],
  ]),
  ...inFile('packages/ledger/src/memory/reserve.ts', [
    [
      '4 sums of charges stay exact',
      'const reservedMicros = cutToExact(charges, nowMs, plan.reserveMicros, nowMs);',
      'const reservedMicros = plan.reserveMicros;',
    ],
  ]),
  ...inFile('packages/step/src/charged-budgets.ts', [
    [
      '4 the lifetime spend is always counted',
      '[...listed, { budget: totalOf(agentId), most: null }]',
      'listed',
    ],
    ['4 a counter is charged once, under its tightest limit', 'Math.min(one, other)', 'other'],
  ]),
  ...inFile('packages/step/src/limit-facts.ts', [
    [
      '2 a charge up to the budget is allowed',
      'const ok = spent <= mostBefore;',
      'const ok = spent < mostBefore;',
    ],
    ['5 a rate allows at most maxCalls', 'return maxCalls - 1;', 'return maxCalls;'],
    ['2 a rate of zero never frees a slot', '!ok && maxCalls > 0 && ', '!ok && '],
    ['2 a charge above the whole budget never fits', 'mostBefore < 0 || ', ''],
    [
      '5 retryAfterMs is long enough for all limits',
      'waitMs = Math.max(waitMs, fact.retryAfterMs);',
      'waitMs ||= fact.retryAfterMs;',
    ],
    [
      '1 a block is retryable only if a window frees it',
      'if (fact.retryAfterMs === null) return null;',
      'if (fact.retryAfterMs === null) continue;',
    ],
  ]),
  ...inFile('packages/step/src/verdict.ts', [
    ['1 observe does not lift INTERNAL_ERROR', ' && plan.refusal?.code !== NOT_PLANNED', ''],
    [
      '1 observe does not lift a kill, a duplicate or a deadline',
      'isObserveOnly(plan) && !endsStep(found)',
      'isObserveOnly(plan)',
    ],
    ['3 a repeated request gets its DEFER again', "verdict === 'DEFER' && samePayload", 'false'],
    [
      '1 the deadline before kill',
      '  if (found.late) return ROWS.late;\n  if (found.kill !== null) return ROWS.killed;\n',
      '  if (found.kill !== null) return ROWS.killed;\n  if (found.late) return ROWS.late;\n',
    ],
    ['3 at most maxWaiting questions wait', ' && mayNotWait(limit, fact)', ' && false'],
  ]),
  ...inFile('packages/step/src/verdict-table.ts', [
    [
      '3 a duplicate is a hard block',
      "code: 'DUPLICATE_ACTION', final: true",
      "code: 'DUPLICATE_ACTION', final: false",
    ],
    ['3 a denial of a person stands', "denied: 'denied'", "denied: 'expired'"],
  ]),
  ...inFile('packages/step/src/sliding-rate.ts', [
    ['5 a slot is free after windowMs exactly', 'oldest <= leftAtMs', 'oldest < leftAtMs'],
    [
      '5 retryAfterMs is exact',
      'lastToLeave + rate.windowMs - nowMs',
      'lastToLeave + rate.windowMs - nowMs + 1',
    ],
  ]),
  ...inFile('packages/step/src/sliding-sum.ts', [
    [
      '4 a windowed budget never frees early',
      '(bucket + 1) * widthMs(windowMs) - 1 + windowMs',
      'bucket * widthMs(windowMs) - 1 + windowMs',
    ],
    [
      '4 a credit gives back only what was spent before it',
      'Math.max(0, running + (amounts[place] ?? 0))',
      'running + (amounts[place] ?? 0)',
    ],
  ]),
  ...inFile('packages/ledger/src/memory/memory-ledger.ts', [
    ['5 the clock never runs backwards', '      return state.clockMs;\n', '      return readMs;\n'],
    [
      '3 an agent keeps its order when plans are made again',
      "if (result.kind === 'replan') waiting.add(key);",
      '',
    ],
  ]),
  ...inFile('packages/ledger/src/memory/flags.ts', [
    ['6 a kill of an agent stops it', "    { scope: 'agent', tenant, agentId },\n", ''],
    [
      '6 a kill of a subtree stops its agents',
      "    ...ancestors.toReversed().map((id): KillTarget => ({ scope: 'subtree', tenant, agentId: id })),\n",
      '',
    ],
    ['6 a kill of a subtree stops its agents', "    { scope: 'subtree', tenant, agentId },\n", ''],
    ['6 a kill of a tenant stops its agents', "    { scope: 'tenant', tenant },\n", ''],
    ['6 a kill of everything stops all agents', "    { scope: 'all' },\n", ''],
    [
      '6 a killed subtree keeps an agent that leaves it',
      'leftAt > flag.heldSince',
      'leftAt < flag.heldSince',
    ],
  ]),
  ...inFile('packages/ledger/src/memory/queries.ts', [
    ['6 a kill of a subtree lists open actions of descendants', 'counter === total', 'counter !== counter'],
  ]),
  ...inFile('packages/ledger/src/memory/operator-commands.ts', [
    [
      '6 a kill lists open actions',
      'const open = openOf(tenants, target, nowMs)',
      'const open: ReturnType<typeof openOf> = []',
    ],
    [
      '6 a second kill of a subtree frees no agent',
      'before?.killed ? Math.min(before.heldSince, read) : read',
      'read',
    ],
    [
      '6 a kill takes a sequence',
      '    tenant.sequence += 1;\n    sequences[tenant.name] = tenant.sequence;',
      '    sequences[tenant.name] = tenant.sequence;',
    ],
    [
      '4 an adjustment counts once',
      'const known = answerOf(tenant.adjustments, adjustment.id, nowMs);',
      'const known = undefined;',
    ],
  ]),
  ...inFile('packages/ledger/src/memory/step.ts', [
    [
      '3 a question lives as long as its policy says',
      'lease?.expiresAtMs ?? 0, asksUntilMs)',
      'lease?.expiresAtMs ?? 0)',
    ],
  ]),
  ...inFile('packages/ledger/src/fold/fold-decision.ts', [
    [
      '3 a question keeps its lifetime after a rebuild',
      'lease?.expiresAtMs ?? 0, asksUntilMs)',
      'lease?.expiresAtMs ?? 0)',
    ],
  ]),
  ...inFile('packages/ledger/src/memory/question.ts', [
    [
      '3 a decided question is no longer a question',
      "if (asked.verdict === 'ALLOW' || asked.final) return NONE;",
      '',
    ],
    ['3 a question is about exactly its arguments', ' || asked.digest !== question.digest', ''],
  ]),
];
