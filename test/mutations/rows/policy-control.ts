/** Breaks control state, lint and rules. */
import { inFile, type Mutation } from '../mutation.ts';

const POLICY = 'packages/policy/src';

export const CONTROL_MUTATIONS: readonly Mutation[] = [
  ...inFile(`${POLICY}/rules/condition.ts`, [
    ['7 rules see the normal form', 'return knownCall(action).model;', 'return action.model;'],
  ]),
  ...inFile(`${POLICY}/rules/condition-names.ts`, [
    ['7 a rule that is never met is refused', 'return text === normal ? null', 'return text !== null ? null'],
  ]),
  ...inFile(`${POLICY}/lint/widening.ts`, [
    [
      '7 a denied model has more names than the list',
      "of !== 'Tools' || glob.includes('*')",
      "glob.includes('*')",
    ],
    ['7 a lower price of a model is wider', '...lowerPrices(before, after),', ''],
  ]),
  ...inFile('packages/policy/src/lint/common-name.ts', [
    ['7 a denied name is left over in no list', '(out === null || !denying.ends(out))', 'true'],
    [
      '7 comparing lists of patterns takes a bounded number of steps',
      'takes(effort, STEPS_A_PLACE * all.size);',
      '',
    ],
  ]),
  ...inFile('packages/policy/src/lint/lint-control.ts', [
    [
      '7 writing a policy reports findings of the rules that name it',
      "id === (kind === 'rule' ? document.id : policyIdOf(document))",
      'id === document.id',
    ],
  ]),
  ...inFile('packages/policy/src/lint/nothing-in-common.ts', [
    [
      '7 rules that never hold at once do not contradict each other',
      'if (mayHoldAtOnce(set, effort)) return set;',
      'return set;',
    ],
    ['7 what a sub-agent may do is asked of those above it', 'names: held.below }', 'names: held.names }'],
    ['7 lint says what it did not look at', 'if (!isKnown) skipped();', ''],
  ]),
  ...inFile('packages/policy/src/lint/idle-documents.ts', [
    [
      '7 looking at a changed document takes a bounded number of steps',
      '!takes(effort, tools.length)',
      'false',
    ],
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
    ['7 a tool that no agent may call widens nothing', '.filter(usableUnder(after, effort))', ''],
  ]),
  ...inFile('packages/policy/src/lint/rule-widening.ts', [
    ['7 a deleted rule may have held an agent', 'held ? [goes(before, after)] : []', '[]'],
    ['7 a new rule gives an agent more', '[comes(before, after)]', '[]'],
    [
      '7 an agent that a rule holds only now may have been refused before',
      'return isMore ?',
      'return false ?',
    ],
    [
      '7 a rule that only watches stops no agent',
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
  ...inFile(`${POLICY}/control/what-became.ts`, [
    ['7 a change that was written twice is on record once', 'changed.ok && !tookEffect', 'false'],
    ['7 what was refused is on record as that', 'changed.ok ? null : changed.refusal', 'null'],
    [
      '7 only what took effect made a version',
      'tookEffect ? versionOf(fold, record) : 0',
      'versionOf(fold, record)',
    ],
  ]),
  ...inFile(`${POLICY}/rules/families-in-force.ts`, [
    ['6 a plan names the ancestors of its agent', '        above: ids,\n        steps', '        steps'],
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
  ...inFile(`${POLICY}/control/control-state.ts`, [
    [
      '7 a change that expects another revision is refused',
      'expects !== undefined && expects !== current',
      'expects !== undefined && false',
    ],
    ['7 a change that comes twice happens once', 'if (known?.digest === digest) return known.changed;\n', ''],
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
    ['7 an id that no key has any more is forgotten', ') tenantOfKey.delete(id);', ') continue;'],
    ['7 an id in use is kept', ' && keyIn(known.control, id) === undefined', ''],
    ['7 the tenant of a key that ended is known', ' ?? endedKeys.get(id)', ''],
    [
      '7 an id names one change',
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
    [
      'a reader that starts from a snapshot forgets as other readers do',
      'control.issued.forgetAt = line.forgetAt;',
      '',
    ],
    ['after a snapshot, a key of another tenant opens nothing', ' && !elsewhere.has(line.id)', ''],
    ['after a snapshot, the tenant of a key that ended is known', "'roleKeys', 'endedKeys'", "'roleKeys'"],
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
    ['7 no agent is its own ancestor', "if (above === id) return 'PARENT_IS_BELOW';", ''],
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
      '7 no caller revokes the key of the request',
      "if (record.byKey === record.keyId) return 'OWN_KEY';",
      '',
    ],
  ]),
  ...inFile(`${POLICY}/control/take-effect.ts`, [
    ['7 keys end with the registration of their agent', '        control.keys.delete(id);\n', ''],
  ]),
  ...inFile(`${POLICY}/control/mandates-under-control.ts`, [
    [
      '7 a file allows nothing to a retired agent',
      '!agents.has(agentId) && !retired.has(agentId)',
      '!agents.has(agentId)',
    ],
    ['7 rules hold registered agents', 'askedLast = isOfFile ? ofFile : controlled;', 'askedLast = ofFile;'],
    [
      '7 the file holds agents that are not registered',
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
      '7 a mandate of documents that changed meanwhile is refused',
      "if (changedAt > mandate.foundAt) return 'REVISION_CONFLICT';",
      '',
    ],
    ['7 a mandate lasts as long as was asked', ' && lastsMs <= mandate.ttlMs', ''],
    ['7 a mandate has an end', ' && mandate.ttlMs <= CAPS.mandateTtlMs', ''],
    ['7 a mandate is of policies that are there', 'lasts && areThere && ', 'lasts && '],
    ['7 a mandate is made from earlier revisions', ' && mandate.foundAt < revision', ''],
    ['7 a tenant has a bounded number of mandates', 'if (alive >= most) return true;', ''],
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
    ['7 an agent that is registered again is not retired', 'control.retired.delete(document.id);', ''],
    ['7 a bounded number of retired agents is remembered', 'all.size <= most || ', 'true || '],
    ['7 the tenant of an ended key is kept', 'putLast(endedKeys, key.id, ended, CAPS.endedKeys);', ''],
    ['7 the key that ended last is forgotten last', '  all.delete(id);\n', ''],
  ]),
  ...inFile(`${POLICY}/control/near-rules.ts`, [
    ['7 what is said of a rule that is thought of is of that', 'thoughtOf.get(rule.id) ?? ', ''],
    ['7 an agent that no rule names is near none', 'if (!isNamed(rule, attributes)) continue;', ''],
    [
      '7 what no action tells yet keeps no rule from an issued mandate',
      'if (!isTold(compiled)) continue;',
      '',
    ],
  ]),
  ...inFile(`${POLICY}/control/preview-issue.ts`, [
    ['7 what is thought of is issued as if it stood', 'withCandidates(control, thought)', 'control'],
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
    ['7 agents that are asked for one action share its step budget', '      spend(efforts, given);\n', ''],
  ]),
  ...inFile(`${POLICY}/rules/rules-of-agents.ts`, [
    ['7 a shadow rule is never enforced', "return mode !== 'shadow';", 'return true;'],
    ['7 a changed agent is evaluated again', 'before?.agent === agent', 'before !== undefined'],
    [
      '7 a rule that is changed is changed for all',
      'if (behind === 0) return one;',
      'if (behind >= 0) return one;',
    ],
    [
      '7 an agent is evaluated again after its changes are forgotten',
      'if (behind > changes.length) return null;',
      '',
    ],
    ['7 what a rule took, it takes no more', '-asked.steps : asked.steps', 'asked.steps : asked.steps'],
    [
      '7 a deleted rule holds no agent',
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
  ...inFile(`${POLICY}/rules/rules-in-force.ts`, [
    [
      '7 shadow: a rule in shadow does not shorten the validity of a plan',
      '        ...ofEnforced,\n',
      '        ...ofAll,\n',
    ],
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
    ['1 no descendant of it acts without a grant', 'if (requiresGrant) return id;', ''],
    ['1 what rules compose to is no grant', ' && mandateId !== COMPOSED', ''],
  ]),
  ...inFile(`${POLICY}/control/former-ancestors.ts`, [
    ['6 an agent that leaves a killed family is remembered', '    left.set(ancestor, revision);\n', ''],
    [
      '6 a descendant of an agent that left a family is remembered',
      '    putLatest(left, register.departures.get(ancestor));\n',
      '',
    ],
    [
      '6 a retired agent keeps its place',
      '(agents.get(agentId) ?? retired.get(agentId))',
      'agents.get(agentId)',
    ],
  ]),
  ...inFile(`${POLICY}/control/take-effect.ts`, [
    ['9 a tenant that had a topic is known', ' || control.opened?.hadTopic === true', ''],
  ]),
];
