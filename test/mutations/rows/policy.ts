/** Mutations of planning and deciding, except for arguments and control state. */
import { inFile, type Mutation } from '../mutation.ts';

function order(promise: string, first: string, second: string): Mutation {
  const find = `  ${first},\n  ${second},\n`;
  return { promise, file: 'packages/policy/src/decide.ts', find, replace: `  ${second},\n  ${first},\n` };
}

export const POLICY_MUTATIONS: readonly Mutation[] = [
  order('1 denied before unknown', 'toolDenied', 'toolKnown'),
  order('1 unknown before not allowed', 'toolKnown', 'toolAllowed'),
  order('1 roles before arguments', 'roleAllowed', 'argumentsValid'),
  order('1 model lists before provider lists', 'modelAllowed', 'providerAllowed'),
  order('1 provider lists before the price', 'providerAllowed', 'modelPriced'),
  order("1 the tool's cost before the mandate's", 'toolCostPerCall', 'mandateCostPerCall'),
  order('1 expiry before roles', 'mandateAlive', 'roleKnown'),
  order('1 allowed tools before roles of the tool', 'toolAllowed', 'roleAllowed'),
  order('1 roles before denied tools', 'roleKnown', 'toolDenied'),
  ...inFile('packages/policy/src/checks/run-checks.ts', [
    [
      '1 the first violation gives the verdict',
      'if (results.refusal === null) {',
      'if (results.refusal !== undefined) {',
    ],
  ]),
  ...inFile('packages/policy/src/decide.ts', [
    [
      '1 the order is the rate of the tool, budgets, the rate of the mandate, a person',
      '  toolRate,\n  budgets,\n',
      '  budgets,\n  toolRate,\n',
    ],
    [
      "1 the mandate's rate before a person",
      '  mandateRate,\n  openCalls,\n  confirmation,\n',
      '  confirmation,\n  mandateRate,\n  openCalls,\n',
    ],
    [
      '1 an error in plan is INTERNAL_ERROR',
      'return internalError(mandate.reference, error);',
      'throw error;',
    ],
    [
      '1 observed contains the enforced verdict',
      '{ ...ALLOWED_WORDS, reason }, { verdict, code }, shadow',
      '{ ...ALLOWED_WORDS, reason }, null, shadow',
    ],
    [
      '1 a plan states the end of its validity',
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
      "result: 'skip' };\n    return { check, result: objected",
      "result: 'pass' };\n    return { check, result: objected",
    ],
  ]),
  ...inFile('packages/policy/src/checks/mandate-alive.ts', [
    ['1 a mandate is expired in the millisecond of its expiry', 'atMs < expiresAtMs', 'atMs <= expiresAtMs'],
  ]),
  ...inFile('packages/policy/src/checks/tool-denied.ts', [
    [
      '1 tool lists do not apply to LLM calls, and deny beats allow',
      "if (judgedAs !== 'tool' || deniedTools === null) return null;",
      'if (deniedTools !== undefined) return null;',
    ],
  ]),
  ...inFile('packages/policy/src/checks/model-allowed.ts', [
    ['1 a denied model is blocked', 'deniedModels?.match(models.denied) ?? null', 'null as string | null'],
  ]),
  ...inFile('packages/policy/src/checks/provider-allowed.ts', [
    ['1 a call without a provider is refused', 'if (providers.length === 0) {', 'if (providers === null) {'],
    [
      '1 a denied provider is blocked',
      'deniedProviders?.match(names.denied) ?? null',
      'null as string | null',
    ],
    [
      '1 every provider has to be allowed',
      'if (pattern === null) return notAllowed',
      'if (pattern === undefined) return notAllowed',
    ],
  ]),
  ...inFile('packages/policy/src/models/call-names.ts', [
    ['1 an unknown name hides no denied model', '[model, ...endsOf(model)].flatMap', '[model].flatMap'],
    [
      '1 a pattern with a provider names it',
      'const ways = eachOnce([whole.join',
      "const ways = eachOnce(['', 'openai', whole.join",
    ],
  ]),
  ...inFile('packages/policy/src/models/spellings.ts', [
    [
      '1 the name of a model includes its versions',
      'eachSpelled(withoutEndings(model, VERSIONS))',
      'eachSpelled([model])',
    ],
  ]),
  ...inFile('packages/policy/src/models/known-providers.ts', [
    [
      '1 letter case does not matter in the name of a model',
      'text.toLowerCase();\n  const forms',
      'text;\n  const forms',
    ],
  ]),
  ...inFile('packages/policy/src/decision-record.ts', [
    [
      '1 the record contains the normal form of a model',
      'model: call?.model ?? null',
      "model: action.type === 'llm_call' ? action.model : null",
    ],
  ]),
  ...inFile('packages/policy/src/prices/price-of-llm-call.ts', [
    [
      '4 a call of an unknown provider costs as much as in the most expensive list',
      'other.micros > mostExpensive.micros',
      'other.micros < mostExpensive.micros',
    ],
  ]),
  ...inFile('packages/policy/src/prices/token-prices.ts', [
    [
      '4 a price of the document replaces the lists for usage',
      'stated.length > 0 ? stated : listed',
      '[...stated, ...listed]',
    ],
    [
      '4 prices that another price covers are left out',
      'kept.some((other) => covers(other, price))',
      'false',
    ],
    ['4 many prices become one that covers each', 'found.reduce(greaterOf)', 'price'],
    [
      '4 usage is priced by the prices in force at the time of the decision',
      'ratesAt(model, atMs) === rates[at]',
      'true',
    ],
  ]),
  ...inFile('packages/policy/src/prices/token-rates.ts', [
    [
      '4 cached input costs as much as other input if the list has no rate for it',
      'rateAbove(price.cache_read_mtok, threshold) ?? input',
      'rateAbove(price.cache_read_mtok, threshold) ?? decimalOf(0)',
    ],
    [
      '4 a cache write never costs less than other input',
      'cacheWriteMicros: Math.max(\n      inputMicros,',
      'cacheWriteMicros: Math.max(\n      0,',
    ],
    [
      '4 output without a rate is not free',
      'rateAbove(price.output_mtok, threshold) ?? input)',
      'rateAbove(price.output_mtok, threshold) ?? decimalOf(0))',
    ],
  ]),
  ...inFile('packages/policy/src/prices/model-prices.ts', [
    [
      '4 a call that names no provider pays the highest price in the document',
      'call.provider === null ? entries',
      'call.provider === null ? entries.slice(0, 1)',
    ],
  ]),
  ...inFile('packages/policy/src/checks/model-priced.ts', [
    ['1 an unpriced model is refused only if a budget is in force', 'if (!limited) return null;', ''],
  ]),
  ...inFile('packages/policy/src/checks/cost-per-call.ts', [
    ['1 a cost equal to the limit per call is allowed', 'costMicros <= maxMicros', 'costMicros < maxMicros'],
  ]),
  ...inFile('packages/policy/src/checks/confirmation.ts', [
    [
      '1 a tool that needs confirmation waits for a person',
      'tool?.requiresConfirmation === true',
      'false && tool !== null',
    ],
    [
      '1 a destructive tool waits for a person unless a policy decides it',
      '(tool?.requiresConfirmation ?? null) === null',
      '(tool?.requiresConfirmation ?? false) === null',
    ],
    [
      '7 the smallest maxWaiting of several policies holds',
      'return Math.min(...stated,',
      'return Math.max(...stated,',
    ],
  ]),
  ...inFile('packages/policy/src/mandate/resolve-mandate.ts', [
    [
      '1 the first mandate that names the agent applies',
      'mandates.find((mandate) => mandate.agents(action.agentId) !== null) ?? null',
      'mandates[0] ?? null',
    ],
    [
      '1 an agent cannot choose a laxer mandate',
      'return action.mandateId === held.reference.id ? held : null;',
      'return mandates.find((mandate) => mandate.reference.id === action.mandateId) ?? null;',
    ],
  ]),
  ...inFile('packages/policy/src/mandate/compile-mandate.ts', [
    [
      '2 a limit of zero is not an absent limit',
      'maxCostTotalMicros: microsOf(document.maxCostTotal)',
      'maxCostTotalMicros: microsOf(document.maxCostTotal) || null',
    ],
    [
      '2 an empty list is not an absent list',
      'patterns === undefined ? null',
      'patterns === undefined || patterns.length === 0 ? null',
    ],
    [
      '2 an empty registry contains no tool',
      'document.tools === undefined ? null',
      'document.tools === undefined || document.tools.length === 0 ? null',
    ],
    ['4 a repeated budget is an error', 'if (seen.has(counter))', 'if (false)'],
    [
      '4 tiers beyond the range of a counter are an error',
      '<= CAPS.amountMicros) return;',
      '<= Number.POSITIVE_INFINITY) return;',
    ],
  ]),
  ...inFile('packages/policy/src/mandate/exact-number.ts', [
    [
      '2 NaN, Infinity and hexadecimal are errors',
      'if (written === null) return',
      'if (written === null) return null;\n  if (source.length === 0) return',
    ],
    ['2 over-precise amounts are errors', 'written === decimalOf(String(value)) ?', 'true ?'],
  ]),
  ...inFile('packages/policy/src/mandate/yaml-rules.ts', [
    ['8 repeated keys are errors', 'if (seen.has(key.value))', 'if (false)'],
    ['8 __proto__ is an error', 'if (RESERVED.has(key.value))', 'if (false)'],
    ['8 keys of YAML must be texts', "typeof key.value !== 'string'", 'false'],
    [
      '2 YAML numbers in base 60 or base 8 are errors',
      "document.directives?.yaml.version === '1.1'",
      'false',
    ],
  ]),
  ...inFile('packages/policy/src/mandate/documents-in.ts', [
    [
      '8 an empty document before others is an error',
      'empty: documents.filter(isEmpty)',
      'empty: documents.slice(0, 0)',
    ],
    ['8 an empty text after the last document mark is no document', 'slice(0, last + 1)', 'slice(0)'],
  ]),
  ...inFile('packages/policy/src/mandate/tool-names.ts', [
    ['2 a limit of an undeclared tool is an error', '!known.has(name)', 'known.size < 0'],
    ['2 a limit of a tool that nothing allows is an error', '!allowed.has(name)', 'allowed.size < 0'],
    ['2 limits of tools that left a list may stay', 'limited.has(entry)', 'limited.size < 0'],
  ]),
  ...inFile('packages/policy/src/action-digest.ts', [
    [
      '3 another payload under the same id is reported',
      'sha256(canonicalJson({ ...action, ...ofDelivery, ...ofKey }))',
      "sha256('')",
    ],
  ]),
  ...inFile('packages/policy/src/record-ids.ts', [
    [
      '3 the decision id comes from log position, time and kind',
      "recordId('dec', source, appendedAtMs, kind, sha256)",
      "recordId('dec', source, 0, kind, sha256)",
    ],
  ]),
  ...inFile('packages/policy/src/verdict-in-words.ts', [
    ['3 the reason reports another payload', "first.samePayload ? '' :", "true ? '' :"],
  ]),
  ...inFile('packages/policy/src/decision-record.ts', [
    [
      '3 a duplicate names the first decision',
      'decisionId: decisionId(first.source, first.appendedAtMs, first.kind)',
      'decisionId: decisionId(request.source, first.appendedAtMs, first.kind)',
    ],
    [
      '3 the same delivery is the same record',
      'controlRevision: plan.controlRevision',
      'controlRevision: facts.sequence',
    ],
    [
      '4 a rebuild restores every charged counter',
      "budgets: plan.limits.filter((limit): limit is BudgetLimit => limit.kind === 'budget').map(counted),",
      'budgets: [],',
    ],
    [
      '5 a rebuild restores every slot of a rate',
      "judgement.observed === null || judgement.observed.verdict === 'DEFER' ? ratesOf(plan) : []",
      '[]',
    ],
    [
      '3 a rebuild restores the used grant',
      'reservation !== null && facts.limits.some(',
      'reservation === null && facts.limits.some(',
    ],
  ]),
  ...inFile('packages/policy/src/checks/open-calls.ts', [
    ['4 a call without a price counts as open', 'return [...ofPolicies, ...defaults];', 'return ofPolicies;'],
    ['4 a price of zero is no price', 'return priceMicros === 0 ? DEFAULTS.maxOpen : null;', 'return null;'],
    [
      '4 a prompt does not count as open',
      "if (judgedAs !== 'tool' || isTiered(calls)) return null;",
      "if (judgedAs === 'model' || isTiered(calls)) return null;",
    ],
    ['7 the smallest limit on open calls holds', '({ maxOpen }) => maxOpen,', '({ maxOpen }) => -maxOpen,'],
  ]),
  ...inFile('packages/policy/src/settling.ts', [
    ['4 a prompt costs nothing by default', "judgedAs === 'own'", 'false'],
    ['7 the highest price of several policies is the least cost', 'Math.max(most, of(one))', 'of(one)'],
    [
      '7 the smallest limit on releases holds',
      'Math.min(...bounded.map(({ calls }) => calls))',
      'bounded[0]?.calls ?? 0',
    ],
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
      '4 the default cap is a multiple of the reservation',
      'if (reserveMicros === 0) return',
      'if (reserveMicros < DEFAULTS.actualCostMicros) return',
    ],
    [
      '4 maxCostPerCall limits the default cap',
      'const limitMicros = isEnforced ? maxCostPerCallMicros : null;',
      'const limitMicros = null;',
    ],
    [
      '4 a raised estimate does not raise give-backs',
      'policyMicros === 0 ? reserveMicros : policyMicros',
      'reserveMicros',
    ],
  ]),
  ...inFile('packages/policy/src/price.ts', [
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
      '4 a model is charged by its price',
      'return flat(type, cost.micros, estimate,',
      'return flat(type, 0, estimate,',
    ],
    [
      '4 an estimate does not replace the price of a model',
      "if (typeof cost === 'string') return",
      "if (cost === 'price' && estimate > 0) return flat(type, 0, estimate, 'estimate');\n  if (typeof cost === 'string') return",
    ],
    [
      '4 a call without its token counts is not free',
      'inputTokens ?? defaultTokens.input;',
      'inputTokens ?? defaultTokens.input ?? 0;',
    ],
    [
      '4 a price in the document replaces the price in the lists',
      'if (stated.length > 0) {',
      'if (stated.length > 0 && call.prices === null) {',
    ],
    [
      '4 the charging of a tool replaces that of the mandate',
      'tool?.charging ?? policy.charging',
      'policy.charging',
    ],
    [
      '4 TIERED reserves the sum of its tiers',
      'rule.attemptMicros + rule.successMicros + rule.verificationMicros;',
      'rule.attemptMicros + rule.successMicros;',
    ],
  ]),
  ...inFile('packages/policy/src/checks/shared-counters.ts', [
    ['4 a budget of a principal has its own counter', "return action.principal?.id ?? '';", "return '';"],
    ['4 counters never belong to a grant', "owner === '' ? action.agentId : owner", 'owner'],
    ['1 lifetime budgets before windowed ones', '(windowMs === null ? 0 : BUDGET_SCOPES.length) + ', ''],
    ['7 budgets of other counters are all kept', 'owner, id, windowMs]', 'owner, windowMs]'],
    ['7 the own budget of a policy is not shared', "scope === 'mandate' ? id : ''", "''"],
    ['4 spending of descendants counts for the budgets of ancestors', "return ancestor ?? '';", "return '';"],
  ]),
  ...inFile('packages/policy/src/checks/budget.ts', [
    ['4 maxCostTotal is per agent', "id: TOTAL_BUDGET, scope: 'agent'", "id: TOTAL_BUDGET, scope: 'tenant'"],
  ]),
  ...inFile('packages/policy/src/mandate/compile-mandate.ts', [
    [
      '28 maxTokensTotal is per agent',
      "id: TOTAL_BUDGET, scope: 'agent'",
      "id: TOTAL_BUDGET, scope: 'tenant'",
    ],
    ['28 each window of tokens is a limit', 'most: total }, ...windows]', 'most: total }]'],
  ]),
  ...inFile('packages/policy/src/checks/unit-limits.ts', [
    ['28 calls of tools use no tokens', "judgedAs === 'model' ? policy", 'true ? policy'],
    [
      '28 all limits on tokens compare the same number of tokens',
      'used <= mostSpentBefore(one.most, reserve)',
      'true',
    ],
  ]),
  ...inFile('packages/policy/src/checks/tokens-stated.ts', [
    [
      '28 a call that states no tokens is refused where tokens are limited',
      'if (callTokens !== null) return',
      'if (callTokens !== undefined) return',
    ],
  ]),
  ...inFile('packages/policy/src/unit-reserves.ts', [
    ['28 a call reserves its input and its longest output', 'upTo(input + maxOutput)', 'upTo(input)'],
    [
      '28 the most tokens of several policies are reserved',
      'Math.max(\n        ...policies',
      'Math.min(\n        ...policies',
    ],
    [
      '28 own reports give back a bounded number of tokens',
      'releases: fewest && {',
      'releases: fewest && null && {',
    ],
    ['28 reported tokens have a cap', 'upTo(DEFAULTS.actualCostFactor * reserve)', 'CAPS.amountOfUnit'],
    ['28 an LLM call reserves one tool call', 'reserve: () => 1', 'reserve: () => 0'],
    [
      '28 reported tool calls have a cap',
      'most: () => DEFAULTS.sharedToolCallsPerAnswer',
      'most: () => CAPS.amountOfUnit',
    ],
    ['28 a failed answer costs no tool calls by attempt', 'byAttempt: false', 'byAttempt: true'],
    [
      '28 one policy that charges by attempt is enough',
      'calls.some(({ policy }) => policy.charging',
      'calls.every(({ policy }) => policy.charging',
    ],
  ]),
  ...inFile('packages/policy/src/checks/role-allowed.ts', [
    ['26 only the listed roles may use a tool', 'role !== null && mayUse.has(role)', 'role !== null'],
    ['26 an empty list of roles lets nobody use the tool', 'if (roles === null)', 'if (!roles?.length)'],
  ]),
  ...inFile('schemas/src/counter-names.ts', [
    ['26 the counter of a person is no counter of an agent', '` ${principalId', '`${principalId'],
  ]),
  ...inFile('packages/policy/src/checks/rate.ts', [
    [
      '26 the rate of a person counts the calls of all agents for that person',
      "scope === 'principal' ? ofPerson : ofAgent",
      'ofAgent',
    ],
    [
      '26 limits on the counter of a person are one limit, whichever ancestor has the policy',
      '[windowMs, scope] :',
      '[windowMs, scope, ancestor] :',
    ],
    ['5 the rate of a tool counts only that tool', '(of === null ? null : name)', 'null'],
    [
      '7 calls of descendants take slots of the rates of ancestors',
      'agentId: ancestor ?? action.agentId',
      'agentId: action.agentId',
    ],
  ]),
  ...inFile('packages/policy/src/checks/budget.ts', [
    [
      '7 all limits on a budget compare the same spent amount',
      'spentMicros <= mostSpentBefore(one.maxMicros, costMicros)',
      'true',
    ],
  ]),
  ...inFile('packages/policy/src/checks/rate.ts', [
    ['7 rates over other windows are all kept', '[windowMs, scope, ancestor]', '[scope, ancestor]'],
    [
      '7 all limits on a rate compare the same number of calls',
      'calls <= mostCallsBefore(one.maxCalls)',
      'true',
    ],
  ]),
  ...inFile('packages/policy/src/checks/by-counter.ts', [
    ['7 the smallest of several limits on one counter holds', 'mostOf(one) < mostOf(known)', 'false'],
    ['7 the record contains the other limits on a counter', 'one !== strictest', 'false'],
  ]),
  ...inFile('packages/policy/src/mandate/compose-with-ancestors.ts', [
    ['7 policies of ancestors are composed too', '...ancestors.flatMap(givenTo)', ''],
    ['7 the policy of an ancestor bounds its descendants', '...ancestors.flatMap(policiesOf)', ''],
    [
      '7 descendants of an agent without a policy may do nothing',
      "return [{ ...missingPolicy(ancestor, ''), name: null, ancestor }];",
      'return [];',
    ],
  ]),
  ...inFile('packages/policy/src/checks/tool-allowed.ts', [
    [
      '7 a delegable tool is not allowed to its holder',
      'ancestor === null ? null : delegableTools',
      'delegableTools',
    ],
  ]),
  ...inFile('packages/policy/src/checks/confirmation.ts', [
    [
      '7 one policy that asks for a person is enough',
      'calls.filter(asksPerson)',
      'calls.slice(0, 1).filter(asksPerson)',
    ],
  ]),
  ...inFile('packages/policy/src/checklist.ts', [
    ['7 every policy is checked', 'calls.flatMap((ofPolicy)', 'calls.slice(0, 1).flatMap((ofPolicy)'],
    ['7 the shortest lease of several policies holds', 'Math.min(...leases)', 'Math.max(...leases)'],
    [
      '7 a mandate only observes if all its policies observe',
      'observe: calls.every(',
      'observe: calls.some(',
    ],
    [
      '7 the rules of a policy for a tool apply to that tool',
      'for (const policy of policies) if (policy.tools',
      'for (const policy of policies.slice(0, 1)) if (policy.tools',
    ],
    ['7 a finding names the policy that set the limit', 'return { ...found, policy: name }', 'return found'],
  ]),
  ...inFile('packages/policy/src/decide.ts', [
    [
      '7 the earliest expiry of several policies holds',
      'Math.min(holdsUntilMs ?? expiresAtMs, expiresAtMs)',
      'expiresAtMs',
    ],
    ['7 a missing policy blocks', '  policyFound,\n', ''],
  ]),
  ...inFile('packages/policy/src/price.ts', [
    [
      '7 the highest reservation of several policies holds',
      'Math.max(one.reserveMicros, other.reserveMicros)',
      'one.reserveMicros',
    ],
    [
      '7 a call is settled by the charging of all policies',
      'greaterCharging(one.charging, other.charging)',
      'dearer.charging',
    ],
    [
      '7 the highest price bounds give-backs',
      'Math.max(one.policyMicros, other.policyMicros)',
      'one.policyMicros',
    ],
    ['7 a price that a later policy lacks blocks', '...(other.unpriced ?? NONE)]', ']'],
    ['7 a price that an earlier policy lacks blocks', '[...(one.unpriced ?? NONE), ', '['],
  ]),
  ...inFile('packages/policy/src/greater-charging.ts', [
    [
      '7 the highest charge for a failure holds',
      'Math.max(one.failedMicros, other.failedMicros)',
      'one.failedMicros',
    ],
    [
      '7 the highest charge for a success holds',
      'Math.max(one.succeededMicros, other.succeededMicros)',
      'one.succeededMicros',
    ],
    [
      '7 the highest charge for a verified success holds',
      'Math.max(one.verifiedMicros, other.verifiedMicros)',
      'one.verifiedMicros',
    ],
    [
      '7 the highest estimate holds',
      'Math.max(one.estimateMicros ?? 0, other.estimateMicros ?? 0)',
      '(one.estimateMicros ?? other.estimateMicros ?? 0)',
    ],
    [
      '7 an actual cost counts if one policy meters it',
      'one.estimateMicros !== null || other.estimateMicros !== null',
      'one.estimateMicros !== null && other.estimateMicros !== null',
    ],
    [
      '7 policies of different charging compose to amounts',
      'failedMicros === verifiedMicros && failedMicros === estimateMicros',
      'failedMicros === verifiedMicros',
    ],
  ]),
  ...inFile('packages/policy/src/mandate/compose.ts', [
    [
      '7 an agent is only observed if every rule observes',
      'observe: policy.observe && observe',
      'observe: policy.observe',
    ],
    ['7 no policies make no mandate', 'if (byName.size === 0) return null;', ''],
    [
      '7 the order of policies changes nothing',
      '.toSorted((one, other) => (one.name < other.name ? -1 : 1))',
      '',
    ],
    ['7 a repeated policy changes nothing', '[...byName.values()].toSorted', '[...policies].toSorted'],
    ['7 a policy is joined to the rules that gave it', 'byPolicy.get(policy) ?? []', 'given'],
    ['7 a missing policy allows nothing', 'isMissing: true', 'isMissing: false'],
  ]),
  ...inFile('packages/policy/src/checks/arguments-valid.ts', [
    [
      'a refusal names the fields that redaction replaced',
      'if (redacted.length === 0) return',
      'if (redacted.length >= 0) return',
    ],
    ['7 arguments that take too many steps block', '    if (stepBudget.left < 0) {', '    if (false) {'],
  ]),
  ...inFile('packages/policy/src/mandates-in-force.ts', [
    [
      '7 an unknown shadow verdict is reported',
      'if (shadow.mandate === null) return { ...made, shadow: unknownShadow(shadow) };',
      'if (shadow.mandate === null) return made;',
    ],
  ]),
  ...inFile('packages/policy/src/shadow.ts', [
    ['7 shadow: a policy that only observes blocks nothing', 'made.observe ? null : (', 'false ? null : ('],
    ['7 shadow: the total is always known', "isTotalOf(agentId, limit) ? 'total' : ", ''],
    [
      '7 shadow: a limit that the step does not count is unknown',
      'if (at === null) unknownLimits += 1;',
      'if (at === null) unknownLimits += 0;',
    ],
    [
      '7 shadow: rates of two windows are two counters',
      'one.tool === other.tool && one.windowMs === other.windowMs',
      'one.tool === other.tool',
    ],
    ['7 shadow: a call counts its own slot', 'mostCallsBefore(limit.maxCalls)', 'limit.maxCalls'],
    [
      '7 shadow: a call counts its own cost',
      'mostSpentBefore(limit.maxMicros, reserveMicros)',
      'mostSpentBefore(limit.maxMicros, 0)',
    ],
    [
      '7 shadow: the facts are those before this call',
      'cumulativeMicros - chargedMicros',
      'cumulativeMicros',
    ],
    ['7 shadow: the first failed check gives the code', 'fails ??= ', 'fails = '],
    [
      '7 shadow: a policy ends at its expiry',
      'holdsAt(plan, facts.atMs) ? judged(plan, facts) : unknown(plan)',
      'judged(plan, facts)',
    ],
    ['7 shadow: a grant counts if the shadow asks for a person', 'return fact ?? {', 'return {'],
  ]),
  ...inFile('packages/policy/src/decide.ts', [
    [
      '7 shadow: it is evaluated only with the mandate',
      'plan.shadow === undefined || endsStep(facts)',
      'plan.shadow === undefined',
    ],
  ]),
  ...inFile('packages/policy/src/mandate/yaml-bounds.ts', [
    ['8 YAML that expands without end is not parsed', 'matches === count', 'matches === -1'],
    ['8 YAML with endless nesting is not parsed', 'brackets > MAX_DEPTH', 'brackets > 1e9'],
  ]),
  ...inFile('packages/policy/src/checks/confirmation.ts', [
    [
      '7 the shortest of several lifetimes holds',
      '{ [field]: Math.min(...stated) }',
      '{ [field]: Math.max(...stated) }',
    ],
  ]),
];
