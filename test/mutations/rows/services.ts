/** Breaks the services. */
import { inFile, type Mutation } from '../mutation.ts';

const DECIDER = 'services/decider/src';
const ALERTER = 'services/alerter/src';
const CHANGE = 'services/query/src/explain/what-would-change.ts';
const OTHERS = 'services/query/src/explain/others-in-words.ts';

export const SERVICE_MUTATIONS: readonly Mutation[] = [
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
    [
      '7 rules see the tenant of an action that does not state it',
      '{ ...value.action, tenant, ',
      '{ ...value.action, ',
    ],
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
      '6 a topic that is made again ends no decider',
      "return retryable || code === 'LEDGER_EPOCH_CHANGED' || isMadeAnew;",
      "return retryable || code === 'LEDGER_EPOCH_CHANGED';",
    ],
    ['8 dead letters are published', "given.filter(({ answer }) => answer.kind === 'dead-letter'),", '[],'],
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
    [
      '7 the result of a change follows from all records before it',
      'taken?.next === offset',
      'taken !== null',
    ],
    [
      '7 a record of another partition is no change',
      'if (records[0]?.coordinate.partition !== PARTITION) return [];',
      '',
    ],
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
      '9 a decider that was overtaken sees its own epoch on the log',
      '    mustHold(options.ledger.epoch, fold, need);\n',
      '',
    ],
  ]),
  ...inFile('services/gateway/src/commands/bounded-kill.ts', [
    [
      '6 a repeated kill is the same command',
      'last?.revision === flag.revision && isSame',
      'false && isSame',
    ],
    ['6 a kill after a change of the flag is a new one', 'last?.revision === flag.revision && ', ''],
    ['6 an Idempotency-Key names its own command', 'idempotencyKeyOf(request) === null && ', ''],
    ["6 another key's kill is a new fact", ' && last.by === command.by', ''],
    ['6 another reason is a new fact', ' && last.reason === command.reason', ''],
    [
      '6 a kill of a target that is killed already is counted',
      "spend(request, 'this kill would",
      "void ('this kill would",
    ],
    ['6 a kill of an unknown agent is refused', '!(await hasOpen(gateway, target))', 'false'],
    ['6 a kill of a known agent is not counted', '!isKnown(gateway, target) && ', ''],
    ['6 an agent that was decided about can be killed', ' || refused.wasDecided(tenant, agentId)', ''],
    [
      '6 a ledger that cannot tell refuses no kill',
      'ledger.flag(target).catch(() => null)',
      'ledger.flag(target)',
    ],
  ]),
  ...inFile('services/gateway/src/publish/undecided-records.ts', [
    [
      'gateway: a key waits while it has too many undecided records',
      'key.undecided >= this.#ofAKey',
      'key.undecided > 1_000_000',
    ],
    [
      'gateway: a tenant waits while it has too many undecided records',
      'tenant.undecided >= this.#ofATenant',
      'tenant.undecided > 1_000_000',
    ],
    [
      'gateway: a decision frees the room of the records before it',
      'logged.offset <= upTo',
      'logged.offset === upTo',
    ],
    [
      'gateway: a record that was decided before it is known holds no room',
      'if (logged.offset <= this.#lastDecided(partition)) this.#free(holder, 1);\n    else if',
      'if',
    ],
    [
      'gateway: a request waits for room no longer than it may',
      'if (nowMs >= waiting.untilMs) waiting',
      'if (nowMs < 0) waiting',
    ],
    [
      'gateway: the keys of a tenant publish in turn',
      'tenant.keys.delete(id);\n      tenant.keys.set(id, key);\n',
      '',
    ],
  ]),
  ...inFile('services/gateway/src/refusals/refused-agents.ts', [
    ['limits: refusals of an agent count', 'agent.bucket.takeWhatThereIs(1, limits.agent, nowMs);', ''],
    ['limits: refusals of a tenant count', 'counted.bucket.takeWhatThereIs(1, limits.tenant, nowMs);', ''],
    [
      'limits: actions under way of an agent in a loop count as refused',
      'isFlooding ? count + underWay(agent, nowMs) : 1',
      'isFlooding ? count : 1',
    ],
    [
      'limits: one refusal makes no list of actions count as refused',
      'isFlooding ? count + underWay(agent, nowMs) : 1',
      'count + underWay(agent, nowMs)',
    ],
    ['limits: an ALLOW ends a loop', 'agent.refusedInARow = 0;', ''],
    [
      'limits: a flood of made-up agents holds back no good agent',
      'if (this.#isGood(agent, tenant, agentId, nowMs)) return null;',
      '',
    ],
    [
      'limits: an agent that was refused lately is not good',
      'if (agent.refusedInARow > 0 && !agent',
      'if (false && !agent',
    ],
    [
      'limits: an ALLOW of long ago makes no agent good',
      'return nowMs - agent.allowedAtMs < GOOD_FOR_MS ||',
      'return agent.allowedAtMs > 0 ||',
    ],
    [
      'limits: an answer that does not come is not waited for',
      'return nowMs - sentAtMs < ANSWERED_WITHIN_MS ? count : 0;',
      'return nowMs - sentAtMs < Number.POSITIVE_INFINITY ? count : 0;',
    ],
    ['limits: agents beyond 50,000 are forgotten', 'if (agents.size < MOST_AGENTS) break;', 'break;'],
    ['limits: an agent that is held is not forgotten', 'if (isFull && isOver && ', 'if (isOver && '],
  ]),
  ...inFile('services/gateway/src/refusals/hold-refused.ts', [
    ['limits: each action of a list counts', '(counts.get(agentId) ?? 0) + 1', '1'],
    [
      'limits: an agent that is refused too often is held back',
      'if (held === null) return counts;',
      'if (held !== undefined) return counts;',
    ],
  ]),
  ...inFile('services/gateway/src/commands/pull-kill-switch.ts', [
    ['6 a kill that is repeated after a revive is on the log again', '@${', '@${0 * '],
    ['6 the event of a kill fits the log', 'named.slice(0, TENANTS_IN_EVENT)', 'named'],
  ]),
  ...inFile('services/gateway/src/journal/command-journal.ts', [
    [
      '6 an event that the log refuses holds up no other',
      'if (!isMandateError(error) || !error.retryable) this.#unlogged.delete(id);',
      '',
    ],
  ]),
  ...inFile(OTHERS, [['7 who else stands in the way', "other.said === 'block'", 'true']]),
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
  ...inFile(`${DECIDER}/followed-topics.ts`, [
    ['9 a topic is read for ever', 'consumer.follow([...read, ...topics])', 'consumer.follow(topics)'],
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
    ['alerts: a question without an answer stops being an alarm', '!stands || nowMs < endMs', 'true'],
  ]),
  ...inFile(`${ALERTER}/groups-behind.ts`, [
    ['alerts: tables that were given up are no lag', 'Math.max(nextOffset', 'Math.min(nextOffset'],
    ['alerts: what is done is no lag', 'endOffset - done', 'endOffset'],
    ['alerts: records that no group ever read are late', 'topics: [TOPICS.actions]', 'topics: []'],
  ]),
  ...inFile(`${ALERTER}/rules/windowed-shares.ts`, [
    ['alerts: a threshold is reached exactly', 'return shown >= asked;', 'return shown > asked;'],
    ['alerts: a threshold of a large amount is reached exactly', '* 100n >= BigInt', '* 100n > BigInt'],
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
  ...inFile('services/control/src/routes/answer-preview.ts', [
    [
      'privacy: a preview is about what a gateway publishes',
      'trialHiding(hiding)({ ...asked.action, tenant }, tenant)',
      '{ ...asked.action, tenant }',
    ],
  ]),
  ...inFile('services/gateway/src/persons/list-erasures.ts', [
    ['privacy: erasures are shown to their tenant alone', 'if (erasure?.tenant === tenant)', 'if (erasure)'],
  ]),
  ...inFile('services/gateway/src/persons/follow-erasures.ts', [
    ['privacy: persons erased earlier are known from the start', 'await fold(early);', ''],
    ['privacy: keys are open before they are wanted', 'onEdit(beginLater);', ''],
    [
      'privacy: texts are sealed with the keys in force alone',
      'if (inForce !== id) throw otherKeys(id, inForce);',
      '',
    ],
  ]),
  ...inFile('services/gateway/src/answers/answer-board.ts', [
    ['gateway: the holder of most waits is answered first', '      place.finish();\n', ''],
  ]),
];
