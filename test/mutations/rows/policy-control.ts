/** Mutations of control state, lint and rules. */
import { inFile, type Mutation } from '../mutation.ts';

export const CONTROL_MUTATIONS: readonly Mutation[] = [
  ...inFile('packages/policy/src/rules/condition.ts', [
    ['7 rules see the normal form', 'return knownCall(action).model;', 'return action.model;'],
  ]),
  ...inFile('packages/policy/src/rules/condition-names.ts', [
    ['7 a rule that is never met is refused', 'return text === normal ? null', 'return text !== null ? null'],
  ]),
  ...inFile('packages/control/src/lint/widening.ts', [
    ['26 a role that may use a tool is wider', '!before.includes(role)', 'false'],
    [
      '26 a tool that everybody may use is wider',
      "'everybody may use it', 'only some roles may use it')]",
      "'everybody may use it', 'only some roles may use it')].slice(1)",
    ],
    [
      '26 calls of each person in place of each agent are wider',
      'if (is === was && after?.windowMs',
      'if (after?.windowMs',
    ],
    [
      '7 lint knows all names of a denied model',
      "of !== 'Tools' || glob.includes('*')",
      "glob.includes('*')",
    ],
    ['7 a lower price of a model widens a policy', '...lowerPrices(before, after),', ''],
  ]),
  ...inFile('packages/control/src/lint/common-name.ts', [
    ['7 a denied name is not left in an allowed list', '(out === null || !denying.ends(out))', 'true'],
    [
      '7 comparing lists of patterns takes a bounded number of steps',
      'consume(stepBudget, STEPS_A_PLACE * all.size);',
      '',
    ],
  ]),
  ...inFile('packages/control/src/lint/lint-control.ts', [
    [
      '7 writing a policy reports findings of the rules that name it',
      "id === (kind === 'rule' ? document.id : policyIdOf(document))",
      'id === document.id',
    ],
  ]),
  ...inFile('packages/control/src/lint/nothing-in-common.ts', [
    [
      '7 rules that never hold at once do not contradict each other',
      'if (mayHoldAtOnce(set, stepBudget)) return set;',
      'return set;',
    ],
    ['7 lint asks the ancestors of a sub-agent too', 'names: held.below }', 'names: held.names }'],
    ['7 lint reports the parts that it did not check', 'if (!isKnown) skipped();', ''],
  ]),
  ...inFile('packages/control/src/lint/idle-documents.ts', [
    [
      '7 looking at a changed document takes a bounded number of steps',
      '!consume(stepBudget, tools.length)',
      'false',
    ],
  ]),
  ...inFile('packages/control/src/lint/never-hold.ts', [
    ['7 lint knows the types of actions that have a field', '...ofFields.flatMap(implied)', ''],
    ['7 a choice contradicts only if all its branches do', 'any.every((choice)', 'any.some((choice)'],
    [
      '7 a range of one value is empty only if it is open',
      'low > high || (low === high && isOpen)',
      'low >= high',
    ],
  ]),
  ...inFile('packages/control/src/lint/covering-rules.ts', [
    [
      '7 lint counts no observing rule as an enforced one',
      "one.mode === 'observe' && other.mode === 'shadow'",
      'false',
    ],
    ['7 lint reports one of two equal rules', 'one.id < other.id || ', ''],
    ['7 a rule covers no rule that begins earlier', 'wide.startsAtMs > narrow.startsAtMs || ', ''],
    [
      '7 a rule covers no rule with fewer conditions',
      'if (!narrow.conditions.has(condition)) return false;',
      ';',
    ],
  ]),
  ...inFile('packages/control/src/lint/lint-limits.ts', [
    ['7 lint ignores the cost of a denied tool', 'deniedTools(tool) !== null', 'false'],
  ]),
  ...inFile('packages/control/src/lint/limits.ts', [
    [
      '26 a rate of each person is compared only with a rate of each person',
      "['rate', scope, tool, windowMs]",
      "['rate', tool, windowMs]",
    ],
    [
      '7 lint counts all spending of an agent, but not of a person',
      "wide.isOfAll && narrow.scope === 'agent'",
      'wide.isOfAll',
    ],
    ['7 a counter that began later lacks earlier spending', 'wide.isOfAll && narrow', 'narrow'],
  ]),
  ...inFile('packages/policy/src/doubts/document-doubts.ts', [
    [
      '8 lint reports signs without a meaning',
      'OF_PATTERNS.test(field))\n    .flatMap',
      'field === null)\n    .flatMap',
    ],
    [
      '8 lint reports limits under unconfirmed names',
      '.filter((name) => !known.has(name))',
      '.filter(() => false)',
    ],
  ]),
  ...inFile('packages/policy/src/doubts/look-alikes.ts', [
    ['8 lint finds look-alike letters of other scripts', 'table.get(character) ?? character', 'character'],
  ]),
  ...inFile('packages/control/src/lint/globs-within.ts', [
    [
      '7 patterns are compared by the names that they match',
      "replaceAll('*', UNSPELLED)",
      "replaceAll('*', '')",
    ],
  ]),
  ...inFile('packages/control/src/lint/widening.ts', [
    [
      '7 a removed limit is reported as wider',
      'after !== undefined && after <= before',
      'after === undefined || after <= before',
    ],
    ['7 a removed denial is reported as wider', '...delegable, ...denied]', '...delegable]'],
    ['7 a new delegable tool is reported as wider', '...allowed, ...delegable,', '...allowed,'],
  ]),
  ...inFile('packages/control/src/lint/widening.ts', [
    ['7 a first version that rules already name is reported', 'if (isThere && !wasThere)', 'if (false)'],
    ['7 a shorter lease is reported as wider', 'lease(is) < lease(was)', 'false'],
    ['7 a tool that no agent may call widens nothing', '.filter(usableUnder(after, stepBudget))', ''],
  ]),
  ...inFile('packages/control/src/lint/rule-widening.ts', [
    ['7 a deleted rule may have held an agent', 'held ? [goes(before, after)] : []', '[]'],
    ['7 a new rule gives an agent more', '[comes(before, after)]', '[]'],
    ['7 a rule for a new agent may allow more than no rule', 'return isMore ?', 'return false ?'],
    [
      '7 a rule that only watches stops no agent',
      "before.mode === 'enforce' && after.mode === 'observe'",
      'false',
    ],
    ['7 a changed time of a rule is reported', 'was === is ? []', 'true ? []'],
    ['7 another version of a policy may be wider', 'before.policy === after.policy || is === null', 'true'],
  ]),
  ...inFile('packages/control/src/lint/agent-widening.ts', [
    ['7 a left group may have limited the agent', 'left(before.groups, after.groups)', '[]'],
    ['7 a joined group may allow the agent more', 'left(after.groups, before.groups)', '[]'],
    ['7 a changed label that rules use is reported', "asked.attribute('labels', name)", 'false'],
    ['7 a removed parent may have limited the agent', 'before.parent !== undefined ||', ''],
    ['7 a changed name that rules use is reported', "asked.attribute('name') ?", 'false ?'],
  ]),
  ...inFile('packages/control/src/lint/tenant-limits-widening.ts', [
    ['7 removed tenant limits are reported', "is === null ? ['limits: gone']", 'is === null ? []'],
  ]),
  ...inFile('packages/control/src/control-units.ts', [
    [
      '7 the number of documents of a tenant is bounded',
      'grows > 0 && units + grows > CAPS.controlUnits',
      'false',
    ],
  ]),
  ...inFile('packages/control/src/change-outcome.ts', [
    ['7 a change that was written twice is on record once', 'changed.ok && !tookEffect', 'false'],
    ['7 a refused change is recorded as refused', 'changed.ok ? null : changed.refusal', 'null'],
    [
      '7 only a change that took effect makes a version',
      'tookEffect ? versionOf(fold, record) : 0',
      'versionOf(fold, record)',
    ],
  ]),
  ...inFile('packages/policy/src/rules/delegation.ts', [
    ['6 a plan names the ancestors of its agent', '        ancestors: ids,\n        steps', '        steps'],
    [
      '6 a plan that took too many steps names the ancestors too',
      'if (own.tooCostly !== undefined) return { ...own, ancestors: ids };',
      'if (own.tooCostly !== undefined) return own;',
    ],
    ['7 a subtree shares one budget of steps', 'agentId: id }, atMs, stepBudgets)', 'agentId: id }, atMs)'],
    ['7 an ancestor is checked as if it did the same action', '{ ...action, agentId: id }', 'action'],
    ['7 a remembered subtree belongs to the current mandates', 'numberOf(mandateOf(held))', '0'],
    [
      '7 the validity of a plan includes the rules of ancestors',
      '...intersectionOf(all),',
      '...intersectionOf([own]),',
    ],
  ]),
  ...inFile('packages/control/src/control-state.ts', [
    [
      '7 a change that expects another revision is refused',
      'expects !== undefined && expects !== current',
      'expects !== undefined && false',
    ],
    [
      '7 a repeated change takes effect once',
      'if (known.digest === digestOfChange(record)) return known.changed;\n',
      '',
    ],
    [
      '7 a key that ended does not block the key of another tenant with its id',
      '!opens(key(record.key.id))',
      'key(record.key.id) === undefined',
    ],
    [
      '7 the result of a repeated change names no key of another tenant',
      'opens(keyIn(known.control, record.key.id)) && ',
      'changed.ok && ',
    ],
    ['7 an id that no key uses is forgotten', ') tenantOfKey.delete(id);', ') continue;'],
    ['7 an id in use is kept', ' && keyIn(known.control, id) === undefined', ''],
    ['7 the tenant of a key that ended is known', ' ?? endedKeys.get(id)', ''],
    [
      '7 an id names one change',
      "return { ok: false, refusal: 'ID_REUSED', revision: revisionOf(control, record) };",
      'return null;',
    ],
  ]),
  ...inFile('packages/control/src/snapshot/read-control.ts', [
    [
      'a snapshot that was changed is not read',
      "line.lines === count && line.sha256 === seal.digest('hex')",
      'line.lines === count',
    ],
    ['a snapshot of other records is not read', ' && line.shape === shape', ''],
    [
      'a reader that starts from a snapshot forgets as other readers do',
      'control.issued.forgetAt = line.forgetAt;',
      '',
    ],
    ['after a snapshot, a key of another tenant opens nothing', ' && !elsewhere.has(line.id)', ''],
    ['after a snapshot, the tenant of a key that ended is known', "'roleKeys', 'endedKeys'", "'roleKeys'"],
    ['a snapshot contains the policies of grants once', 'stands?.revision === revision ? stands : ', ''],
  ]),
  ...inFile('packages/control/src/snapshot/write-control.ts', [
    ['a key that ended in another tenant is not ended here', ', ...control.endedKeys.keys()', ''],
    ['a snapshot contains the results of changes', '    yield* resultLines(results);\n', ''],
  ]),
  {
    promise: '7 nothing is changed in a closed tenant',
    file: 'packages/control/src/control-state.ts',
    find: 'isClosed && !WHILE_CLOSED.has(record.event)',
    replace: 'false',
  },
  {
    promise: '7 a tenant holds at most as much as its quotas allow',
    file: 'packages/control/src/quotas.ts',
    find: 'opened?.document.quotas?.[what] ?? CAPS[what]',
    replace: 'CAPS[what]',
  },
  {
    promise: '7 a mandate is within the limits of its tenant',
    file: 'packages/policy/src/rules/rules-in-force.ts',
    find: 'ofRules && withTenantLimits(ofRules, tenantLimits)',
    replace: 'ofRules',
  },
  ...inFile('packages/control/src/validate-change.ts', [
    ['7 no agent is its own ancestor', "if (ancestor === id) return 'PARENT_IS_BELOW';", ''],
    ['7 a change may not make any chain of agents too long', 'height + depthBelow(control, id)', 'height'],
    [
      '7 a policy that rules name is archived only by force',
      '!record.forced && isUsed(control, record.policyId)',
      'false',
    ],
    ['7 an order of rules contains each rule once', 'const areAll = ', 'const areAll = true || '],
    [
      '7 a key belongs to one agent only',
      'isFit && key.agents.length === 1 && key.agents[0] === agentId',
      'isFit',
    ],
    [
      '7 a key of an agent publishes and reports, and no more',
      'return isOfAgent(key.scopes) && isFit',
      'return isFit',
    ],
    ['7 a key of a role has the scopes of that role', '&& isOfRole && isOfTenant', '&& isOfTenant'],
    ['7 a role reaches no further than its tenant', '&& isOfRole && isOfTenant', '&& isOfRole'],
    [
      '7 no caller revokes the key of the request',
      "if (record.byKey === record.keyId) return 'OWN_KEY';",
      '',
    ],
  ]),
  ...inFile('packages/control/src/evolve.ts', [
    ['7 keys end with the registration of their agent', '        control.keys.delete(id);\n', ''],
  ]),
  ...inFile('packages/control/src/mandates-under-control.ts', [
    [
      '7 a file allows nothing to a retired agent',
      '!agents.has(agentId) && !retired.has(agentId)',
      '!agents.has(agentId)',
    ],
    [
      '7 rules apply to registered agents',
      'askedLast = isOfFile ? ofFile : controlled;',
      'askedLast = ofFile;',
    ],
    [
      '7 the file applies to agents that are not registered',
      'askedLast = isOfFile ? ofFile : controlled;',
      'askedLast = controlled;',
    ],
    ['7 a decision names its control revision', 'return askedLast.revision;', 'return ofFile.revision;'],
    ['7 a closed tenant allows nothing', 'if (closedAt !== null) ', 'if (false && closedAt !== null) '],
    ['7 tenant limits hold under the file too', 'controlled.within(tenant, held.mandate)', 'held.mandate'],
  ]),
  ...inFile('packages/control/src/evolve.ts', [
    ['7 grants end if an ancestor changes', 'for (const one of below) endWith(issued, one);', ''],
  ]),
  ...inFile('packages/control/src/grants.ts', [
    [
      '7 a grant from documents that changed meanwhile is refused',
      "if (changedAt > grant.foundAt) return 'REVISION_CONFLICT';",
      '',
    ],
    ['7 a grant lasts as long as requested', ' && lastsMs <= grant.ttlMs', ''],
    ['7 a grant has an end', ' && grant.ttlMs <= CAPS.grantTtlMs', ''],
    ['7 a grant needs existing policies', 'lasts && areThere && ', 'lasts && '],
    ['7 a grant is made from earlier revisions', ' && grant.foundAt < revision', ''],
    ['7 the number of grants of a tenant is bounded', 'if (alive >= most) return true;', ''],
    ['7 the policies of grants are bounded', '!isTooMuch(issued, one)', 'true'],
    ['7 a grant that ended is forgotten', 'if (!isOver(one, atMs)) continue;', 'continue;'],
    [
      '7 a repeated request gets the same grant',
      "{ event: 'grant.issued', agentId, context, ttlMs }",
      "{ event: 'grant.issued', agentId, context }",
    ],
    [
      '7 grants end with the registration of their agent',
      'for (const id of [...(issued.ofAgent.get(agentId) ?? [])]) forget(issued, id);',
      '',
    ],
  ]),
  ...inFile('packages/control/src/grants-in-force.ts', [
    ['7 a grant belongs to one agent', ' || issued.document.agentId !== action.agentId', ''],
    ['7 a revoked grant allows nothing', 'if (revokedAt !== null) ', 'if (false && revokedAt !== null) '],
    ['7 a grant allows nothing after its end', 'if (atMs >= endsAtMs) ', 'if (false) '],
    ['7 a grant begins with its rules', 'if (atMs < startsAtMs) ', 'if (false) '],
    [
      '7 a plan is valid at most until its grant ends',
      'lasts = { holdsFromMs: startsAtMs, holdsUntilMs: endsAtMs',
      'lasts = { holdsFromMs: startsAtMs, holdsUntilMs: null',
    ],
    [
      '7 a grant keeps its versions of policies',
      'id: compiled.policy.id, version }',
      'id: compiled.policy.id, version: null }',
    ],
    ['7 a grant holds in one context', 'if (other !== undefined) ', 'if (false && other !== undefined) '],
    [
      "7 the context of a grant replaces missing parts of an action's",
      '{ ...action.context, ...issuedFor }',
      '{ ...action.context }',
    ],
  ]),
  ...inFile('packages/control/src/mandates-under-control.ts', [
    [
      '7 ancestors are checked in the context of the grant',
      'ancestors, rules, asked, atMs',
      'ancestors, rules, action, atMs',
    ],
    ['7 rules in shadow are evaluated under a grant', 'shadow, matches: []', 'shadow: null, matches: []'],
  ]),
  ...inFile('packages/control/src/rules-for.ts', [
    ['7 a grant is made from the rules in force', 'if (before?.of === of)', 'if (before !== undefined)'],
  ]),
  ...inFile('packages/control/src/evolve.ts', [
    ['7 an agent that is registered again is not retired', 'control.retired.delete(document.id);', ''],
    ['7 a bounded number of retired agents is remembered', 'all.size <= most || ', 'true || '],
    ['7 the tenant of an ended key is kept', 'putLast(endedKeys, key.id, ended, CAPS.endedKeys);', ''],
    ['7 the key that ended last is forgotten last', '  all.delete(id);\n', ''],
  ]),
  ...inFile('packages/control/src/almost-matching-rules.ts', [
    ['7 a finding about a previewed rule names that rule', 'plannedRules.get(rule.id) ?? ', ''],
    ['7 an agent that no rule names is near no rule', 'if (!isNamed(rule, attributes)) continue;', ''],
    ['7 a condition on the action keeps no rule out of a grant', 'if (!isTold(compiled)) continue;', ''],
  ]),
  ...inFile('packages/control/src/preview-issue.ts', [
    [
      '7 a preview issues as if the previewed rules were in force',
      'withCandidates(control, thought)',
      'control',
    ],
  ]),
  ...inFile('packages/control/src/compose-grant.ts', [
    ['7 a closed tenant issues no grant', 'if (control.opened?.closedAt)', 'if (false)'],
    ['7 rules on the action are evaluated at each action', 'else openRules.push(matched);', ''],
    ['7 no grant contains a rule in shadow', "rule.mode !== 'shadow' && ", ''],
    ['7 a grant ends with its rules', 'endsAtMs = Math.min(edgeMs, endsAtMs ?? edgeMs)', 'endsAtMs = null'],
    [
      '7 a grant evaluates conditions only on values of its context',
      'return Object.hasOwn(context, step);',
      'return true;',
    ],
  ]),
  ...inFile('packages/control/src/compile-control.ts', [
    ['7 an archived policy is missing', 'kept === undefined || isArchived', 'kept === undefined'],
    ['7 a rule that names a version keeps it', 'version ?? versions.length', 'versions.length'],
  ]),
  ...inFile('packages/policy/src/rules/condition.ts', [
    [
      '7 a condition on a value of another type is unknown',
      'return (value) => (types.has(typeOf(value)) ? compare(value) : null);',
      "return (value) => (types.size > 0 && typeof value !== 'object' ? compare(value) : null);",
    ],
    [
      '7 a missing field never matches',
      'value === undefined ? null : holds(value, stepBudget)',
      'holds(value ?? null, stepBudget)',
    ],
    ['7 a missing field never matches inside not', 'truth === null ? null : !truth', '!truth'],
    [
      '7 an inherited property is a missing field',
      'Object.hasOwn(value, step) ? value[step] : undefined',
      'value[step]',
    ],
    ['7 all needs every condition', 'if (truth === false) return false;', ''],
    ['7 all with one unknown condition is unknown', 'if (truth === null) all = null;', ''],
    ['7 any needs one condition', 'if (truth === true) return true;', ''],
  ]),
  ...inFile('packages/policy/src/rules/rules-in-force.ts', [
    [
      '7 remembered rules end with their validity',
      'known !== undefined && holdsAt(known.validity, atMs)',
      'known !== undefined',
    ],
    ['7 remembered rules belong to one state of one agent', '{candidates.number}', '{agent.id}'],
    [
      '7 remembered rules cost the same steps',
      'holdsAt(known.validity, atMs) && fits(stepBudgets, known)',
      'holdsAt(known.validity, atMs)',
    ],
    ['7 the agents of one action share its step budget', '      consumeCost(stepBudgets, given);\n', ''],
  ]),
  ...inFile('packages/policy/src/rules/rules-of-agents.ts', [
    ['7 a shadow rule is never enforced', "return mode === 'shadow';", 'return false;'],
    ['7 a changed agent is evaluated again', 'before?.agent === agent', 'before !== undefined'],
    [
      '7 a changed rule changes for all agents',
      'if (behind === 0) return one;',
      'if (behind >= 0) return one;',
    ],
    [
      '7 an agent is evaluated again after its changes are forgotten',
      'if (behind > changes.length) return null;',
      '',
    ],
    [
      '7 a changed rule no longer costs its old steps',
      '-asked.steps : asked.steps',
      'asked.steps : asked.steps',
    ],
    [
      '7 a deleted rule applies to no agent',
      'if (rule === before) remove(side.holding, rule.id);',
      'if (rule === before) side.steps += 0;',
    ],
    [
      '7 a preview changes nothing',
      'ofCandidates([...enforced], [...inShadow], 1)',
      'ofCandidates(enforced, inShadow, 1)',
    ],
    ['7 a preview evaluates the given rules', 'others.change(more);', ''],
  ]),
  ...inFile('packages/control/src/standing-rules.ts', [
    ['7 a removed rule no longer applies', 'if (!rules.has(id)) changes.push', 'if (false) changes.push'],
    ['7 changes of rules in shadow are followed', 'watching.change(ofShadow);', ''],
  ]),
  ...inFile('packages/policy/src/rules/ask-rules.ts', [
    [
      '7 a missing field is not null',
      "if (value === undefined) key += ' -';",
      "if (value === undefined) key += ' null';",
    ],
    [
      '7 a rule for a group applies to its agents',
      'if (groups !== null && ',
      'if (false && groups !== null && ',
    ],
    ['7 a rule for an agent applies to it', 'agents(agent.id) !== null)', 'true)'],
    ['7 a rule applies from its start', '(startsAtMs ?? Number.NEGATIVE_INFINITY) <= atMs && ', ''],
    ['7 a rule ends at its end', 'atMs < (endsAtMs ?? Number.POSITIVE_INFINITY)', 'true'],
    [
      '7 an unknown condition is no match',
      'holds(subject, left) === true),',
      'holds(subject, left) !== false),',
    ],
    [
      '7 rules that take too many steps block',
      'if (left.left < 0) return { ok: false',
      'if (false) return { ok: false',
    ],
    [
      '7 rules in shadow have their own step budget',
      'shadow: stepBudgetOfAction() };',
      'shadow: { left: 0 } };',
    ],
  ]),
  ...inFile('packages/policy/src/rules/rules-in-force.ts', [
    [
      '7 shadow: a rule in shadow does not shorten the validity of a plan',
      '        ...ofEnforced,\n',
      '        ...ofAll,\n',
    ],
  ]),
  ...inFile('packages/control/src/lint/given-by-claim.ts', [
    [
      '8 lint: a rule beside one that always matches only restricts',
      '    if (always.some((rule) => mayMatch(rule, agent, stepBudget))) continue;\n',
      '',
    ],
    ['8 lint: a value that every key pins is no claim', 'pins.length > 0 && pins.every(', 'pins.some('],
  ]),
  ...inFile('packages/control/src/grant-required.ts', [
    ['1 an agent that requires a grant must name it', 'if (agent.requiresGrant) return agent.id;', ''],
    ['1 no descendant of it acts without a grant', 'if (requiresGrant) return id;', ''],
    ['1 the policies of rules are no grant', ' && mandateId !== COMPOSED', ''],
  ]),
  ...inFile('packages/control/src/former-ancestors.ts', [
    ['6 an agent that leaves a killed subtree is remembered', '    left.set(ancestor, revision);\n', ''],
    [
      '6 a descendant of an agent that left a subtree is remembered',
      '    putLatest(left, register.departures.get(ancestor));\n',
      '',
    ],
    [
      '6 a retired agent keeps its place in its subtree',
      '(agents.get(agentId) ?? retired.get(agentId))',
      'agents.get(agentId)',
    ],
  ]),
  ...inFile('packages/control/src/evolve.ts', [
    ['9 a tenant that had a topic is known', ' || control.opened?.hadTopic === true', ''],
  ]),
];
