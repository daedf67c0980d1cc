/** Ways to break a promise of SEMANTICS, one line of code each: `find` stands once in `file`. A test must notice every one. */

export type Mutation = { promise: string; file: string; find: string; replace: string };

const POLICY = 'packages/policy/src';
const MEMORY = 'packages/ledger/src/memory';
const DECIDER = 'services/decider/src';
const ALERTER = 'services/alerter/src';
const PRIVACY = 'packages/privacy/src';
const CHANGE = 'services/query/src/explain/what-would-change.ts';
const OTHERS = 'services/query/src/explain/others-in-words.ts';

function order(promise: string, first: string, second: string): Mutation {
  const find = `  ${first},\n  ${second},\n`;
  return { promise, file: `${POLICY}/decide.ts`, find, replace: `  ${second},\n  ${first},\n` };
}

function inFile(file: string, rows: readonly [promise: string, find: string, replace: string][]): Mutation[] {
  return rows.map(([promise, find, replace]) => ({ promise, file, find, replace }));
}

export const MUTATIONS: readonly Mutation[] = [
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
  ...inFile(`${MEMORY}/step.ts`, [
    ['1 redelivery before all', 'if (again !== null) return again;', ''],
    [
      '4 at rest: an outcome that lies before its decision settles it',
      'unpublished.early = settleEarly(state, entry);',
      '',
    ],
    [
      '1 duplicates before the deadline',
      'const isOver = first !== null || unremembered',
      'const isOver = unremembered',
    ],
    ['1 the deadline before kill', 'isOver || late ? null : stoppedBy', 'isOver ? null : stoppedBy'],
    [
      '3 where there is no room nothing new is let through',
      'const unremembered = !hasRoom(state, tenant, request, nowMs);',
      'const unremembered = false;',
    ],
    [
      '1 past its time the step answers replan',
      "if (!ended && !holds(request, nowMs)) return { kind: 'replan', atMs: nowMs };",
      '',
    ],
    [
      '1 a static verdict ends the step',
      'const judged = !ended && (plan.refusal === null || watches(plan));',
      'const judged = !ended;',
    ],
    ['5 refused calls use no quota', "first === null && enforced.verdict !== 'BLOCK'", 'first === null'],
    [
      '3 a deferred action takes a slot',
      "first === null && enforced.verdict !== 'BLOCK'",
      "first === null && enforced.verdict === 'ALLOW'",
    ],
    ['3 a DEFER that is told again takes no slot', 'const takes = first === null &&', 'const takes ='],
    [
      '3 the granted retry takes its slots along',
      'leaveSlots(answered, ratesOf(tenant, request), nowMs)',
      '[]',
    ],
    [
      '3 a retry that is refused leaves its slots where they were',
      "if (answered !== null && enforced.verdict !== 'ALLOW') retakeSlots",
      'if (answered !== null && false) retakeSlots',
    ],
    [
      '4 a refused action consumes nothing',
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
      '1 deadline: that very millisecond is in time',
      'nowMs > request.deadlineAtMs',
      'nowMs >= request.deadlineAtMs',
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
    ['1 who names no provider does not pass', 'if (providers.length === 0) {', 'if (providers === null) {'],
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
  ...inFile(`${POLICY}/rules/condition.ts`, [
    ['7 rules see the normal form', 'return knownCall(action).model;', 'return action.model;'],
  ]),
  ...inFile(`${POLICY}/rules/condition-names.ts`, [
    ['7 a rule that is never met is refused', 'return text === normal ? null', 'return text !== null ? null'],
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
      '4 who names no provider pays the dearest of the document',
      'call.provider === null ? entries',
      'call.provider === null ? entries.slice(0, 1)',
    ],
  ]),
  ...inFile(`${POLICY}/lint/widening.ts`, [
    [
      '7 a denied model has more names than the list',
      "of !== 'Tools' || glob.includes('*')",
      "glob.includes('*')",
    ],
    ['7 a lower price of a model is wider', '...lowerPrices(before, after),', ''],
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
  ...inFile('schemas/src/moment.ts', [
    ['8 no February 30th', 'Number(day) > days', 'Number(day) > 31'],
    [
      '8 every fourth year but three of four hundred is a leap year',
      '2_000 + (Number(year) % 400)',
      '2_000 + (Number(year) % 4)',
    ],
    ['8 no 24:00', 'Number(hour) > 23', 'Number(hour) > 24'],
    ['8 an offset is said', 'if (offset === undefined)', 'if (offset === null)'],
    ['8 a time can be written back', 'atMs >= 0 && atMs <= LAST_MS ? null', 'atMs >= 0 ? null'],
  ]),
  ...inFile('schemas/src/csv-text.ts', [
    ['9 a part after a semicolon begins no formula', "';,|\\t\\r\\n\\v\\f'", "',|\\t\\r\\n\\v\\f'"],
    [
      '9 an apostrophe of the text differs from one that guards',
      "if (place !== 'within' && SIGNS",
      "if (place === 'begins' && SIGNS",
    ],
  ]),
  ...inFile('schemas/src/money.ts', [
    ['2 dollars have at most six decimals', '(\\d{1,6})', '(\\d{1,7})'],
    ['2 amounts on the wire are not negative', '  .int()\n  .min(0)\n', '  .int()\n'],
  ]),
  ...inFile('schemas/src/defaults.ts', [
    ['2 the deadline is 30 s', 'deadlineMs: 30_000', 'deadlineMs: 30_001'],
    ['2 the replay memory is 24 h', 'replayMemoryMs: 24 *', 'replayMemoryMs: 25 *'],
    ['2 the lease is 5 min', 'leaseMs: 5 * 60_000', 'leaseMs: 6 * 60_000'],
    ['5 calls are capped', 'rateCalls: 100_000', 'rateCalls: 1_000_000'],
  ]),
  ...inFile(`${DECIDER}/answer-batch.ts`, [
    [
      "2 the request's own deadline overrides",
      'action.deadlineMs ?? DEFAULTS.deadlineMs',
      'DEFAULTS.deadlineMs',
    ],
    [
      '3 no deadline is longer than the replay memory',
      'Math.min(action.deadlineMs ?? DEFAULTS.deadlineMs, replayMemoryMs - 1)',
      '(action.deadlineMs ?? DEFAULTS.deadlineMs)',
    ],
    ['3 a deadline ends before its action is forgotten', 'replayMemoryMs - 1', 'replayMemoryMs'],
    ["1 plans are made for the ledger's time", 'planForMs: result.atMs }', 'planForMs: plannedAtMs }'],
    [
      '8 what cannot be redacted is not shown',
      'if (unshown !== null) return internalError(null, unshown);',
      '',
    ],
    ['3 attempt is 1 where it is left out', 'attempt: action.attempt ?? 1', 'attempt: action.attempt ?? 2'],
    [
      '8 dear records leave the others their turn',
      'if (turns.isOver()) await turns.next(lane);\n    const read',
      'const read',
    ],
  ]),
  ...inFile(`${DECIDER}/read-incoming.ts`, [
    ["8 a tenant's topic fixes the tenant", 'stated !== undefined && stated !== owner', 'false'],
    ['7 rules hear the tenant, whoever leaves it out', '{ ...value.action, tenant, ', '{ ...value.action, '],
    [
      "4 a report on a tenant's topic is the agent's own",
      'mayRelease: source.topic === TOPICS.actions',
      'mayRelease: true',
    ],
    [
      "4 a report on a tenant's topic says nothing of its reporter",
      'owner !== null && reportedBy !== undefined',
      'false',
    ],
  ]),
  ...inFile(`${DECIDER}/app.ts`, [
    [
      '3 publish before confirm and commit',
      '  await ledger.confirm(epoch, operations);\n  const last = batch.records.at(-1);\n  if (last !== undefined) await batch.commit(nextOffset(last));\n',
      '  const last = batch.records.at(-1);\n  if (last !== undefined) await batch.commit(nextOffset(last));\n  await ledger.confirm(epoch, operations);\n',
    ],
    [
      '9 the log away: the partition waits',
      'if (!isMandateError(error) || !isWaitedFor(error, batch)) throw error;',
      'throw error;',
    ],
    [
      '6 a topic made anew ends nobody',
      "return retryable || code === 'LEDGER_EPOCH_CHANGED' || isMadeAnew;",
      "return retryable || code === 'LEDGER_EPOCH_CHANGED';",
    ],
    ['8 dead letters are published', "given.filter(({ answer }) => answer.kind === 'dead-letter'),", '[],'],
  ]),
  ...inFile('schemas/src/epoch-in-force.ts', [
    [
      '2 the replay memory never gets shorter',
      'return Math.max(known, replayMemoryMs ?? 0);',
      'return replayMemoryMs ?? known;',
    ],
    ['9 who was overtaken begins no epoch', 'generation <= highest ? inForce', 'generation < 0 ? inForce'],
    ['9 one generation begins one epoch', 'generation <= highest', 'generation < highest'],
    [
      '9 an older program begins its epoch in the order of the log',
      'return { id, generation: highest };',
      'return inForce ?? { id, generation: highest };',
    ],
    [
      '9 an older program leaves the generations taken',
      'return { id, generation: highest };',
      'return { id, generation: 0 };',
    ],
    ['9 what another epoch decides is void', 'inForce.id === madeIn', 'inForce.id !== null'],
  ]),
  ...inFile('packages/policy/src/lint/common-name.ts', [
    ['7 what is denied is left over by nobody', '(out === null || !denying.ends(out))', 'true'],
    ['7 no list of patterns holds up whoever asks', 'takes(effort, STEPS_A_PLACE * all.size);', ''],
  ]),
  ...inFile('packages/policy/src/lint/lint-control.ts', [
    [
      '7 who writes a policy hears of the rules that name it',
      "id === (kind === 'rule' ? document.id : policyIdOf(document))",
      'id === document.id',
    ],
  ]),
  ...inFile('packages/policy/src/lint/nothing-in-common.ts', [
    [
      '7 rules that never hold at once contradict nobody',
      'if (mayHoldAtOnce(set, effort)) return set;',
      'return set;',
    ],
    ['7 what a sub-agent may do is asked of those above it', 'names: held.below }', 'names: held.names }'],
    ['7 lint says what it did not look at', 'if (!isKnown) skipped();', ''],
  ]),
  ...inFile('packages/policy/src/lint/idle-documents.ts', [
    ['7 who changes a document does not wait for long', '!takes(effort, tools.length)', 'false'],
  ]),
  ...inFile('packages/policy/src/lint/never-hold.ts', [
    ['7 lint knows which actions have a field', '...ofFields.flatMap(implied)', ''],
    ['7 a choice contradicts where all of it does', 'any.every((choice)', 'any.some((choice)'],
    ['7 a range without its ends is empty', 'low > high || (low === high && isOpen)', 'low >= high'],
  ]),
  ...inFile('packages/policy/src/lint/covering-rules.ts', [
    [
      '7 lint takes a rule that watches for no more than it is',
      "one.mode === 'observe' && other.mode === 'shadow'",
      'false',
    ],
    ['7 of two rules that say the same one is told', 'one.id < other.id || ', ''],
    ['7 a rule covers none that begins before it', 'wide.startsAtMs > narrow.startsAtMs || ', ''],
    ['7 a rule covers none that asks less', 'if (!narrow.conditions.has(condition)) return false;', ';'],
  ]),
  ...inFile('packages/policy/src/lint/lint-limits.ts', [
    ['7 a denied tool may cost what it likes', 'deniedTools(tool) !== null', 'false'],
  ]),
  ...inFile('packages/policy/src/lint/limits.ts', [
    [
      '7 an agent has all that it spends, a person not',
      "wide.isOfAll && narrow.scope === 'agent'",
      'wide.isOfAll',
    ],
    ['7 a counter that began later has not seen all of another', 'wide.isOfAll && narrow', 'narrow'],
  ]),
  ...inFile('schemas/src/name-fault.ts', [
    [
      '8 a name holds nothing that cannot be seen',
      'if (isNameCharacter(character.codePointAt(0) as number)) continue;',
      'continue;',
    ],
    ['8 a name is written in one way', 'return text === composed ? null', 'return text !== null ? null'],
  ]),
  ...inFile('schemas/src/decode-text.ts', [
    [
      '8 what is no UTF-8 is refused',
      "new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })",
      "new TextDecoder('utf-8', { ignoreBOM: true })",
    ],
    ['8 UTF-16 without a mark is refused', 'if (wide !== null)', 'if (wide !== null && bytes[0] === 0xff)'],
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
  ...inFile('packages/policy/src/lint/document-doubts.ts', [
    [
      '8 signs that mean nothing are told',
      'OF_PATTERNS.test(field))\n    .flatMap',
      'field === null)\n    .flatMap',
    ],
    [
      '8 limits under names that nothing confirms are told',
      '.filter((name) => !known.has(name))',
      '.filter(() => false)',
    ],
  ]),
  ...inFile('packages/policy/src/lint/look-alikes.ts', [
    ['8 letters of other scripts look alike', 'table.get(character) ?? character', 'character'],
  ]),
  ...inFile('schemas/src/pattern.ts', [
    [
      '8 a pattern that can match no name is an error',
      'return fault === null ? null',
      'return fault !== null ? null',
    ],
  ]),
  ...inFile('packages/policy/src/lint/globs-within.ts', [
    ['7 a pattern is compared as a language', "replaceAll('*', UNSPELLED)", "replaceAll('*', '')"],
  ]),
  ...inFile('packages/policy/src/lint/widening.ts', [
    [
      '7 a limit that is gone is told',
      'after !== undefined && after <= before',
      'after === undefined || after <= before',
    ],
    ['7 what is denied no more is told', '...delegable, ...denied]', '...delegable]'],
    ['7 what may be handed on is told', '...allowed, ...delegable,', '...allowed,'],
  ]),
  ...inFile('packages/policy/src/lint/widening.ts', [
    ['7 a version that rules waited for is told', 'if (isThere && !wasThere)', 'if (false)'],
    ['7 what may be asked again sooner is told', 'lease(is) < lease(was)', 'false'],
    ['7 a tool that nobody may call lets nothing through', '.filter(usableUnder(after, effort))', ''],
  ]),
  ...inFile('packages/policy/src/lint/rule-widening.ts', [
    ['7 a rule that is gone held somebody', 'held ? [goes(before, after)] : []', '[]'],
    ['7 a rule that is new gives somebody', '[comes(before, after)]', '[]'],
    ['7 whom a rule holds only now may have been refused', 'return isMore ?', 'return false ?'],
    [
      '7 a rule that only watches holds nobody up',
      "before.mode === 'enforce' && after.mode === 'observe'",
      'false',
    ],
    ['7 a rule that begins or ends at another time is told', 'was === is ? []', 'true ? []'],
    ['7 another version of a policy may be wider', 'before.policy === after.policy || is === null', 'true'],
  ]),
  ...inFile('packages/policy/src/lint/agent-widening.ts', [
    ['7 a group that is left held the agent', 'left(before.groups, after.groups)', '[]'],
    ['7 a group that is joined gives the agent', 'left(after.groups, before.groups)', '[]'],
    ['7 a label that rules ask for is told', "asked.attribute('labels', name)", 'false'],
    ['7 a parent that is gone held the agent', 'before.parent !== undefined ||', ''],
    ['7 a name that rules ask for is told', "asked.attribute('name') ?", 'false ?'],
  ]),
  ...inFile('packages/policy/src/lint/bounds-widening.ts', [
    ['7 bounds that are gone are told', "is === null ? ['bounds: gone']", 'is === null ? []'],
  ]),
  ...inFile('packages/policy/src/control/control-units.ts', [
    ['7 what a tenant holds is bounded', 'grows > 0 && units + grows > CAPS.controlUnits', 'false'],
  ]),
  ...inFile('packages/ledger/src/memory/commands.ts', [
    [
      '3 what operators did is remembered for a day',
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
      '9 what lies in a partition that is read behind others finds its decision',
      'Math.min(state.clockMs, ...behind.values())',
      'state.clockMs',
    ],
    [
      '9 a rebuild leaves out what is void',
      'made !== null && !holdsIn(inForce, made.ledgerEpoch)',
      'made === null && false',
    ],
  ]),
  ...inFile('services/recorder/src/read-batch.ts', [
    [
      '9 the recorder marks void what was decided in another epoch',
      'const isVoid = !holdsIn(inForce, record.decision.ledgerEpoch);',
      'const isVoid = false;',
    ],
    ['9 the recorder marks an overtaken epoch as void', 'void: behind === inForce }', 'void: false }'],
  ]),
  ...inFile('services/recorder/src/epoch-in-force.ts', [
    ['9 other topics say nothing of an epoch', 'if (topic === TOPICS.decisions) remembered', 'remembered'],
  ]),
  ...inFile('services/recorder/src/control-changes.ts', [
    ['7 what became of a change follows from all before it', 'taken?.next === offset', 'taken !== null'],
    [
      '7 what lies beside the changes is none',
      'if (records[0]?.coordinate.partition !== PARTITION) return [];',
      '',
    ],
  ]),
  ...inFile(`${POLICY}/control/what-became.ts`, [
    ['7 a change that was written twice is on record once', 'changed.ok && !tookEffect', 'false'],
    ['7 what was refused is on record as that', 'changed.ok ? null : changed.refusal', 'null'],
    [
      '7 only what took effect made a version',
      'tookEffect ? versionOf(fold, record) : 0',
      'versionOf(fold, record)',
    ],
  ]),
  ...inFile('packages/audit/src/rows/control-change.ts', [
    ['7 no hash of a key is in the audit', 'key: { hash: _, ...key } }', 'key }'],
  ]),
  ...inFile('services/gateway/src/answers/follow-decisions.ts', [
    [
      '9 the gateway hands no void decision over',
      "record.event === 'action.decided' && holdsIn(inForce, record.decision.ledgerEpoch)",
      "record.event === 'action.decided'",
    ],
    [
      '9 the gateway knows the generation in force where it begins',
      'generation: ledger.generation };',
      'generation: 0 };',
    ],
  ]),
  ...inFile(`${DECIDER}/restore-ledger.ts`, [
    [
      '9 a start goes into force above what the log holds',
      'Math.max(clock(), highestGeneration(fold) + 1)',
      'Math.max(clock(), highestGeneration(fold))',
    ],
  ]),
  ...inFile(`${DECIDER}/rebuild-ledger.ts`, [
    [
      '9 no rebuild ends below what the log holds',
      '  mustHold(epoch, fold, need);\n  sayMemory',
      '  sayMemory',
    ],
    ['9 the next try is above what the log holds', '  need.above = highestGeneration(fold);\n', ''],
    ["9 the lease of one's own last try is no obstacle", '  need.epoch = epoch;\n', ''],
    [
      '9 who was overtaken sees to what it said on the log',
      '    mustHold(options.ledger.epoch, fold, need);\n',
      '',
    ],
  ]),
  ...inFile('packages/runtime/src/followed-document.ts', [
    [
      '9 a bad edit keeps the last good mandates',
      '      if (read.ok) onGood(read, false);\n',
      '      if (read.ok || true) onGood({ mandates: [], ...read } as Good, false);\n',
    ],
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
  ...inFile(`${MEMORY}/counters.ts`, [
    [
      '4 sums stay exact below zero',
      'const least = -Number.MAX_SAFE_INTEGER - heldMicros;',
      'const least = Number.NEGATIVE_INFINITY;',
    ],
    [
      '4 a bucket of a window stays exact',
      'return sliding === null ? fits : within(amountAt(sliding, atMs), fits);',
      'return fits;',
    ],
  ]),
  ...inFile('services/gateway/src/commands/pull-kill-switch.ts', [
    ['6 a kill that is carried out anew is on the log anew', '@${', '@${0 * '],
    ['6 the event of a kill fits the log', 'named.slice(0, TENANTS_IN_EVENT)', 'named'],
  ]),
  ...inFile('services/gateway/src/journal/command-journal.ts', [
    [
      '6 an event that the log refuses holds up no other',
      'if (!isMandateError(error) || !error.retryable) this.#unlogged.delete(id);',
      '',
    ],
  ]),
  ...inFile(`${MEMORY}/deliveries.ts`, [
    ['6 a kill lists what is still to reach the log', 'return unpublished !== null || (', 'return ('],
    ['3 no attempt after a hard block', 'return !entry.hard;', 'return true;'],
    ['3 no attempt after a success', "return entry.lease.result !== 'succeeded';", 'return true;'],
    ['3 an attempt after the lease ran out', 'return entry.lease.expiresAtMs <= nowMs;', 'return false;'],
  ]),
  ...inFile(`${MEMORY}/duplicates.ts`, [
    ['3 idempotency keys', ' ?? ownsTheKey(agent, request, nowMs) ?? null', ' ?? null'],
    ['3 attempts never go back', 'request.attempt > latest.attempt && ', ''],
    [
      '3 a grant is for that very payload',
      "same.verdict !== 'DEFER' || same.digest !== request.digest",
      "same.verdict !== 'DEFER'",
    ],
  ]),
  ...inFile(`${MEMORY}/operate.ts`, [
    [
      '3 nobody answers what nobody asked',
      'asked === undefined || asked.digest !== digest',
      'asked === undefined',
    ],
    [
      '3 what was let through or refused for good is answered no more',
      "if (asked.verdict === 'ALLOW' || asked.hard) throw decidedSince(asked);",
      '',
    ],
    [
      '3 a block for now may be answered',
      "asked.verdict === 'ALLOW' || asked.hard",
      "asked.verdict !== 'DEFER'",
    ],
  ]),
  ...inFile('schemas/src/approval-id.ts', [
    ['3 an approval has one id', 'return approvalId(named) === text ? named : null;', 'return named;'],
  ]),
  ...inFile(`${MEMORY}/grants.ts`, [
    ['3 a grant ends', "return grant.expiresAtMs > nowMs ? 'granted' : 'expired';", "return 'granted';"],
  ]),
  ...inFile('packages/audit/src/queries/summed-micros.ts', [
    ['4 a sum that no number holds is told as the most', '.transform((sum) => sumMicros(sum))', ''],
  ]),
  ...inFile('packages/cli/src/reconcile/laws/terms.ts', [
    ['4 reconcile: a success costs its least', 'chargedMicros < leastMicros', 'false'],
    ['4 reconcile: what own reports gave back before counts', 'before + backMicros >', 'backMicros >'],
  ]),
  ...inFile('schemas/src/outcome-result.ts', [
    ['4 a failed verification is a failure', ' && verified !== false', ''],
  ]),
  ...inFile('packages/ledger/src/charge.ts', [
    [
      '4 SUCCESS_BASED success: actual, else estimate',
      'return actualMicros ?? charging.estimateMicros;',
      'return actualMicros ?? 0;',
    ],
    ['4 SUCCESS_BASED failure: actual if metered, else 0', 'return actualMicros ?? 0;', 'return 0;'],
    [
      '4 ATTEMPT_BASED success: the larger of both',
      "case 'ATTEMPT_BASED':\n      return Math.max(charging.estimateMicros, actualMicros ?? 0);\n    case 'TIERED': {",
      "case 'ATTEMPT_BASED':\n      return actualMicros ?? charging.estimateMicros;\n    case 'TIERED': {",
    ],
    [
      '4 ATTEMPT_BASED failure: the larger of both',
      "case 'ATTEMPT_BASED':\n      return Math.max(charging.estimateMicros, actualMicros ?? 0);\n    case 'TIERED':\n",
      "case 'ATTEMPT_BASED':\n      return actualMicros ?? charging.estimateMicros;\n    case 'TIERED':\n",
    ],
    ['4 TIERED failure: the attempt', 'return charging.attemptMicros;', 'return charging.successMicros;'],
    [
      '4 TIERED verification only if it ran',
      'verified ? charging.verificationMicros : 0',
      'charging.verificationMicros',
    ],
    [
      '7 COMPOSED failure: what is kept, or what was metered',
      'Math.max(charging.failedMicros, actualMicros ?? 0)',
      'charging.failedMicros',
    ],
    [
      '7 COMPOSED verification only if it ran',
      'verified ? charging.verifiedMicros : charging.succeededMicros',
      'charging.verifiedMicros',
    ],
    [
      '7 COMPOSED success: what is kept, or what was metered or estimated',
      'Math.max(keptMicros, actualMicros ?? charging.estimateMicros)',
      'Math.max(keptMicros, actualMicros ?? 0)',
    ],
    [
      '4 who may release cancels for nothing',
      "if (result === 'cancelled' && mayRelease) return costing(0);",
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
      'outcome.mayRelease ? settling.leastMicros : settling.ownLeastMicros',
      'settling.leastMicros',
    ],
    [
      '4 an actual cost is charged up to its cap',
      'Math.min(actualMicros, settling.mostMicros)',
      'actualMicros',
    ],
    [
      '4 tiers ignore what was metered',
      "charging.type === 'TIERED' ? 0 : (actualMicros ?? 0) - (cappedMicros ?? 0)",
      '(actualMicros ?? 0) - (cappedMicros ?? 0)',
    ],
    [
      '4 own reports give back a bounded amount',
      'Math.max(0, releasedMicros) > mostMicros - givenBackMicros',
      'false',
    ],
    ['4 what own reports gave back counts', 'releasedMicros: givenBackMicros };', 'releasedMicros: 0 };'],
    [
      '4 a success makes room for a share of its charge only',
      'Math.min(Math.max(0, releasedMicros), roomMicros)',
      'Math.max(0, releasedMicros)',
    ],
  ]),
  ...inFile(`${MEMORY}/settle.ts`, [
    [
      '4 the first outcome settles',
      "return lease.result === null ? 'settled' : 'repeated';",
      "return 'settled';",
    ],
    ['4 OVERDRAWN says so', 'overdrawn: deltaMicros + moved.excessMicros > 0 && ', 'overdrawn: false && '],
    [
      '4 a cost above maxCostPerCall is marked',
      'overCostPerCall: (request.actualMicros ?? 0) > (lease.settling.markMicros ?? Number.MAX_SAFE_INTEGER),',
      'overCostPerCall: false,',
    ],
    ['4 late outcomes are marked', 'nowMs >= lease.expiresAtMs', 'nowMs > lease.expiresAtMs'],
  ]),
  ...inFile(`${MEMORY}/apply-outcome.ts`, [
    ['4 an outcome ends an open call', 'if (lease.settling.open) {', 'if (false) {'],
    [
      "4 an excess is charged to the agent's own budgets only",
      'isOwn(charge, agent.id) ? moved.excessMicros : 0',
      'moved.excessMicros',
    ],
  ]),
  ...inFile(`${POLICY}/checks/open-calls.ts`, [
    [
      '4 a call without a price counts as open',
      'statesEstimate(subject.action) ? stated : unpriced',
      'stated',
    ],
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
      'Math.max(leastMicros, Math.min(factor * reserveMicros, Number.MAX_SAFE_INTEGER))',
      'Number.MAX_SAFE_INTEGER',
    ],
  ]),
  ...inFile(`${MEMORY}/reserve.ts`, [
    [
      '4 sums stay exact',
      'const reservedMicros = fitting(charges, nowMs, plan.reserveMicros, nowMs);',
      'const reservedMicros = plan.reserveMicros;',
    ],
    ['4 the total is always counted', '[...budgets, { ...totalOf(agent.id), maxMicros: null }]', 'budgets'],
  ]),
  ...inFile(`${POLICY}/price.ts`, [
    [
      '4 the stated input is the least of an own report of a model call',
      'most = Math.max(most, llmPrice(',
      'Math.max(most, llmPrice(',
    ],
    [
      '4 a default estimate is the least that a call without a price reserves',
      'least >= estimate)',
      'estimate === 0)',
    ],
    ['4 an estimate never lowers a price', 'Math.max(costMicros, estimate)', 'estimate || costMicros'],
    ['4 an estimate raises a price', 'Math.max(costMicros, estimate)', 'costMicros'],
    [
      "4 an estimate never lowers a model's price",
      'Math.max(price.micros, estimate)',
      'estimate || price.micros',
    ],
    ["4 an estimate raises a model's price", 'Math.max(price.micros, estimate)', 'price.micros'],
    [
      '4 an estimate is no price of a model',
      'if (prices === null) return',
      "if (prices === null && estimate > 0) return flat(type, estimate, 'estimate');\n  if (prices === null) return",
    ],
    [
      '4 who leaves out tokens does not reserve nothing',
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
  ...inFile(`${MEMORY}/limits.ts`, [
    [
      '2 as much as the budget is allowed',
      'spentMicros <= maxMicros - reserveMicros',
      'spentMicros < maxMicros - reserveMicros',
    ],
    ['5 at most maxCalls', 'calls < limit.maxCalls', 'calls <= limit.maxCalls'],
    ['2 a rate of zero never frees', '!ok && limit.maxCalls > 0 && ', '!ok && '],
  ]),
  ...inFile(`${MEMORY}/sliding-rate.ts`, [
    ['5 a slot is free after windowMs exactly', 'oldest <= leftAtMs', 'oldest < leftAtMs'],
    [
      '5 retryAfterMs is exact',
      'lastToLeave + rate.windowMs - nowMs',
      'lastToLeave + rate.windowMs - nowMs + 1',
    ],
  ]),
  ...inFile(`${MEMORY}/sliding-sum.ts`, [
    [
      '4 a windowed budget never frees early',
      '(bucket + 1) * widthMs(windowMs) - 1 + windowMs',
      'bucket * widthMs(windowMs) - 1 + windowMs',
    ],
    [
      '4 a credit gives back only what was spent before it',
      'Math.max(0, runningMicros + (amounts[place] ?? 0))',
      'runningMicros + (amounts[place] ?? 0)',
    ],
  ]),
  ...inFile(`${MEMORY}/memory-ledger.ts`, [
    ['5 the clock never runs backwards', '      return state.clockMs;\n', '      return readMs;\n'],
    [
      '3 an agent keeps its order when plans are made again',
      "if (result.kind === 'replan') waiting.add(key);",
      '',
    ],
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
  ...inFile(OTHERS, [['7 who else stands in the way', "other.said === 'block'", 'true']]),
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
  ...inFile(`${POLICY}/rules/families-in-force.ts`, [
    ['6 a plan says whose family its agent is in', '        above: ids,\n        steps', '        steps'],
    [
      '6 also where it took too much to know',
      'if (own.tooCostly !== undefined) return { ...own, above: ids };',
      'if (own.tooCostly !== undefined) return own;',
    ],
    ['7 a family shares one budget of steps', 'agentId: id }, atMs, efforts)', 'agentId: id }, atMs)'],
    ['7 an agent above is asked as if it did the same', '{ ...action, agentId: id }', 'action'],
    ['7 what is remembered of a family is of these mandates', 'numberOf(mandateOf(held))', '0'],
    ['7 what bounds those above bounds how long a plan holds', '...together(all),', '...together([own]),'],
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
    ['7 findings say whose bound it was', 'return { ...found, policy: name }', 'return found'],
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
  ...inFile(`${POLICY}/control/control-state.ts`, [
    [
      '7 who expected another revision loses',
      'expects !== undefined && expects !== current',
      'expects !== undefined && false',
    ],
    ['7 a change that comes twice happens once', 'if (known?.digest === digest) return known.changed;\n', ''],
    [
      '7 a key that ended keeps nobody’s key of its id from opening',
      '!opens(key(record.key.id))',
      'key(record.key.id) === undefined',
    ],
    [
      '7 what became of a change that is written again names nobody’s key',
      'opens(keyIn(known.control, record.key.id)) && ',
      'changed.ok && ',
    ],
    ['7 of ids that nobody has any more nothing is kept', ') tenantOfKey.delete(id);', ') continue;'],
    ['7 an id in use is kept', ' && keyIn(known.control, id) === undefined', ''],
    ['7 it is known whose a key was', ' ?? endedKeys.get(id)', ''],
    [
      '7 an id stands for one change',
      "  if (known !== undefined) return { ok: false, refusal: 'ID_REUSED', revision: revisionOf(control, record) };\n",
      '',
    ],
  ]),
  ...inFile(`${POLICY}/control/snapshot/read-control.ts`, [
    [
      'a snapshot that was changed is not read',
      "line.lines === count && line.sha256 === seal.digest('hex')",
      'line.lines === count',
    ],
    ['a snapshot of other records is not read', ' && line.shape === shape', ''],
    ['whoever goes on from a snapshot forgets as others do', 'control.issued.forgetAt = line.forgetAt;', ''],
    ['a key that is another’s lets nobody in behind a snapshot', ' && !elsewhere.has(line.id)', ''],
    ['whose a key was is known behind a snapshot', "'roleKeys', 'endedKeys'", "'roleKeys'"],
    ['what mandates are made of is there once', 'stands?.revision === revision ? stands : ', ''],
  ]),
  ...inFile(`${POLICY}/control/snapshot/write-control.ts`, [
    ['what ended elsewhere is not taken for here', ', ...control.endedKeys.keys()', ''],
    ['what became of changes is in a snapshot', '    yield* becameLines(became);\n', ''],
  ]),
  {
    promise: '7 nothing is changed in a closed tenant',
    file: `${POLICY}/control/control-state.ts`,
    find: 'isClosed && !WHILE_CLOSED.has(record.event)',
    replace: 'false',
  },
  {
    promise: '7 a tenant holds as much as its limits let it',
    file: `${POLICY}/control/most-of.ts`,
    find: 'opened?.document.limits?.[what] ?? CAPS[what]',
    replace: 'CAPS[what]',
  },
  {
    promise: '7 a mandate is within the bounds of its tenant',
    file: `${POLICY}/rules/rules-in-force.ts`,
    find: 'unbounded && withBounds(unbounded, bounds)',
    replace: 'unbounded',
  },
  ...inFile(`${POLICY}/control/refuse-change.ts`, [
    ['7 nobody stands above themselves', "if (above === id) return 'PARENT_IS_BELOW';", ''],
    ['7 no chain of agents is too long, on either end', 'height + depthBelow(control, id)', 'height'],
    [
      '7 a policy that rules name is archived by force alone',
      '!record.forced && isUsed(control, record.policyId)',
      'false',
    ],
    ['7 an order holds each rule once', 'const areAll = ', 'const areAll = true || '],
    [
      '7 a key is of one agent alone',
      'isFit && key.agents.length === 1 && key.agents[0] === agentId',
      'isFit',
    ],
    [
      '7 a key of an agent publishes and reports, and no more',
      'return isOfAgent(key.scopes) && isFit',
      'return isFit',
    ],
    ['7 a key of a role does what that role may', '&& isOfRole && isOfTenant', '&& isOfTenant'],
    ['7 a role reaches no further than its tenant', '&& isOfRole && isOfTenant', '&& isOfRole'],
    [
      '7 nobody revokes the key that they ask with',
      "if (record.byKey === record.keyId) return 'OWN_KEY';",
      '',
    ],
  ]),
  ...inFile(`${POLICY}/control/take-effect.ts`, [
    ['7 keys end with the registration of their agent', '        control.keys.delete(id);\n', ''],
  ]),
  ...inFile(`${POLICY}/control/mandates-under-control.ts`, [
    [
      '7 to who was retired a file allows nothing',
      '!agents.has(agentId) && !retired.has(agentId)',
      '!agents.has(agentId)',
    ],
    [
      '7 rules hold those who are registered',
      'askedLast = isOfFile ? ofFile : controlled;',
      'askedLast = ofFile;',
    ],
    [
      '7 the file holds those who are not',
      'askedLast = isOfFile ? ofFile : controlled;',
      'askedLast = controlled;',
    ],
    [
      '7 a decision tells the revision that it was made under',
      'return askedLast.revision;',
      'return ofFile.revision;',
    ],
    ['7 a closed tenant allows nothing', 'if (closedAt !== null) ', 'if (false && closedAt !== null) '],
    [
      '7 the bounds of a tenant hold under the file',
      'controlled.within(tenant, held.mandate)',
      'held.mandate',
    ],
  ]),
  ...inFile(`${POLICY}/control/take-effect.ts`, [
    ['7 mandates end where those above change', 'for (const one of below) endWith(issued, one);', ''],
  ]),
  ...inFile(`${POLICY}/control/issued-mandates.ts`, [
    [
      '7 a mandate is of what stands at its place',
      "if (changedAt > mandate.foundAt) return 'REVISION_CONFLICT';",
      '',
    ],
    ['7 a mandate lasts as long as was asked', ' && lastsMs <= mandate.ttlMs', ''],
    ['7 a mandate has an end', ' && mandate.ttlMs <= CAPS.mandateTtlMs', ''],
    ['7 a mandate is of policies that are there', 'lasts && areThere && ', 'lasts && '],
    ['7 nobody foresees changes', ' && mandate.foundAt < revision', ''],
    ['7 a tenant has so many mandates', 'if (alive >= most) return true;', ''],
    ['7 what mandates are made of is bounded', '!isTooMuch(issued, one)', 'true'],
    ['7 what is over is forgotten', 'if (!isOver(one, atMs)) continue;', 'continue;'],
    [
      '7 the same request is one, whichever id is drawn',
      "{ event: 'mandate.issued', agentId, context, ttlMs }",
      "{ event: 'mandate.issued', agentId, context }",
    ],
    [
      '7 mandates end with the registration of their agent',
      'for (const id of [...(issued.ofAgent.get(agentId) ?? [])]) forget(issued, id);',
      '',
    ],
  ]),
  {
    promise: "4 a budget of all holders is its policy's",
    file: 'schemas/src/decision.ts',
    find: 'policy === undefined ? mandateId : policyNamed(policy).id',
    replace: 'policy === undefined ? mandateId : mandateId',
  },
  ...inFile(`${POLICY}/control/issued-in-force.ts`, [
    ['7 a mandate is of one agent', ' || issued.document.agentId !== action.agentId', ''],
    ['7 a mandate is revoked', 'if (revokedAt !== null) ', 'if (false && revokedAt !== null) '],
    ['7 a mandate ends', 'if (atMs >= endsAtMs) ', 'if (false) '],
    ['7 a mandate begins where its rules do', 'if (atMs < startsAtMs) ', 'if (false) '],
    [
      '7 a plan holds until its mandate ends',
      'lasts = { holdsFromMs: startsAtMs, holdsUntilMs: endsAtMs',
      'lasts = { holdsFromMs: startsAtMs, holdsUntilMs: null',
    ],
    [
      '7 a mandate keeps its versions',
      'id: compiled.policy.id, version }',
      'id: compiled.policy.id, version: null }',
    ],
    ['7 a mandate is of one context', 'if (other !== undefined) ', 'if (false && other !== undefined) '],
    [
      '7 what an action leaves out of the context holds',
      '{ ...action.context, ...issuedFor }',
      '{ ...action.context }',
    ],
  ]),
  ...inFile(`${POLICY}/control/mandates-under-control.ts`, [
    [
      '7 those above an agent are asked in the context of its mandate',
      'above, rules, asked, atMs',
      'above, rules, action, atMs',
    ],
    ['7 rules in shadow are asked under a mandate', 'shadow, matches: []', 'shadow: null, matches: []'],
  ]),
  ...inFile(`${POLICY}/control/rules-for.ts`, [
    ['7 a mandate is made of rules as they stand', 'if (before?.of === of)', 'if (before !== undefined)'],
  ]),
  ...inFile(`${POLICY}/control/take-effect.ts`, [
    ['7 who is registered again is retired no more', 'control.retired.delete(document.id);', ''],
    ['7 of so many it is known that they were retired', 'all.size <= most || ', 'true || '],
    [
      '7 of a key that ends it is known whose it was',
      'putLast(endedKeys, key.id, ended, CAPS.endedKeys);',
      '',
    ],
    ['7 the key that ended last is forgotten last', '  all.delete(id);\n', ''],
  ]),
  ...inFile(`${POLICY}/control/near-rules.ts`, [
    ['7 what is said of a rule that is thought of is of that', 'thoughtOf.get(rule.id) ?? ', ''],
    ['7 who is named by no rule is near none', 'if (!isNamed(rule, attributes)) continue;', ''],
    [
      '7 what no action tells yet keeps no rule from an issued mandate',
      'if (!isTold(compiled)) continue;',
      '',
    ],
  ]),
  ...inFile(`${POLICY}/control/preview-issue.ts`, [
    ['7 what is thought of is issued as if it stood', 'withCandidates(control, thought)', 'control'],
  ]),
  ...inFile('schemas/src/shape-fault.ts', [
    ['8 of two forms the one in which least is amiss was meant', ' || a.length - b.length', ''],
  ]),
  ...inFile(`${POLICY}/control/compose-issued.ts`, [
    ['7 in a closed tenant none is issued', 'if (control.opened?.closedAt)', 'if (false)'],
    ['7 rules that look at the action are asked of it', 'else openRules.push(matched);', ''],
    ['7 a shadow rule is in no mandate', "rule.mode !== 'shadow' && ", ''],
    [
      '7 a mandate ends where its rules do',
      'endsAtMs = Math.min(edgeMs, endsAtMs ?? edgeMs)',
      'endsAtMs = null',
    ],
    ['7 a context says what it names', 'return Object.hasOwn(context, step);', 'return true;'],
  ]),
  ...inFile(`${POLICY}/control/compile-control.ts`, [
    ['7 what is archived is not there', 'kept === undefined || isArchived', 'kept === undefined'],
    ['7 a rule that names a version keeps it', 'version ?? versions.length', 'versions.length'],
  ]),
  ...inFile(`${POLICY}/rules/condition.ts`, [
    [
      '7 of a value of another type nothing is known',
      'return (value) => (types.has(typeOf(value)) ? compare(value) : null);',
      "return (value) => (types.size > 0 && typeof value !== 'object' ? compare(value) : null);",
    ],
    [
      '7 a missing field never matches',
      'value === undefined ? null : holds(value, effort)',
      'holds(value ?? null, effort)',
    ],
    ['7 nor its opposite', 'truth === null ? null : !truth', '!truth'],
    ['7 what is inherited is missing', 'Object.hasOwn(value, step) ? value[step] : undefined', 'value[step]'],
    ['7 all', 'if (truth === false) return false;', ''],
    ['7 all, and one is unknown', 'if (truth === null) all = null;', ''],
    ['7 any', 'if (truth === true) return true;', ''],
  ]),
  ...inFile(`${POLICY}/rules/rules-in-force.ts`, [
    [
      '7 what is remembered ends with its time',
      'known !== undefined && isWithin(known.spell, atMs)',
      'known !== undefined',
    ],
    ['7 what is remembered is of one agent as it is', '{candidates.number}', '{agent.id}'],
    [
      '7 what is remembered took as much',
      'isWithin(known.spell, atMs) && fits(efforts, known)',
      'isWithin(known.spell, atMs)',
    ],
    ['7 who is asked takes it from who is asked next', '      spend(efforts, given);\n', ''],
  ]),
  ...inFile(`${POLICY}/rules/rules-of-agents.ts`, [
    ['7 a shadow rule is never enforced', "return mode !== 'shadow';", 'return true;'],
    ['7 an agent that was changed is looked at anew', 'before?.agent === agent', 'before !== undefined'],
    [
      '7 a rule that is changed is changed for all',
      'if (behind === 0) return one;',
      'if (behind >= 0) return one;',
    ],
    ['7 what is forgotten is looked at anew', 'if (behind > changes.length) return null;', ''],
    ['7 what a rule took, it takes no more', '-asked.steps : asked.steps', 'asked.steps : asked.steps'],
    [
      '7 a rule that is gone holds nobody',
      'if (rule === before) remove(side.holding, rule.id);',
      'if (rule === before) side.steps += 0;',
    ],
    [
      '7 a preview changes nothing',
      'ofCandidates([...kept], [...watching], 1)',
      'ofCandidates(kept, watching, 1)',
    ],
    ['7 a preview thinks of the rules it is given', 'others.change(more);', ''],
  ]),
  ...inFile(`${POLICY}/control/standing-rules.ts`, [
    ['7 a rule that was removed is followed', 'if (!rules.has(id)) changes.push', 'if (false) changes.push'],
    ['7 a rule in shadow is followed', 'watching.change(ofShadow);', ''],
  ]),
  ...inFile(`${POLICY}/rules/ask-rules.ts`, [
    [
      '7 a missing field is no null',
      "if (value === undefined) key += ' -';",
      "if (value === undefined) key += ' null';",
    ],
    ['7 rules for groups', 'if (groups !== null && ', 'if (false && groups !== null && '],
    ['7 rules for agents', 'agents(agent.id) !== null)', 'true)'],
    ['7 rules start', '(startsAtMs ?? Number.NEGATIVE_INFINITY) <= atMs && ', ''],
    ['7 rules end', 'atMs < (endsAtMs ?? Number.POSITIVE_INFINITY)', 'true'],
    ['7 unknown is no match', 'holds(subject, left) === true),', 'holds(subject, left) !== false),'],
    [
      '7 rules that take too much block',
      'if (left.left < 0) return { ok: false',
      'if (false) return { ok: false',
    ],
    ['7 rules in shadow have steps of their own', 'shadow: effortOfAction() };', 'shadow: { left: 0 } };'],
  ]),
  ...inFile(`${POLICY}/arguments/linear-pattern.ts`, [
    [
      '7 a pattern takes its size times the text',
      'size * (text.length + COMPILING)',
      'text.length + COMPILING',
    ],
  ]),
  ...inFile(`${POLICY}/arguments/schema/run.ts`, [
    ['7 schemas take what they look at', 'if (this.effort.left < 0) throw new StepsExhausted();', ''],
    [
      '7 unevaluatedProperties leaves out what a branch judged',
      'for (const name of other.#names) this.#names.add(name);',
      '',
    ],
  ]),
  ...inFile(`${POLICY}/arguments/schema/combining-keywords.ts`, [
    ['7 a branch that fails has judged nothing', 'if (!check(value, run, own)) return false;\n', ''],
    ['7 every branch of anyOf is asked what it judges', 'if (seen === null) break;', 'break;'],
  ]),
  ...inFile(`${POLICY}/arguments/schema/multiple-of.ts`, [
    [
      '7 multiples of a decimal go by its digits',
      'if (shift < 0) return false;',
      'if (shift < 0) return true;',
    ],
  ]),
  ...inFile(`${POLICY}/arguments/schema/check-schema.ts`, [
    ['7 a limit without its type is refused', 'if (types === null) {', 'if (types === null && false) {'],
    [
      '7 an unknown keyword of a schema is refused',
      'const refused = refusedKeyword(name, this.#dialect);',
      'const refused = null;',
    ],
  ]),
  ...inFile(`${POLICY}/arguments/schema/same-value.ts`, [
    [
      '7 a schema that refers to itself without end is refused',
      'if (known === null) return this.#refuse(path, ENDLESS);',
      'if (known === null) return extent;',
    ],
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
  ...inFile(`${POLICY}/rules/rules-in-force.ts`, [
    ['7 shadow: nobody plans again for it', '        ...ofEnforced,\n', '        ...ofAll,\n'],
  ]),
  ...inFile(`${MEMORY}/flags.ts`, [
    ['6 kill one agent', "    { scope: 'agent', tenant, agentId },\n", ''],
    [
      '6 kill a family',
      "    ...above.toReversed().map((id): KillTarget => ({ scope: 'family', tenant, agentId: id })),\n",
      '',
    ],
    ['6 kill who heads a family', "    { scope: 'family', tenant, agentId },\n", ''],
    ['6 kill a tenant', "    { scope: 'tenant', tenant },\n", ''],
    ['6 kill everything', "    { scope: 'all' },\n", ''],
    ['6 a killed family keeps who leaves it', 'leftAt > flag.heldSince', 'leftAt < flag.heldSince'],
  ]),
  ...inFile(`${DECIDER}/read-incoming.ts`, [
    [
      '8 on a topic of a tenant everything is a claim',
      'owner === null ? (pinned ?? null) : null',
      'pinned ?? null',
    ],
  ]),
  ...inFile('services/gateway/src/publish/pin-claims.ts', [
    [
      '8 an action says what its key pins, or nothing',
      '  if (isDeepStrictEqual(said, fixed)) return;\n',
      '  return;\n',
    ],
  ]),
  ...inFile('packages/runtime/src/api-keys/api-key-record.ts', [
    ['8 a key lets in until it expires', 'Date.parse(expiresAt) <= nowMs', 'Date.parse(expiresAt) < nowMs'],
  ]),
  ...inFile(`${POLICY}/lint/given-by-claim.ts`, [
    [
      '8 lint: beside a rule that always holds another only takes away',
      '    if (always.some((rule) => mayMatch(rule, agent, effort))) continue;\n',
      '',
    ],
    ['8 lint: what every key pins is no claim', 'pins.length > 0 && pins.every(', 'pins.some('],
  ]),
  ...inFile(`${POLICY}/control/grant-required.ts`, [
    ['1 an agent that requires a grant names one', 'if (agent.requiresGrant) return agent.id;', ''],
    ['1 nobody below it acts without a grant', 'if (requiresGrant) return id;', ''],
    ['1 what rules compose to is no grant', ' && mandateId !== COMPOSED', ''],
  ]),
  ...inFile(`${POLICY}/control/former-ancestors.ts`, [
    ['6 who leaves a killed family is remembered', '    left.set(ancestor, revision);\n', ''],
    [
      '6 who was below an agent that left a family is remembered',
      '    putLatest(left, register.departures.get(ancestor));\n',
      '',
    ],
    [
      '6 a retired agent keeps its place',
      '(agents.get(agentId) ?? retired.get(agentId))',
      'agents.get(agentId)',
    ],
  ]),
  ...inFile(`${MEMORY}/look.ts`, [
    ['6 a kill of a family lists what is open below', 'counter === total', 'counter !== counter'],
  ]),
  ...inFile(`${MEMORY}/operate.ts`, [
    [
      '6 a kill lists what is open',
      'const open = openOf(tenants, target, nowMs)',
      'const open: ReturnType<typeof openOf> = []',
    ],
    [
      '6 a second kill of a family lets nobody go',
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
  ...inFile('packages/bus/src/kafka/leader.ts', [
    [
      '9 what any member of a group reads is handed out',
      'known.flatMap((each) => each.topics)',
      'known.slice(0, 1).flatMap((each) => each.topics)',
    ],
  ]),
  ...inFile(`${DECIDER}/followed-topics.ts`, [
    ['9 a topic is read for ever', 'consumer.follow([...read, ...topics])', 'consumer.follow(topics)'],
  ]),
  ...inFile(`${POLICY}/control/take-effect.ts`, [
    ['9 a tenant that had a topic is known', ' || control.opened?.hadTopic === true', ''],
  ]),
  ...inFile('packages/bus/src/record-reads.ts', [
    ['8 those turned away keep out nobody', 'if (refusals >= MOST_REFUSALS_UNDER_WAY)', 'if (false)'],
    ['8 each of those turned away is counted', 'known.times += 1;', 'known.times += 0;'],
  ]),
  ...inFile('packages/bus/src/count-refusals.ts', [
    ['8 refusals are counted while the log is away', 'for (const one of noted) add(lane, one);', ''],
    ['8 refusals are counted', 'known.times += noted.times;', ''],
    ['8 so many refusals are noted', 'else if (lane.waiting.size < mostOf(noted))', 'else'],
    ['8 a flood of refusals is few records', '      await firstOf(closed.promise, pauseMs);\n', ''],
    ['8 a long one is fewer', 'pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);', ''],
    ['8 one tenant’s flood hides no other’s', 'lanes.get(read.tenant)', '[...lanes.values()][0]'],
    ['8 stopping waits for no log that is away', 'closing ??= ', 'closing = '],
  ]),
  ...inFile('packages/bus/src/kafka/to-records.ts', [
    ['8 what the broker spoilt is nobody’s dead letter', '    mustBeAsSent(batch);\n', ''],
    ['8 one bad batch a fetch', 'if (bytes >= MOST_BYTES || ', 'if ('],
    [
      '8 reading goes on behind a bad batch',
      'arrived.nextOffset = batch.lastOffset + 1;',
      'arrived.nextOffset += 1;',
    ],
  ]),
  ...inFile('packages/bus/src/kafka/batches/read-records.ts', [
    ['8 never more records than the limit', 'if (recordCount > MOST_RECORDS)', 'if (recordCount < 0)'],
    ['8 never more headers than the limit', 'if (headers > MOST_HEADERS)', 'if (headers < 0)'],
  ]),
  ...inFile(`${POLICY}/mandate/yaml-bounds.ts`, [
    ['8 endless documents are not parsed', 'count === MOST_MARKS', 'count === -1'],
    ['8 endless nesting is not parsed', 'brackets > MAX_DEPTH', 'brackets > 1e9'],
  ]),
  ...inFile('packages/bus/src/kafka/cursor.ts', [
    ['8 a batch weighs so much at most', 'bytes >= BATCH_BYTES', 'bytes < 0'],
    [
      '8 nobody passes over what he did not ask for',
      'record.unreadable !== undefined && !takesUnreadable',
      'false',
    ],
  ]),
  ...inFile(`${DECIDER}/read-incoming.ts`, [
    [
      '8 a bad batch is a dead letter',
      'if (incoming.unreadable !== undefined) return',
      'if (incoming.key === "?" && incoming.unreadable) return',
    ],
  ]),
  ...inFile(`${DECIDER}/app.ts`, [
    ['9 a partition that halts is counted', 'measure.halts.inc({ code: err.code });', ''],
  ]),
  ...inFile(`${ALERTER}/rules/alarms.ts`, [
    ['alerts: an older record changes nothing', 'holds ? order <= newest : order < newest', 'order < 0'],
    ['alerts: the next time has another id', '(known?.episode ?? 0) + 1', '1'],
    ['alerts: what is cleared is known', 'episode === known.episode && known.stands && !stands', 'false'],
  ]),
  ...inFile(`${ALERTER}/rules/approval-rule.ts`, [
    ['alerts: what nobody answers is no alarm for ever', '!stands || nowMs < endMs', 'true'],
  ]),
  ...inFile(`${ALERTER}/groups-behind.ts`, [
    ['alerts: tables that were given up are no lag', 'Math.max(nextOffset', 'Math.min(nextOffset'],
    ['alerts: what is done is no lag', 'endOffset - done', 'endOffset'],
    ['alerts: what nobody was ever there for is late', 'topics: [TOPICS.actions]', 'topics: []'],
  ]),
  ...inFile(`${ALERTER}/rules/windowed-shares.ts`, [
    ['alerts: a threshold is reached exactly', '* 100n >= BigInt', '* 100n > BigInt'],
  ]),
  ...inFile(`${ALERTER}/rules/release-rate-rule.ts`, [
    [
      'alerts: a give-back that was refused counts',
      "if (marks.includes('RELEASE_REFUSED')) return { whole, part: whole };",
      '',
    ],
    [
      'alerts: what a success costs less is not given back',
      'succeeded ? 0 : Math.max(0, -deltaMicros)',
      'Math.max(0, -deltaMicros)',
    ],
  ]),
  ...inFile(`${ALERTER}/rules/budget-rule.ts`, [
    [
      'alerts: what a decision charges counts',
      'sumMicros(spentMicros, decision.chargedMicros)',
      'spentMicros',
    ],
    ['alerts: a budget that hovers is told of once', 'percent - rearmPoints', 'percent'],
  ]),
  ...inFile(`${ALERTER}/rules/addressees.ts`, [
    ['alerts: a tenant is told of its own', "tenant === '*' || concerns(alert, tenant)", 'true'],
  ]),
  ...inFile(`${ALERTER}/evaluator.ts`, [
    ['alerts: history raises nothing', 'seen.offset < (begun.get(seen.partition) ?? 0)', 'false'],
    [
      'alerts: what an overtaken ledger decided raises nothing',
      '!holdsIn(inForce, record.decision.ledgerEpoch)',
      'false',
    ],
    ['alerts: a repeat in hand is not counted twice', 'nextOffsets.set(partition, offset + 1);', ''],
  ]),
  ...inFile(`${ALERTER}/deliver/line.ts`, [
    ['alerts: a flood of one tenant takes no place of another', 'other.size > most.size', 'false'],
    [
      'alerts: tenants take turns',
      '      this.#tenants.delete(tenant);\n      this.#tenants.set(tenant, own);\n',
      '',
    ],
  ]),
  ...inFile(`${ALERTER}/deliver/signature.ts`, [
    [
      'alerts: they are signed as the standard says',
      "createHmac('sha256', key)",
      "createHmac('sha512', key)",
    ],
  ]),
  ...inFile(CHANGE, [
    [
      'explain: the budget that is named suffices',
      'spentMicros + costMicros;',
      'spentMicros + costMicros - 1;',
    ],
    ['explain: a smaller one does not', 'spentMicros + costMicros;', 'spentMicros + costMicros + 1;'],
    [
      '7 a window gives back no more than it holds',
      'windowMs === null || missingMicros <= spentMicros',
      'true',
    ],
    [
      '7 what counts for ever may be lent to',
      'windowMs === null || missingMicros <= spentMicros',
      'missingMicros <= spentMicros',
    ],
    [
      'explain: what is left is what a call may cost',
      'cheaper(maxMicros - spentMicros)',
      'cheaper(maxMicros)',
    ],
    ['explain: waiting so long suffices', 'decidedAt) + retryAfterMs)', 'decidedAt) + retryAfterMs - 1)'],
    ['explain: waiting less does not', 'decidedAt) + retryAfterMs)', 'decidedAt) + retryAfterMs + 1)'],
    ['explain: so many calls suffice', 'atLeastCalls: calls + 1', 'atLeastCalls: calls'],
    [
      'explain: such a deadline suffices',
      "way: 'longer-deadline', words, atLeastMs",
      "way: 'longer-deadline', words, atLeastMs: atLeastMs - 1",
    ],
    [
      'explain: how it can be asked again',
      "hard ? 'new-id' : 'next-attempt'",
      "hard ? 'next-attempt' : 'new-id'",
    ],
    ['explain: what was not asked is told', "said === 'skip'", 'said === undefined'],
    ['explain: what is near is told', 'used * 100 >= most * NEAR_MISS_AT', 'used > most'],
  ]),
  ...inFile(`${POLICY}/arguments/email-domains.ts`, [
    [
      'emailDomains: a message in running text has recipients',
      'if (message.length > 0) return',
      "if (message.length > 0 && field !== 'text') return",
    ],
    [
      'emailDomains: base64 is decoded',
      "[text, decoded ?? ''].flatMap(recipientsOfMessage)",
      '[text].flatMap(recipientsOfMessage)',
    ],
  ]),
  ...inFile(`${POLICY}/arguments/mail/addresses-in-text.ts`, [
    [
      'emailDomains: comments are no part of an address',
      '[text, plain, withoutComments(plain)]',
      '[text, plain]',
    ],
    [
      'emailDomains: encodings are undone',
      '[text, plain, withoutComments(plain)]',
      '[text, withoutComments(text)]',
    ],
  ]),
  ...inFile(`${PRIVACY}/patterns/secrets/known-tokens.ts`, [
    [
      'privacy: a marked token is cut to its end',
      'end: endOfToken(text, form.lastIndex)',
      'end: form.lastIndex',
    ],
  ]),
  ...inFile(`${PRIVACY}/patterns/secrets/assigned-value.ts`, [
    [
      'privacy: joined texts are one value',
      'return next === null ? end : endOfJoined(text, next, opening);',
      'return end;',
    ],
  ]),
  ...inFile(`${PRIVACY}/person-keys/key-tree.ts`, [
    [
      'privacy: a destroyed key cannot be computed again',
      'gone.length === 0 || node.depth === LEAF_DEPTH',
      'gone.length === 0',
    ],
    ['privacy: every other key can', 'start, key: childKey(key, 0) }', 'start, key }'],
  ]),
  ...inFile(`${PRIVACY}/person-keys/sealed-text.ts`, [
    [
      'privacy: what is sealed is of its tenant',
      'tenant: string }): Buffer {',
      "tenant: string }): Buffer { tenant = '';",
    ],
    ['privacy: no IV stands for two texts', 'Buffer.concat([bound, Buffer.from(plain)])', 'bound'],
  ]),
  ...inFile(`${PRIVACY}/hiding/trial-hiding.ts`, [
    [
      'privacy: offline too, names of secrets go first',
      'hide(redactNames(action), tenant)',
      'hide(action, tenant)',
    ],
    ['privacy: offline too, the document hides', 'hide(redactNames(action), tenant)', 'redactNames(action)'],
  ]),
  ...inFile(`${MEMORY}/step.ts`, [
    [
      '3 a question lives as long as its policy says',
      'lease?.expiresAtMs ?? 0, asksUntilMs)',
      'lease?.expiresAtMs ?? 0)',
    ],
  ]),
  ...inFile('packages/ledger/src/fold/fold-decision.ts', [
    [
      '3 after a rebuild too, a question lives as long',
      'lease?.expiresAtMs ?? 0, asksUntilMs)',
      'lease?.expiresAtMs ?? 0)',
    ],
  ]),
  ...inFile(`${MEMORY}/question.ts`, [
    [
      '3 a question that was decided is none',
      "if (asked.verdict === 'ALLOW' || asked.hard) return NONE;",
      '',
    ],
    ['3 of other arguments, no question is told', ' || asked.digest !== question.digest', ''],
  ]),
  ...inFile(`${POLICY}/checks/confirmation.ts`, [
    [
      '7 of several times, the least holds',
      '{ [field]: Math.min(...said) }',
      '{ [field]: Math.max(...said) }',
    ],
  ]),
  ...inFile('packages/cli/src/offline-decider.ts', [
    [
      'privacy: offline, decisions are about what a gateway publishes',
      '...appended(record)',
      'value: record',
    ],
    [
      'privacy: offline, an approval holds for what was sent',
      'actionDigest(action, fingerprint)',
      'actionDigest(action)',
    ],
  ]),
  ...inFile('services/control/src/routes/answer-preview.ts', [
    [
      'privacy: a preview is about what a gateway publishes',
      'trialHiding(hiding)({ ...asked.action, tenant }, tenant)',
      '{ ...asked.action, tenant }',
    ],
  ]),
  ...inFile(`${PRIVACY}/hiding/compile-hiding.ts`, [
    ['privacy: redact goes before hash', 'redact: 0, hash: 1, seal: 2', 'redact: 2, hash: 1, seal: 0'],
    [
      'privacy: what cannot be sealed is redacted',
      'within) ?? (leavesUnowned ? value : REDACTED)',
      'within) ?? value',
    ],
    [
      'privacy: names are looked through',
      'const shownName = hidePieces(name, within);',
      'const shownName = name;',
    ],
    ['privacy: the principal is hidden', 'hidden.principal = { ...action.principal, id };', ''],
    [
      'privacy: nobody acts in the name of who is forgotten',
      'if (pseudonym !== null) return pseudonym;',
      'return pseudonym ?? id;',
    ],
  ]),
  ...inFile('packages/bus/src/record-http-reads.ts', [
    [
      'privacy: nothing is read before it is on record who asks',
      "'onRequest', (request) => recordRead(request)",
      "'onRequest', async (request) => void recordRead(request)",
    ],
    [
      'privacy: who is turned away is on record',
      'await recordTurnedAway(request, error.code, asked)',
      'null',
    ],
    ['limits: reads count', "    request.spend('reads', { records: readsIn(asked) });\n", ''],
    [
      'limits: a flood of the turned away is few records',
      "!request.trySpend('reads', { records: 1 })",
      'false',
    ],
    ['limits: refusals beyond a limit are counted', 'error.status === 429', 'false'],
    ['8 what is asked in a closed tenant is on record', " || error.code === 'TENANT_CLOSED'", ''],
    ['8 who shows no key that opens anything is on record', 'error.status === 401 || ', ''],
    ['8 and under the tenant whose key it was', 'readOf(request, request.namedKey,', 'readOf(request, null,'],
    ['8 and before the server ends', "    server.addHook('onClose', counted.close);\n", ''],
    ['privacy: what is personal in a question is not', 'cut(redactText(String(text)))', 'cut(String(text))'],
  ]),
  ...inFile('packages/privacy/src/hiding/compile-text-redaction.ts', [
    [
      'privacy: phones of countries are found in reasons too',
      'findPieces(text, patterns, findNational)',
      'findPieces(text, patterns)',
    ],
  ]),
  ...inFile('services/gateway/src/persons/list-erasures.ts', [
    ['privacy: erasures are shown to their tenant alone', 'if (erasure?.tenant === tenant)', 'if (erasure)'],
  ]),
  ...inFile('services/gateway/src/persons/follow-erasures.ts', [
    ['privacy: who was forgotten before is so from the start', 'await fold(early);', ''],
    ['privacy: keys are open before they are wanted', 'onEdit(beginLater);', ''],
    ['privacy: nobody seals with other keys', 'if (inForce !== id) throw otherKeys(id, inForce);', ''],
  ]),
  ...inFile('packages/runtime/src/end-on-uncaught.ts', [
    [
      'http: an exception of a request ends that request alone',
      'else request.fail(error)',
      'else end(error)',
    ],
  ]),
  ...inFile('packages/runtime/src/request-scope.ts', [
    [
      'http: a fault of a shared part concerns the process',
      'const answer = outsideRequests(call)',
      'const answer = call()',
    ],
    [
      'http: a listener fails its own request',
      'inRequest(request, () => listener(...args))',
      'listener(...args)',
    ],
  ]),
  ...inFile('packages/runtime/src/fair-room.ts', [
    ['http: the holder of the most gives way', 'one.amount > found.amount', 'one.amount < found.amount'],
    [
      'http: what is busy does not give way to a holder of as much',
      'most > asked + more ?',
      'most >= asked + more ?',
    ],
    ['http: what is idle gives way to a holder of as much', 'most < asked + more', 'most <= asked + more'],
    ['http: a key has its part and no more', '+ more <= ofAKey &&', '+ more <= most &&'],
  ]),
  ...inFile('packages/runtime/src/http/caller-rooms.ts', [
    [
      'http: room is kept for keys that operate',
      "operates ? 'operator' : 'other'",
      "operates ? 'other' : 'other'",
    ],
    ['http: an IPv6 network counts as one address', '.slice(0, 4)', '.slice(0, 8)'],
  ]),
  ...inFile('services/gateway/src/answers/answer-board.ts', [
    ['gateway: the holder of most waits is answered first', '      place.finish();\n', ''],
  ]),
  ...inFile('packages/runtime/src/http/header-text.ts', [
    ['http: text of callers breaks no header', 'encodeURIComponent(text.toWellFormed())', 'text'],
  ]),
  ...inFile('packages/runtime/src/http/sendable-headers.ts', [
    ['http: no header goes out that breaks the answer', 'done(error as Error);', 'done(null, payload);'],
  ]),
  ...inFile('packages/cli/src/cases/compare.ts', [
    ['cases: what differs fails', 'expected === seen) return []', 'expected !== seen) return []'],
    ['cases: whose bound it was', 'return first.policy ?? mandate', 'return mandate'],
    ['cases: what is left is told by the ledger', '?.spentMicros ?? 0', '?.spentMicros && 0'],
    ['cases: who gives a policy', 'latestOf(given) + whose === bound', 'true'],
  ]),
  ...inFile('packages/cli/src/control/document-file.ts', [
    ['pull: no file is hidden, or one of cases', "replace(/[!~*'()]|^\\.|\\.(?=test$)/g, hex)", 'toString()'],
    ['pull: a file each, also where case is not told apart', '!taken.has(one.toLowerCase())', 'true'],
  ]),
  ...inFile('packages/cli/src/control/standing-control.ts', [
    ['pull: nothing that is archived', ' && !one.isArchived', ''],
  ]),
  ...inFile('packages/cli/src/plane/apply-files.ts', [
    ['up: what another plane did meanwhile is looked at anew', 'isOvertaken = true', 'isOvertaken = false'],
    ['up: a start fails where the plane refuses', 'else throw refused(', 'else void refused('],
    ['up: what no file names stays', 'prune: false', 'prune: true'],
  ]),
  ...inFile('packages/cli/src/control/change-record.ts', [
    ['up: a change takes effect on what was seen alone', ', expects: revision', ''],
  ]),
  ...inFile('packages/cli/src/cases/play-case.ts', [
    ['cases: one of several that differs fails', 'if (told.differences.length > 0) continue;', ''],
    ['cases: what was spent before', 'deltaMicros: signedMicros(stated.amount) ?? 0', 'deltaMicros: 0'],
    ['cases: each has its time', 'clock.set(step.atMs);', ''],
  ]),
  ...inFile(`${POLICY}/arguments/sql/operand.ts`, [
    ['8 SQL: a function that is on no list is refused', '!isCallable(last.text, reader.dialect)', 'false'],
    ['8 SQL: a quoted function is refused', "last?.kind !== 'word' || ", 'last === undefined || '],
    ['8 SQL: a sequence is not counted up', 'second !== undefined && SEQUENCES', 'false && SEQUENCES'],
    [
      '8 SQL: ClickHouse reads a table that IN names',
      'if (reader.dialect.inReadsTables) checkRelation',
      'if (false) checkRelation',
    ],
    ['8 SQL: only a type begins a literal', ' || !LITERAL_TYPES.has(word.text)', ''],
  ]),
  ...inFile(`${POLICY}/arguments/sql/from-clause.ts`, [
    ['8 SQL: FROM calls only what is on the list', '!reader.dialect.tableFunctions.has(name)', 'false'],
    [
      '8 SQL: a single table in parentheses has no alias',
      'name !== null && !takeFurtherTable',
      'false && !takeFurtherTable',
    ],
    [
      '8 SQL: an alias is as plain as a table',
      "(alias?.kind === 'name' && isPlainName(alias))",
      "alias?.kind === 'name'",
    ],
  ]),
  ...inFile(`${POLICY}/arguments/sql/field-calls.ts`, [
    [
      '8 SQL: a field that PostgreSQL calls is refused',
      'reader.dialect.fieldsCall && !FIELDS',
      'false && !FIELDS',
    ],
    [
      '8 SQL: a field of the row of a function is a column',
      'every((one) => hasColumn(one, field)) === false',
      'length === 0',
    ],
    ['8 SQL: names that PostgreSQL cuts are refused', '.length >= SHORTEST_CUT_NAME_BYTES', '.length < 0'],
  ]),
  ...inFile(`${POLICY}/arguments/sql/relation.ts`, [
    ['8 SQL: a file in quotes is no table', "'name' && isPlainName(token)", "'name'"],
    ['8 SQL: a word that begins a query is no table', 'WRITING_WORDS, QUERY_WORDS]', 'WRITING_WORDS]'],
    ['8 SQL: tables of the system go by a list', '(isOfSystem && !known.has(table)) || ', ''],
  ]),
  ...inFile(`${POLICY}/arguments/sql/tokens.ts`, [
    [
      '8 SQL: a comment that MariaDB executes is refused',
      "throw new SqlRefused('a comment that some databases execute', at)",
      'return at + 2',
    ],
    ['8 SQL: `--` before U+00A0 is no comment everywhere', "dashes === 'before a blank' && ", 'false && '],
    [
      '8 SQL: a backslash before a quote is read in two ways',
      "isEscaped && backslash === 'differs'",
      'false',
    ],
  ]),
  ...inFile(`${POLICY}/arguments/sql/reading-statement.ts`, [
    [
      '8 SQL: one statement only',
      "if (peek(reader) !== undefined) refuse(reader, hasEnd ? 'a second statement' : undefined);",
      '',
    ],
  ]),
  ...inFile(`${POLICY}/arguments/judged-strings.ts`, [
    [
      '8 every string is judged unless fields are named',
      '!found.isName || fieldsAround(found).length > 1',
      'fieldsAround(found).includes("sql")',
    ],
    [
      '8 names of fields within a named field are judged',
      'found.isName ? around.slice(0, -1) : around',
      'found.isName ? [] : around',
    ],
  ]),
  ...inFile(`${POLICY}/arguments/paths/within.ts`, [
    [
      '8 paths: two slashes lead to another host',
      "isRooted && names.length > 1 && names[1] === ''",
      "isRooted && names.length > 99 && names[1] === ''",
    ],
    ['8 paths: a name that ends with a dot is refused', '/^ |[. ]$/.test(name)', '/^ | $/.test(name)'],
    [
      '8 paths: a backslash is part of a name on Unix',
      "if (drive === undefined && rest.includes('\\\\')) return null;",
      '',
    ],
    ['8 paths: each folder name is compared', 'outer.names.every(', 'outer.names.some('],
  ]),
  ...inFile(`${POLICY}/arguments/paths/system-path.ts`, [
    [
      '8 system paths: secrets are found anywhere',
      'beginsIn(SECRETS, segments, at) || ',
      'beginsIn(SECRETS, segments, 0) || ',
    ],
    [
      '8 system paths: only devices that hold nothing pass',
      ' && segments.length === 2 && DEVICES.has(second)',
      '',
    ],
    [
      '8 system paths: file: without slashes is absolute',
      "if (before === 'file') return",
      "if (before === 'file:') return",
    ],
  ]),
];
