/** Mutations of the governance of texts: prompts, saves and outputs. */
import { inFile, type Mutation } from '../mutation.ts';

const GOVERNANCE = 'packages/policy/src/governance';

export const GOVERNANCE_MUTATIONS: readonly Mutation[] = [
  ...inFile('packages/policy/src/checks/governed/read-choices.ts', [
    ['reads: each read has a person', 'action.principal === undefined', 'false'],
    ['reads: nobody reads the memories of others', '!readsOthers(action as MemoryRead)', 'true'],
  ]),
  ...inFile('schemas/src/categories-document.ts', [
    ['categories: a bad name hides no fault below it', '{ when: () => true },', '{},'],
    [
      'categories: the stores are counted too',
      "    count += 1;\n    visit(categories, [name, 'categories'], []);",
      "    visit(categories, [name, 'categories'], []);",
    ],
    ['categories: none is deeper than the log', 'names.length > CAPS.categoryDepth', 'false'],
    ['categories: no path is longer than an action', 'length > CAPS.idUnits', 'false'],
  ]),
  ...inFile('packages/manifest/src/category-fields.ts', [
    ['categories: a higher limit is looser', 'is > was', 'is < was'],
    ['categories: a limit that is gone is looser', "typeof is !== 'number' || ", ''],
    ['categories: a child grants nothing again that is denied above', '...above.permissions, ', ''],
  ]),
  ...inFile('packages/manifest/src/checks/loosenings.ts', [
    [
      'categories: a child is compared with the nearest that says the field',
      'below(subcategories, holdsIn(above, policies)',
      'below(subcategories, above',
    ],
  ]),
  ...inFile('packages/manifest/src/overlay/wider-categories.ts', [
    ['categories: a category that is gone may make its place looser', '...before.keys(), ', ''],
    ['categories: a difference is reported where it begins', 'if (above !== null &&', 'if (false &&'],
    ['categories: a difference of its own is reported', ' && field.of(above.is) === after', ''],
  ]),
  ...inFile(`${GOVERNANCE}/text/characters-in.ts`, [
    ['lengths are in characters', 'characters += 1', 'characters = text.length'],
  ]),
  ...inFile(`${GOVERNANCE}/categories/categories.ts`, [
    [
      'categories: a field that a child does not say is that of its parent',
      'value === undefined ? inherited : { value, from }',
      '{ value: value ?? inherited.value, from }',
    ],
    [
      'categories: what is not in the config inherits',
      'if (below === undefined) break;',
      'if (below === undefined) return null;',
    ],
  ]),
  ...inFile(`${GOVERNANCE}/categories/operations.ts`, [
    ['categories: a move needs a permission at its source', "        permits('delete', source),\n", ''],
    ['categories: a move needs a permission at its target', "        permits('create', target),\n", ''],
    [
      'categories: an update that says no expiry keeps the present one',
      'expiresAt === undefined ? currentExpiresAt : expiresAt',
      'expiresAt ?? null',
    ],
    [
      'categories: nothing protected goes with a recursive delete',
      '[place, ...below.map((one) => placeIn(categories, store, one))]',
      '[place]',
    ],
    ['categories: a recursive delete asks nothing of a category beside it', '.path}/`));', '.path}`));'],
    [
      'categories: a move to the same path of another store is no update',
      'if (toStore === store && source.path === target.path)',
      'if (source.path === target.path)',
    ],
    [
      'categories: only the system prunes',
      "(origins.operation ?? 'model') : 'model'",
      "(origins.operation ?? 'model') : 'system'",
    ],
  ]),
  ...inFile(`${GOVERNANCE}/categories/plan-change.ts`, [
    ['categories: the target store of a move must be known', '[store, toStore].find', '[store].find'],
    ['categories: a model says no fact of the store', "isOfModel(operation, fact, 'system')", 'false'],
  ]),
  ...inFile(`${GOVERNANCE}/categories/change-at.ts`, [
    [
      'categories: a ceiling counts from no time in the future',
      'Math.min(Date.parse(from), atMs)',
      'Date.parse(from)',
    ],
    ['categories: the earliest ceiling counts', 'ms < lowest.ms', 'ms > lowest.ms'],
  ]),
  ...inFile(`${GOVERNANCE}/text/fold.ts`, [
    [
      'folding: an accent joins its letter after an invisible character',
      "'')\n    .normalize('NFKC')",
      "'')",
    ],
    ['folding: invisible characters disappear', ".replace(INVISIBLE, '')", ''],
    ['folding: curly quotes become straight', '.replace(SINGLE_QUOTES, "\'")', ''],
    ['folding: no blank is at an end', ".replace(/^ | $/g, '')", ''],
    [
      'folding: the length of the folded text is counted too',
      "consume(stepBudget, folded.length) ? folded : ''",
      'folded',
    ],
  ]),
  ...inFile(`${GOVERNANCE}/text/parted.ts`, [
    ['words: some scripts write no blanks', ' && !WITHOUT_BLANKS.test(character)', ''],
    ['words: a character of two units is one character', 'before > 0xffff', 'false'],
    ['words: an underscore belongs to a word', '\\p{M}_]$/u', '\\p{M}]$/u'],
  ]),
  ...inFile(`${GOVERNANCE}/text/without-case.ts`, [
    ['case: a dotless i is no i', "if (character === 'ı') return character;", ''],
    ['case: two small letters with one capital are the same', 'oneCharacter(capital.toLowerCase(), ', '('],
  ]),
  ...inFile(`${GOVERNANCE}/text/text-classes.ts`, [
    [
      'patterns: \\w has letters of all scripts',
      "const OF_WORDS = '\\\\p{L}\\\\p{M}\\\\p{N}_'",
      "const OF_WORDS = 'A-Za-z0-9_'",
    ],
    ['patterns: \\D has no digit of any script', "return '\\\\P{Nd}'", 'return token'],
    ['patterns: no class excludes letters of one case', 'NOT_OF_ONE_CASE.test(token)', 'false'],
  ]),
  ...inFile(`${GOVERNANCE}/text/place-boundaries.ts`, [
    [
      'patterns: \\b holds beside a letter outside ASCII',
      'if (left === OTHER && right === OTHER) continue;',
      'continue;',
    ],
    ['patterns: an uncertain \\b is refused', 'throw new PatternRefused(pattern, UNCERTAIN);', ''],
    ['patterns: in a repeated group, the beginning follows the end', 'part.repeat.most > 1', 'false'],
    [
      'patterns: \\b beside an optional group holds without the group',
      'if (group.repeat.least === 1)',
      'if (true)',
    ],
    [
      'patterns: a lazy group stays lazy beside \\b',
      'isLazy ? [absent, present] : [present, absent]',
      '[present, absent]',
    ],
    [
      'patterns: a greedy group stays greedy beside \\b',
      'isLazy ? [absent, present] : [present, absent]',
      '[absent, present]',
    ],
  ]),
  ...inFile(`${GOVERNANCE}/text/beside-boundary.ts`, [
    [
      'patterns: a part after an optional part can be beside \\b',
      '!canBeEmpty && part.repeat.least > 0',
      '!canBeEmpty',
    ],
    ['patterns: the script Latin has letters of ASCII', '(?!Latin|Latn|', '(?!Latn|'],
    [
      'patterns: a negated class is no letter outside ASCII',
      "if (source.startsWith('[^')) return OTHER;",
      '',
    ],
  ]),
  ...inFile(`${GOVERNANCE}/text/text-pattern.ts`, [
    ['patterns: case does not matter', 'RE2JS.CASE_INSENSITIVE', '0'],
    ['patterns: an empty match is no evidence', 'if (end > start) yield', 'yield'],
    ['patterns: every search for a match is counted', 'if (!consume(stepBudget, cost(end))) return;', ''],
    ['patterns: \\B is refused', "part.source !== '\\\\B'", 'true'],
  ]),
  ...inFile('packages/policy/src/arguments/compiled-programs.ts', [
    [
      'patterns: the room of a document is limited',
      'if (!consume(room, size)) throw',
      'consume(room, size); if (false) throw',
    ],
    [
      'patterns: a pattern has at most 1,000 characters',
      'if (pattern.length <= LONGEST_PATTERN) return;',
      'return;',
    ],
  ]),
  ...inFile(`${GOVERNANCE}/text/required-literals.ts`, [
    ['literals: an optional character is not required', ' || part.repeat.least === 0', ''],
    ['literals: a repeated character ends a literal', ' && part.repeat.most === 1', ''],
    ['literals: an optional group is not required', ' && part.repeat.least > 0) offer', ') offer'],
    [
      'literals: each branch needs a literal',
      'if (ofBranch === null || literals',
      'if (ofBranch === null) continue;\n    if (literals',
    ],
    [
      'literals: a character that folding changes is not required',
      "literal === null || literal.normalize('NFKC') !== literal",
      'literal === null',
    ],
  ]),
  ...inFile(`${GOVERNANCE}/text/literal-finder.ts`, [
    [
      'literals: a literal within another is found',
      'ending = nearest[automaton.suffixes[ending] ?? ROOT] ?? ROOT',
      'ending = ROOT',
    ],
    ['literals: the pass over the text is counted', '!consume(stepBudget, text.length * 2)', 'false'],
    [
      'literals: every occurrence is counted',
      'if (!consume(stepBudget, STEPS_OF_OCCURRENCE)) return false;',
      '',
    ],
  ]),
  ...inFile(`${GOVERNANCE}/text/matches-every-text.ts`, [
    ['patterns: a limited length is not everything', '[...SHORT, ...LONG]', 'SHORT'],
  ]),
  ...inFile('packages/policy/src/literal-automaton.ts', [
    ['literals: a state may have several children', 'otherChildren.get(state)?.get(unit)', 'undefined'],
    [
      'literals: START counts as a child of the root',
      'let state = START; state < count',
      'let state = START + 1; state < count',
    ],
  ]),
  ...inFile(`${GOVERNANCE}/intents/evidence.ts`, [
    [
      'intents: a keyword within a word may be a whole word later',
      'if (known.has(literal)) return;',
      'if (known.has(literal)) return;\n      known.add(literal);',
    ],
    [
      'intents: evidence is measured in characters',
      '[...folded.slice(start, end)]',
      'folded.slice(start, end)',
    ],
    ['intents: a keyword is a whole word', ' || !standsAlone(folded, start, end)', ''],
    [
      'intents: keywords come before patterns of equal length',
      'if (length > (best.get',
      'if (length >= (best.get',
    ],
    [
      'intents: the first of keywords of equal length counts',
      'return one.order < other.order',
      'return false',
    ],
    [
      'intents: the longest keyword counts',
      'return one.length > (other?.length ?? 0)',
      'return other === undefined',
    ],
    [
      'intents: a pattern runs if its literals are there',
      'of patternsOf.get(literal) ?? []',
      'of patternsOf.get(literal)?.slice(1) ?? []',
    ],
    ['intents: every keyword at a place is counted', 'consume(stepBudget, named.length);', ''],
  ]),
  ...inFile(`${GOVERNANCE}/intents/classify.ts`, [
    ['intents: the longest evidence wins', 'other.length - one.length || a - b', 'a - b'],
    ['intents: equal evidence goes by the order of the manifest', ' || a - b', ' || b - a'],
    ['intents: without evidence, the fallback wins', '?? fallback;', '?? 0;'],
    ['intents: a manifest without a fallback is refused', 'if (fallback < 0) throw', 'if (false) throw'],
  ]),
  ...inFile(`${GOVERNANCE}/intents/entities.ts`, [
    [
      'entities: two entities never use the same part of a text',
      'if (one.span !== null) search.taken.take(one.span);',
      '',
    ],
    ['entities: patterns come before named types', "['pattern', 'named',", "['named', 'pattern',"],
    ['entities: named types come before enums', "'named', 'enum',", "'enum', 'named',"],
    ['entities: enums come before numbers', "'enum', 'number',", "'number', 'enum',"],
    [
      'entities: no default replaces an invalid number',
      'if (one?.why !== undefined) invalid',
      'if (one?.why !== undefined && byDefault === undefined) invalid',
    ],
    [
      'entities: only the first free text gets a text',
      "entity.kind === 'text' && entity !== firstText",
      'false',
    ],
    ['entities: the longest of enum values that begin together counts', ' && end <= first.span.end', ''],
    ['entities: an enum value is a whole word', 'if (standsAlone(folded, start, end) && taken', 'if (taken'],
    ['entities: a named type is a whole word', '!standsAlone(folded, start, end) || ', ''],
    ['entities: a default of null is no default', ' && byDefault !== null', ''],
    [
      'entities: a required entity without a value is missing',
      'else if (required) missing',
      'else if (false) missing',
    ],
    ['entities: a pattern gives its group', 'group ?? { start, end }', '{ start, end }'],
  ]),
  ...inFile(`${GOVERNANCE}/intents/find-number.ts`, [
    ['numbers: a number is a whole word', '!standsAlone(text, span.start, span.end) || ', ''],
    ['numbers: a date is no number', '[.,:/-]', '[.]'],
    ['numbers: a number has at most 9 digits', '{1,9}$/', '+$/'],
    ['numbers: the first number outside of the bounds is reported', 'outside ??=', 'outside ='],
    ['numbers: the bound itself is allowed', 'value <= max', 'value < max'],
    ['numbers: a later number within the bounds counts', 'outside ??= ', 'return '],
  ]),
  ...inFile(`${GOVERNANCE}/intents/taken-spans.ts`, [
    ['entities: a part that was taken leaves a blank', 'Math.max(start, at))} `', 'Math.max(start, at))}`'],
    ['entities: a taken part before the evidence repeats nothing', 'if (end <= at) continue;', ''],
  ]),
  ...inFile(`${GOVERNANCE}/intents/text-after-evidence.ts`, [
    [
      'entities: a text has at most 200 characters, not units',
      "[...topic].slice(0, MOST_CHARACTERS).join('')",
      'topic.slice(0, MOST_CHARACTERS)',
    ],
    ['entities: no text begins within a word', 'evidenceEnd >= folded.length || ', 'true || '],
    ['entities: one connecting word alone stays', 'polite.length === 1', 'false'],
    ['entities: courtesies are left out', ' || COURTESIES.has(plain(word))', ''],
  ]),
  ...inFile(`${GOVERNANCE}/output/output-filter.ts`, [
    [
      'outputs: a block counts before a redaction',
      'if (blocked.size > 0)',
      'if (blocked.size > 0 && pieces.length === 0)',
    ],
    ['outputs: overlapping redactions become one', 'piece.start >= last.end', 'piece.start > last.start'],
    ['outputs: a piece within another shortens nothing', 'Math.max(last.end, piece.end)', 'piece.end'],
    [
      'outputs: joined pieces have the type of the first filter',
      'piece.order < last.order ? piece : last',
      'last',
    ],
    ['outputs: redactions are in characters', 'unit < character.length', 'unit < 1'],
    ['outputs: an empty piece is nothing', 'if (piece.end <= piece.start) continue;', ''],
    ['outputs: every filter is counted', 'if (!consume(stepBudget, text.length)) return null;', ''],
    [
      'outputs: a filter that uses up the budget gives no answer',
      'if (stepBudget.left < 0) return null;',
      '',
    ],
  ]),
  ...inFile(`${GOVERNANCE}/output/profanity.ts`, [
    ['outputs: profanity is a whole word', 'if (standsAlone(inPlace.folded, start, end))', 'if (true)'],
  ]),
  ...inFile(`${GOVERNANCE}/output/fold-in-place.ts`, [
    ['outputs: adjacent blanks become one', "folded.endsWith(' ') && piece.startsWith(' ')", 'false'],
    ['outputs: a letter is folded with its marks', '[\\p{M}\\p{Cf}', '[\\p{Cf}'],
    ['outputs: a syllable of Hangul is folded as a whole', '\\p{Cf}\\u1160-\\u11ff]', '\\p{Cf}]'],
    [
      'outputs: a character that becomes a mark is folded with its letter',
      "character.normalize('NFKC')",
      'character',
    ],
  ]),
  ...inFile(`${GOVERNANCE}/saves/decide-saves.ts`, [
    ['saves: `save: false` saves nothing', 'if (hints.save === false)', 'if (false)'],
    ['saves: a trigger `never` saves nothing', "trigger.condition === 'never' || ", ''],
    ['saves: a rule does not use a trigger `always`', " || trigger.condition === 'always')", ')'],
    [
      'saves: `pattern_match_permanent` is only for the rule permanent',
      " || rule.name === 'permanent'",
      ' || true',
    ],
    [
      'saves: a rule saves only on the event of the trigger',
      'if (trigger?.event !== event ||',
      'if (trigger === undefined ||',
    ],
    [
      'saves: a trigger `always` saves only on its event',
      "trigger.event === event && trigger.condition === 'always'",
      "trigger.condition === 'always'",
    ],
    ['saves: rules are asked on interaction_complete only', "event === 'interaction_complete' ?", 'true ?'],
    [
      'saves: `save: true` replaces no rule that saves',
      'byRule === null && hints.save === true',
      'hints.save === true',
    ],
    ['saves: a hinted store needs a fitting trigger', ' && maySave(scoped.rule, hints.store)', ''],
    ['saves: a hinted time only shortens', 'lowerLimit(ttl, hints.ttlMs ?? null)', 'hints.ttlMs ?? ttl'],
    [
      'saves: an owner is named if principals are isolated',
      'user_isolation ? { owner: OWNER } : {}',
      'user_isolation ? {} : { owner: OWNER }',
    ],
    ['saves: rules read no word of an agent', 'fold(user, stepBudget)', 'fold(user + agent, stepBudget)'],
    ['saves: a used-up budget gives no answer', 'if (stepBudget.left < 0) return null;', ''],
    ['saves: the text of an agent is counted', 'if (!consume(stepBudget, agent.length)) return null;', ''],
    ['saves: by default a model decides nothing', 'llm_cannot = ALL', 'llm_cannot = []'],
    ['saves: a hinted category is passed on', '...categoryOf(hints)', ''],
    ['saves: a hinted scope takes the rule of that name', 'named(hints.scope) ?? chosen', 'chosen'],
  ]),
  ...inFile(`${GOVERNANCE}/saves/hints.ts`, [
    ['hints: llm_cannot binds the model', ' && cannot.has(rule)', ' && false'],
    ['hints: llm_cannot binds no other origin', "isOfModel({ origins }, field, 'model') && ", ''],
    ['hints: what llm_cannot does not name is honoured', ' && cannot.has(rule)', ''],
    ['hints: without an origin, a hint is of the model', "field, 'model')", "field, 'user')"],
    [
      'hints: save: true is force_save',
      "save === true ? 'force_save' : 'block_save'",
      "save === true ? 'block_save' : 'force_save'",
    ],
  ]),
  ...inFile(`${GOVERNANCE}/saves/save-rules.ts`, [
    ['saves: rules are asked by priority', 'b.priority - a.priority', 'a.priority - b.priority'],
    ['saves: session comes before permanent', "['session', 40]", "['session', 25]"],
    ['saves: ignore comes before episodic', "['ignore', 20]", "['ignore', 5]"],
    ['saves: a stated priority counts', 'fields.priority ?? PRIORITIES', 'PRIORITIES'],
    [
      'saves: a rule needs its condition and its patterns',
      'if (condition !== undefined && !condition(lengths)) return false;',
      '',
    ],
    [
      'saves: a rule without patterns and condition never holds',
      'if (patterns === undefined && condition === undefined) return false;',
      '',
    ],
    ['saves: a summary goes to episodic by default', "store ?? 'episodic'", 'store ?? null'],
  ]),
  ...inFile('packages/manifest/src/patterns.ts', [
    ['manifests: a default is found as a whole', 'start === 0 && end === folded.length', 'start <= end'],
    ['manifests: all patterns of a file are limited together', 'room.left -= size;', ''],
  ]),
  ...inFile('packages/manifest/src/checks/entities.ts', [
    ['manifests: a default has the case of its type', ' && inCase(value, spelling) === value', ''],
  ]),
];
