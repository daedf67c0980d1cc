/** Breaks planning and deciding, except for arguments and control state. */
import { inFile, type Mutation } from '../mutation.ts';

const POLICY = 'packages/policy/src';

function order(promise: string, first: string, second: string): Mutation {
  const find = `  ${first},\n  ${second},\n`;
  return { promise, file: `${POLICY}/decide.ts`, find, replace: `  ${second},\n  ${first},\n` };
}

export const POLICY_MUTATIONS: readonly Mutation[] = [
  order('1 denied before unknown', 'toolDenied', 'toolKnown'),
  order('1 unknown before not allowed', 'toolKnown', 'toolAllowed'),
  order('1 not allowed before arguments', 'toolAllowed', 'argumentsValid'),
  order('1 model lists before provider lists', 'modelAllowed', 'providerAllowed'),
  order('1 provider lists before the price', 'providerAllowed', 'modelPriced'),
  order("1 the tool's cost before the mandate's", 'toolCostPerCall', 'mandateCostPerCall'),
  order('1 expiry before denied', 'mandateAlive', 'toolDenied'),
  ...inFile(`${POLICY}/decide.ts`, [
    [
      "1 tool rate, budgets, mandate's rate, a person",
      '  toolRate,\n  budgets,\n',
      '  budgets,\n  toolRate,\n',
    ],
    [
      "1 the mandate's rate before a person",
      '  mandateRate,\n  openCalls,\n  confirmation,\n',
      '  confirmation,\n  mandateRate,\n  openCalls,\n',
    ],
    [
      '1 the first objection gives the verdict',
      'refusal ??= { ...found.objection',
      'refusal = { ...found.objection',
    ],
    [
      '1 an error in plan is INTERNAL_ERROR',
      'return internalError(mandate.reference, error);',
      'throw error;',
    ],
    ['1 observe never softens INTERNAL_ERROR', " && ofMandate.code !== 'INTERNAL_ERROR'", ''],
    [
      '1 observe never softens kill, duplicate, deadline',
      'plan.observe && own === null && ',
      'plan.observe && ',
    ],
    [
      '1 observed says what would have been',
      'judgement(observed, { verdict, code }, shadow, checks)',
      'judgement(observed, null, shadow, checks)',
    ],
    [
      '1 the plan says until when it holds',
      'else holdsUntilMs = Math.min(holdsUntilMs ?? expiresAtMs, expiresAtMs);',
      '',
    ],
    [
      '1 an expired plan holds from its expiry only',
      'holdsFromMs = Math.max(holdsFromMs, expiresAtMs);',
      '{}',
    ],
    [
      '1 every check goes on the record',
      "said: 'skip' };\n    return { check, said: objected",
      "said: 'pass' };\n    return { check, said: objected",
    ],
  ]),
  ...inFile(`${POLICY}/checks/mandate-alive.ts`, [
    ['1 expired from that very millisecond', 'atMs < expiresAtMs', 'atMs <= expiresAtMs'],
  ]),
  ...inFile(`${POLICY}/checks/tool-denied.ts`, [
    [
      '1 tool lists are not for LLM calls; deny beats allow',
      "if (type !== 'tool_call' || deniedTools === null) return null;",
      'if (deniedTools !== undefined) return null;',
    ],
  ]),
  ...inFile(`${POLICY}/checks/model-allowed.ts`, [
    ['1 a denied model', 'deniedModels?.match(models.denied) ?? null', 'null as string | null'],
  ]),
  ...inFile(`${POLICY}/checks/provider-allowed.ts`, [
    [
      '1 a call that names no provider does not pass',
      'if (providers.length === 0) {',
      'if (providers === null) {',
    ],
    ['1 a denied provider', 'deniedProviders?.match(names.denied) ?? null', 'null as string | null'],
    [
      '1 every provider has to be allowed',
      'if (pattern === null) return notAllowed',
      'if (pattern === undefined) return notAllowed',
    ],
  ]),
  ...inFile(`${POLICY}/models/call-names.ts`, [
    ['1 an unknown name hides no denied model', '[model, ...endsOf(model)].flatMap', '[model].flatMap'],
    [
      '1 a pattern with a provider names it',
      'const ways = eachOnce([whole.join',
      "const ways = eachOnce(['', 'openai', whole.join",
    ],
  ]),
  ...inFile(`${POLICY}/models/spellings.ts`, [
    [
      '1 a name stands for its versions',
      'eachSpelled(withoutEndings(model, VERSIONS))',
      'eachSpelled([model])',
    ],
  ]),
  ...inFile(`${POLICY}/models/known-providers.ts`, [
    ['1 letter case makes no other model', 'text.toLowerCase();\n  const forms', 'text;\n  const forms'],
  ]),
  ...inFile(`${POLICY}/decision-record.ts`, [
    [
      '1 the record has the normal form',
      'model: call?.model ?? null',
      "model: action.type === 'llm_call' ? action.model : null",
    ],
  ]),
  ...inFile(`${POLICY}/prices/price-of-llm-call.ts`, [
    [
      '4 an unknown provider takes the dearest list',
      'other.micros > dearest.micros',
      'other.micros < dearest.micros',
    ],
  ]),
  ...inFile(`${POLICY}/prices/model-prices.ts`, [
    [
      '4 a call that names no provider pays the highest price in the document',
      'call.provider === null ? entries',
      'call.provider === null ? entries.slice(0, 1)',
    ],
  ]),
  ...inFile(`${POLICY}/checks/model-priced.ts`, [
    ['1 an unpriced model only where a budget is in force', 'if (!limited) return null;', ''],
  ]),
  ...inFile(`${POLICY}/checks/cost-per-call.ts`, [
    ['1 cost per call: as much as the limit is allowed', 'costMicros <= maxMicros', 'costMicros < maxMicros'],
  ]),
  ...inFile(`${POLICY}/checks/confirmation.ts`, [
    ['1 a person must confirm', 'tool?.requiresConfirmation === true', 'false && tool !== null'],
    ['7 the least that a policy says may wait', 'return Math.min(...said)', 'return Math.max(...said)'],
  ]),
  ...inFile(`${POLICY}/mandate/resolve-mandate.ts`, [
    [
      '1 the first mandate that names the agent',
      'mandates.find((mandate) => mandate.agents(action.agentId) !== null) ?? null',
      'mandates[0] ?? null',
    ],
    [
      '1 an agent cannot choose a laxer mandate',
      'return action.mandateId === held.reference.id ? held : null;',
      'return mandates.find((mandate) => mandate.reference.id === action.mandateId) ?? null;',
    ],
  ]),
  ...inFile(`${POLICY}/mandate/compile-mandate.ts`, [
    [
      '2 zero is not absent',
      'maxCostTotalMicros: microsOf(document.maxCostTotal)',
      'maxCostTotalMicros: microsOf(document.maxCostTotal) || null',
    ],
    [
      '2 an empty list is not an absent one',
      'patterns === undefined ? null',
      'patterns === undefined || patterns.length === 0 ? null',
    ],
    [
      '2 an empty registry knows nothing',
      'document.tools === undefined ? null',
      'document.tools === undefined || document.tools.length === 0 ? null',
    ],
    ['4 a budget is repeated', 'if (seen.has(counter))', 'if (false)'],
    [
      '4 tiers that no counter holds',
      '<= CAPS.amountMicros) return;',
      '<= Number.POSITIVE_INFINITY) return;',
    ],
  ]),
  ...inFile(`${POLICY}/mandate/exact-number.ts`, [
    [
      '2 NaN, Infinity and hexadecimal are errors',
      'if (written === null) return',
      'if (written === null) return null;\n  if (source.length === 0) return',
    ],
    ['2 over-precise amounts are errors', 'written === decimalOf(String(value)) ?', 'true ?'],
  ]),
  ...inFile(`${POLICY}/mandate/yaml-rules.ts`, [
    ['8 repeated keys are errors', 'if (seen.has(key.value))', 'if (false)'],
    ['8 __proto__ is an error', 'if (RESERVED.has(key.value))', 'if (false)'],
    ['8 keys are texts', "typeof key.value !== 'string'", 'false'],
    ['2 no base 60, no base 8', "document.directives?.yaml.version === '1.1'", 'false'],
  ]),
  ...inFile('packages/policy/src/mandate/documents-in.ts', [
    [
      '8 an empty document before others is an error',
      'empty: documents.filter(isEmpty)',
      'empty: documents.slice(0, 0)',
    ],
    ['8 nothing after the last mark is no document', 'slice(0, last + 1)', 'slice(0)'],
  ]),
  ...inFile('packages/policy/src/mandate/tool-names.ts', [
    ['2 a limit of no declared tool is an error', '!known.has(name)', 'known.size < 0'],
    ['2 a limit of a tool that nothing allows is an error', '!allowed.has(name)', 'allowed.size < 0'],
    ['2 limits of tools taken off a list may stay', 'limited.has(entry)', 'limited.size < 0'],
  ]),
  ...inFile(`${POLICY}/action-digest.ts`, [
    [
      '3 another payload says so',
      'sha256(canonicalJson({ ...action, ...ofDelivery, ...ofKey }))',
      "sha256('')",
    ],
  ]),
  ...inFile(`${POLICY}/record-ids.ts`, [
    [
      '3 the decision id is of the coordinate, time and kind',
      "recordId('dec', source, appendedAtMs, kind, sha256)",
      "recordId('dec', source, 0, kind, sha256)",
    ],
  ]),
  ...inFile(`${POLICY}/ruling.ts`, [
    [
      '3 a DEFER comes again',
      "if (first.verdict === 'DEFER' && first.samePayload) {",
      "if (first.verdict === 'NEVER' && first.samePayload) {",
    ],
    ['3 another payload says so in the reason', "first.samePayload ? '' :", "true ? '' :"],
  ]),
  ...inFile(`${POLICY}/decision-record.ts`, [
    [
      '3 a duplicate names the first',
      'decisionId: decisionId(first.source, first.appendedAtMs, first.kind)',
      'decisionId: decisionId(request.source, first.appendedAtMs, first.kind)',
    ],
    [
      '3 the same delivery is the same record',
      'controlRevision: plan.controlRevision',
      'controlRevision: facts.sequence',
    ],
    [
      '4 a rebuild finds every counter that was charged',
      "budgets: plan.limits.filter((limit): limit is BudgetLimit => limit.kind === 'budget').map(counted),",
      'budgets: [],',
    ],
    [
      '5 a rebuild finds every slot',
      "judgement.observed === null || judgement.observed.verdict === 'DEFER' ? ratesOf(plan) : []",
      '[]',
    ],
    [
      '3 a rebuild finds the grant used',
      'reservation !== null && facts.limits.some(',
      'reservation === null && facts.limits.some(',
    ],
  ]),
  ...inFile(`${POLICY}/checks/open-calls.ts`, [
    ['4 a call without a price counts as open', 'return [...stated, ...defaults];', 'return stated;'],
    [
      '4 a price of nothing is no price',
      'return priceMicros === 0 ? DEFAULTS.maxOpen : null;',
      'return null;',
    ],
    ['7 the fewest open calls', '({ maxOpen }) => maxOpen,', '({ maxOpen }) => -maxOpen,'],
  ]),
  ...inFile(`${POLICY}/settling.ts`, [
    ['7 the highest price is the least', 'Math.max(most, of(one))', 'of(one)'],
    ['7 the fewest give-backs', 'Math.min(...bounded.map(({ calls }) => calls))', 'bounded[0]?.calls ?? 0'],
    [
      '4 a default estimate is the least of an own report',
      'return calls.policy.defaultEstimateMicros ?? 0;',
      'return 0;',
    ],
    [
      '4 a policy without a cap still has one',
      'Math.min(DEFAULTS.actualCostFactor * reserveMicros, limitMicros ?? CAPS.amountMicros)',
      'CAPS.amountMicros',
    ],
    [
      '4 the cap goes by what the call reserves',
      'if (reserveMicros === 0) return',
      'if (reserveMicros < DEFAULTS.actualCostMicros) return',
    ],
    [
      '4 maxCostPerCall bounds the default cap',
      'const limitMicros = isEnforced ? maxCostPerCallMicros : null;',
      'const limitMicros = null;',
    ],
    [
      '4 a raised estimate gives back no more failures',
      'policyMicros === 0 ? reserveMicros : policyMicros',
      'reserveMicros',
    ],
  ]),
  ...inFile(`${POLICY}/price.ts`, [
    [
      '4 the stated input is the least of an own report of a model call',
      'most = Math.max(most, cost.micros)',
      'Math.max(most, cost.micros)',
    ],
    [
      '4 a default estimate is the least that a call without a price reserves',
      "least >= estimate) return flat(rule.type, least, 0, 'default-estimate');\n  return flat(rule.type, least,",
      "estimate === 0) return flat(rule.type, least, 0, 'default-estimate');\n  return flat(rule.type, estimate,",
    ],
    [
      '4 an estimate never lowers a price',
      'Math.max(policyMicros, estimateMicros)',
      'estimateMicros || policyMicros',
    ],
    ['4 an estimate raises a price', 'Math.max(policyMicros, estimateMicros)', 'policyMicros'],
    [
      '4 the price of a model counts',
      'return flat(type, cost.micros, estimate,',
      'return flat(type, 0, estimate,',
    ],
    [
      '4 an estimate is no price of a model',
      "if (typeof cost === 'string') return",
      "if (cost === 'price' && estimate > 0) return flat(type, 0, estimate, 'estimate');\n  if (typeof cost === 'string') return",
    ],
    [
      '4 a call without its token counts is not free',
      'inputTokens ?? defaultTokens.input;',
      'inputTokens ?? defaultTokens.input ?? 0;',
    ],
    [
      '4 a document prices what the lists price otherwise',
      'if (stated.length > 0) {',
      'if (stated.length > 0 && call.prices === null) {',
    ],
    [
      "4 a tool's charging stands before the mandate's",
      'tool?.charging ?? policy.charging',
      'policy.charging',
    ],
    [
      '4 TIERED reserves the sum',
      'rule.attemptMicros + rule.successMicros + rule.verificationMicros;',
      'rule.attemptMicros + rule.successMicros;',
    ],
  ]),
  ...inFile(`${POLICY}/checks/budget.ts`, [
    ['4 counters of a principal', "return action.principal?.id ?? '';", "return '';"],
    ['4 maxCostTotal is per agent', "id: TOTAL_BUDGET, scope: 'agent'", "id: TOTAL_BUDGET, scope: 'tenant'"],
    ['4 counters never belong to an issued mandate', "owner === '' ? action.agentId : owner", 'owner'],
  ]),
  ...inFile(`${POLICY}/limit-rulings.ts`, [
    [
      '5 the wait is long enough for all',
      'wait = Math.max(wait, fact.retryAfterMs);',
      'wait ||= fact.retryAfterMs;',
    ],
    [
      '1 soft only where a window frees it',
      'if (fact.retryAfterMs === null) return null;',
      'if (fact.retryAfterMs === null) continue;',
    ],
  ]),
  ...inFile(`${POLICY}/checks/rate.ts`, [
    ["5 a tool's rate is the tool's", 'tool: of === null ? null : name', 'tool: null'],
    [
      '7 calls below take slots of the rates above',
      'agentId: holder ?? action.agentId',
      'agentId: action.agentId',
    ],
  ]),
  ...inFile(`${POLICY}/checks/budget.ts`, [
    ['1 lifetime budgets before windowed ones', '(windowMs === null ? 0 : BUDGET_SCOPES.length) + ', ''],
    [
      '7 what others say of a budget is of what was spent',
      'spentMicros <= one.maxMicros - costMicros',
      'true',
    ],
    ['7 budgets of other counters are all kept', 'owner, id, windowMs]', 'owner, windowMs]'],
    ["7 a policy's own budget is its own", "scope === 'mandate' ? id : ''", "''"],
    ['4 what is spent below is spent from the budgets above', "return holder ?? '';", "return '';"],
  ]),
  ...inFile(`${POLICY}/checks/rate.ts`, [
    [
      '7 rates over other windows are all kept',
      'JSON.stringify([windowMs, holder])',
      'JSON.stringify(holder)',
    ],
    ['7 what others say of a rate is of the calls made', 'calls < one.maxCalls', 'true'],
  ]),
  ...inFile(`${POLICY}/checks/by-counter.ts`, [
    ['7 of limits that share a counter the least', 'mostOf(one) < mostOf(known)', 'false'],
    ['7 what the others say is on record', 'one !== strictest', 'false'],
  ]),
  ...inFile(`${POLICY}/mandate/compose-family.ts`, [
    ['7 so are those of agents above', '...above.flatMap(givenTo)', ''],
    ['7 what an agent above holds bounds those below', '...above.flatMap(policiesOf)', ''],
    [
      '7 below an agent that holds nothing nothing is allowed',
      "return [{ ...missingPolicy(holder, ''), name: null, holder }];",
      'return [];',
    ],
  ]),
  ...inFile(`${POLICY}/checks/tool-allowed.ts`, [
    [
      '7 what may be handed on is not for its holder',
      'holder === null ? null : delegableTools',
      'delegableTools',
    ],
  ]),
  ...inFile(`${POLICY}/checks/confirmation.ts`, [
    [
      '7 one that asks for a person is enough',
      'calls.filter(asksPerson)',
      'calls.slice(0, 1).filter(asksPerson)',
    ],
  ]),
  ...inFile(`${POLICY}/checklist.ts`, [
    ['7 every policy is asked', 'calls.flatMap((ofPolicy)', 'calls.slice(0, 1).flatMap((ofPolicy)'],
    ['7 the shortest lease', 'Math.min(...leases)', 'Math.max(...leases)'],
    ['7 observe only if all observe', 'observe: calls.every(', 'observe: calls.some('],
    [
      '7 what a policy says of a tool',
      'for (const policy of policies) if (policy.tools',
      'for (const policy of policies.slice(0, 1)) if (policy.tools',
    ],
    ['7 a finding names the policy that set the limit', 'return { ...found, policy: name }', 'return found'],
  ]),
  ...inFile(`${POLICY}/decide.ts`, [
    ['7 the earliest expiry', 'Math.min(holdsUntilMs ?? expiresAtMs, expiresAtMs)', 'expiresAtMs'],
    ['7 a policy that is missing blocks', '  policyFound,\n', ''],
  ]),
  ...inFile(`${POLICY}/price.ts`, [
    ['7 the most that one reserves', 'Math.max(one.reserveMicros, other.reserveMicros)', 'one.reserveMicros'],
    [
      '7 a call is not settled as by the one that reserves most',
      'greaterCharging(one.charging, other.charging)',
      'dearer.charging',
    ],
    [
      '7 the highest price bounds give-backs',
      'Math.max(one.policyMicros, other.policyMicros)',
      'one.policyMicros',
    ],
    ['7 a price that one does not know', '...(other.unpriced ?? NONE)]', ']'],
    ['7 a price that the other does not know', '[...(one.unpriced ?? NONE), ', '['],
  ]),
  ...inFile(`${POLICY}/greater-charging.ts`, [
    [
      '7 the most that is kept of a failure',
      'Math.max(one.failedMicros, other.failedMicros)',
      'one.failedMicros',
    ],
    [
      '7 the most that is kept of a success',
      'Math.max(one.succeededMicros, other.succeededMicros)',
      'one.succeededMicros',
    ],
    [
      '7 the most that is kept of what was verified',
      'Math.max(one.verifiedMicros, other.verifiedMicros)',
      'one.verifiedMicros',
    ],
    [
      '7 the most that is estimated',
      'Math.max(one.estimateMicros ?? 0, other.estimateMicros ?? 0)',
      '(one.estimateMicros ?? other.estimateMicros ?? 0)',
    ],
    [
      '7 what one of them meters counts',
      'one.estimateMicros !== null || other.estimateMicros !== null',
      'one.estimateMicros !== null && other.estimateMicros !== null',
    ],
    [
      '7 where no kind says it all, amounts do',
      'failedMicros === verifiedMicros && failedMicros === estimateMicros',
      'failedMicros === verifiedMicros',
    ],
  ]),
  ...inFile(`${POLICY}/mandate/compose.ts`, [
    [
      '7 observed only where every rule says so',
      'observe: policy.observe && observe',
      'observe: policy.observe',
    ],
    ['7 of no policies no mandate', 'if (byName.size === 0) return null;', ''],
    ['7 order changes nothing', '.toSorted((one, other) => (one.name < other.name ? -1 : 1))', ''],
    ['7 repetition changes nothing', '[...byName.values()].toSorted', '[...policies].toSorted'],
    ['7 a policy is joined to the rules that gave it', 'byPolicy.get(policy) ?? []', 'given'],
    ['7 a missing policy allows nothing', 'isMissing: true', 'isMissing: false'],
  ]),
  ...inFile(`${POLICY}/checks/arguments-valid.ts`, [
    [
      'a refusal says what redaction replaced',
      'if (redacted.length === 0) return',
      'if (redacted.length >= 0) return',
    ],
    ['7 arguments that take too much to judge block', '    if (effort.left < 0) {', '    if (false) {'],
  ]),
  ...inFile(`${POLICY}/mandates-in-force.ts`, [
    [
      '7 a shadow that is not known is told',
      'if (shadow.mandate === null) return { ...made, shadow: unknownShadow(shadow) };',
      'if (shadow.mandate === null) return made;',
    ],
  ]),
  ...inFile(`${POLICY}/shadow.ts`, [
    ['7 shadow: what only watches objects to nothing', 'made.observe ? null : (', 'false ? null : ('],
    ['7 shadow: the total is always known', "isTotalOf(agentId, limit) ? 'total' : ", ''],
    [
      '7 shadow: what the step does not count is not known',
      'if (at === null) unknownLimits += 1;',
      'if (at === null) unknownLimits += 0;',
    ],
    [
      '7 shadow: rates of two windows are two',
      'one.tool === other.tool && one.windowMs === other.windowMs',
      'one.tool === other.tool',
    ],
    ['7 shadow: a call takes a slot itself', 'limit.maxCalls - 1', 'limit.maxCalls'],
    ['7 shadow: and its cost itself', ' - reserveMicros;', ';'],
    ['7 shadow: what it held before this call', 'cumulativeMicros - chargedMicros', 'cumulativeMicros'],
    ['7 shadow: the first that fails gives the code', 'fails ??= ', 'fails = '],
    [
      '7 shadow: it ends with its time',
      'holds(plan, facts.atMs) ? judged(plan, facts) : unknown(plan)',
      'judged(plan, facts)',
    ],
    ['7 shadow: a grant counts where one is asked for', 'return fact ?? {', 'return {'],
  ]),
  ...inFile(`${POLICY}/decide.ts`, [
    [
      '7 shadow: only where the mandate was asked',
      'plan.shadow === undefined || own !== null',
      'plan.shadow === undefined',
    ],
  ]),
  ...inFile(`${POLICY}/mandate/yaml-bounds.ts`, [
    ['8 endless documents are not parsed', 'count === MOST_MARKS', 'count === -1'],
    ['8 endless nesting is not parsed', 'brackets > MAX_DEPTH', 'brackets > 1e9'],
  ]),
  ...inFile(`${POLICY}/checks/confirmation.ts`, [
    [
      '7 of several times, the least holds',
      '{ [field]: Math.min(...said) }',
      '{ [field]: Math.max(...said) }',
    ],
  ]),
];
