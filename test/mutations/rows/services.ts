/** Mutations of the services. */
import { inFile, type Mutation } from '../mutation.ts';

const EXPLAIN = 'services/query/src/explain/';
const OTHERS = `${EXPLAIN}other-policies-in-words.ts`;

export const SERVICE_MUTATIONS: readonly Mutation[] = [
  ...inFile('packages/engine/src/answer-batch.ts', [
    [
      '2 a request may state its own deadline',
      'action.deadlineMs ?? DEFAULTS.deadlineMs',
      'DEFAULTS.deadlineMs',
    ],
    [
      '3 no deadline is longer than the replay memory',
      'Math.min(action.deadlineMs ?? DEFAULTS.deadlineMs, replayMemoryMs - 1)',
      '(action.deadlineMs ?? DEFAULTS.deadlineMs)',
    ],
    ['3 a deadline ends before its action is forgotten', 'replayMemoryMs - 1', 'replayMemoryMs'],
    [
      '1 plans are made for the clock of the ledger',
      'planForMs: result.atMs }',
      'planForMs: context.clock() }',
    ],
    [
      '8 an action that cannot be redacted is not published',
      'if (redactionError !== null) return internalError(null, redactionError);',
      '',
    ],
    ['3 a missing attempt counts as 1', 'attempt: action.attempt ?? 1', 'attempt: action.attempt ?? 2'],
    [
      '8 expensive records leave other records their turn',
      'if (turns.isOver()) await turns.next(lane);\n    const read',
      'const read',
    ],
  ]),
  ...inFile('packages/engine/src/read-incoming.ts', [
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
      "4 a report on a tenant's topic may not name its reporter",
      'owner !== null && reportedBy !== undefined',
      'false',
    ],
  ]),
  ...inFile('services/decider/src/app.ts', [
    [
      '3 publish before confirm and commit',
      '  await ledger.confirm(epoch, operations);\n  const last = batch.records.at(-1);\n  if (last !== undefined) await batch.commit(nextOffset(last));\n',
      '  const last = batch.records.at(-1);\n  if (last !== undefined) await batch.commit(nextOffset(last));\n  await ledger.confirm(epoch, operations);\n',
    ],
    [
      '9 a partition waits while the log is away',
      'if (!isMandateError(error) || !isWaitedFor(error, batch)) throw error;',
      'throw error;',
    ],
    [
      '6 a recreated topic does not end a decider',
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
    ['9 the recorder marks an overtaken epoch as void', 'void: after === inForce }', 'void: false }'],
  ]),
  ...inFile('services/recorder/src/epoch-in-force.ts', [
    [
      '9 only the decisions topic begins an epoch',
      'if (topic === TOPICS.decisions) remembered',
      'remembered',
    ],
  ]),
  ...inFile('services/recorder/src/control-changes.ts', [
    [
      '7 the result of a change follows from all records before it',
      'taken?.next === offset',
      'taken !== null',
    ],
    [
      '7 a record of another partition is no change',
      'if (records[0]?.position.partition !== PARTITION) return [];',
      '',
    ],
  ]),
  ...inFile('services/gateway/src/answers/follow-decisions.ts', [
    [
      '9 the gateway hands over no void decision',
      "record.event === 'action.decided' && holdsIn(inForce, record.decision.ledgerEpoch)",
      "record.event === 'action.decided'",
    ],
    [
      '9 the gateway knows the generation in force at its start',
      'generation: ledger.generation };',
      'generation: 0 };',
    ],
  ]),
  ...inFile('packages/ledger-log/src/restore-ledger.ts', [
    [
      '9 a start takes a generation above those on the log',
      'Math.max(clock(), highestGeneration(fold) + 1)',
      'Math.max(clock(), highestGeneration(fold))',
    ],
  ]),
  ...inFile('packages/ledger-log/src/rebuild-ledger.ts', [
    [
      '9 no rebuild ends with a generation below those on the log',
      '  mustHold(epoch, fold, lost);\n  warnOfReplayMemory',
      '  warnOfReplayMemory',
    ],
    [
      '9 the next try takes a generation above those on the log',
      '  lost.highestOnLog = highestGeneration(fold);\n',
      '',
    ],
    ['9 a decider may take over the lease of its own last try', '  lost.epoch = epoch;\n', ''],
    [
      '9 a decider that was overtaken sees its own epoch on the log',
      '    mustHold(options.ledger.epoch, fold, lost);\n',
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
      '6 another kill of a killed target is counted',
      "spend(request, 'this kill would",
      "void ('this kill would",
    ],
    ['6 a kill of an unknown agent is refused', '!(await hasOpen(gateway, target))', 'false'],
    ['6 a kill of a known agent is not counted', '!isKnown(gateway, target) && ', ''],
    [
      '6 a kill of an agent with a recent decision is not counted',
      ' || refused.wasDecided(tenant, agentId)',
      '',
    ],
    [
      '6 a kill is not refused if the ledger cannot answer',
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
      'logged.offset <= offset',
      'logged.offset === offset',
    ],
    [
      'gateway: a record decided before its position is known holds no room',
      'if (logged.offset <= this.#lastDecided(partition)) this.#free(holder, 1);\n    else if',
      'if',
    ],
    [
      'gateway: a request waits for room for a bounded time',
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
    ['quotas: refusals of an agent count', 'agent.bucket.takeWhatThereIs(1, quotas.agent, nowMs);', ''],
    ['quotas: refusals of a tenant count', 'counted.bucket.takeWhatThereIs(1, quotas.tenant, nowMs);', ''],
    [
      'quotas: actions under way of an agent in a loop count as refused',
      'isFlooding ? count + underWay(agent, nowMs) : 1',
      'isFlooding ? count : 1',
    ],
    [
      'quotas: one refusal makes no list of actions count as refused',
      'isFlooding ? count + underWay(agent, nowMs) : 1',
      'count + underWay(agent, nowMs)',
    ],
    ['quotas: an ALLOW ends a loop', 'agent.refusedInARow = 0;', ''],
    [
      'quotas: a flood of made-up agents holds back no good agent',
      'if (this.#isGood(agent, tenant, agentId, nowMs)) return null;',
      '',
    ],
    [
      'quotas: an agent that was refused lately is not good',
      'if (agent.refusedInARow > 0 && !agent',
      'if (false && !agent',
    ],
    [
      'quotas: an old ALLOW does not make an agent good',
      'return nowMs - agent.allowedAtMs < GOOD_FOR_MS ||',
      'return agent.allowedAtMs > 0 ||',
    ],
    [
      'quotas: the wait for a missing answer is bounded',
      'return nowMs - sentAtMs < ANSWERED_WITHIN_MS ? count : 0;',
      'return nowMs - sentAtMs < Number.POSITIVE_INFINITY ? count : 0;',
    ],
    ['quotas: agents beyond 50,000 are forgotten', 'if (agents.size < MOST_AGENTS) break;', 'break;'],
    ['quotas: an agent that has to wait is not forgotten', 'if (isFull && isOver && ', 'if (isOver && '],
  ]),
  ...inFile('services/gateway/src/refusals/hold-refused.ts', [
    ['quotas: each action of a list counts', '(counts.get(agentId) ?? 0) + 1', '1'],
    [
      'quotas: an agent that is refused too often has to wait',
      'if (held === null) return counts;',
      'if (held !== undefined) return counts;',
    ],
  ]),
  ...inFile('services/gateway/src/commands/pull-kill-switch.ts', [
    ['6 a kill after a revive is on the log again', '@${', '@${0 * '],
    ['6 the event of a kill fits the log', 'named.slice(0, TENANTS_IN_EVENT)', 'named'],
  ]),
  ...inFile('services/gateway/src/journal/command-journal.ts', [
    [
      '6 an event that the log refuses does not delay others',
      'if (!isMandateError(error) || !error.retryable) this.#unlogged.delete(id);',
      '',
    ],
  ]),
  ...inFile(OTHERS, [
    ['7 an explanation names the other limits that block', "other.result === 'block'", 'true'],
  ]),
  ...inFile('packages/engine/src/read-incoming.ts', [
    [
      "8 every value on a tenant's topic is a claim",
      'owner === null ? (pinned ?? null) : null',
      'pinned ?? null',
    ],
  ]),
  ...inFile('services/gateway/src/publish/pin-claims.ts', [
    [
      '8 an action may not contradict the pins of its key',
      '  if (isDeepStrictEqual(said, fixed)) return;\n',
      '  return;\n',
    ],
  ]),
  ...inFile('services/decider/src/followed-topics.ts', [
    ['9 a topic is read for good', 'consumer.follow([...read, ...topics])', 'consumer.follow(topics)'],
  ]),
  ...inFile('packages/engine/src/read-incoming.ts', [
    [
      '8 a bad batch is a dead letter',
      'if (incoming.unreadable !== undefined) return',
      'if (incoming.key === "?" && incoming.unreadable) return',
    ],
  ]),
  ...inFile('services/decider/src/app.ts', [
    ['9 a partition that halts is counted', 'measure.halts.inc({ code: err.code });', ''],
  ]),
  ...inFile('services/alerter/src/rules/alarms.ts', [
    ['alerts: an older record changes nothing', 'holds ? order <= newest : order < newest', 'order < 0'],
    ['alerts: the next alarm of a subject has another id', '(known?.episode ?? 0) + 1', '1'],
    ['alerts: a cleared alarm is known', 'episode === known.episode && known.stands && !stands', 'false'],
  ]),
  ...inFile('services/alerter/src/rules/approval-rule.ts', [
    ['alerts: a question without an answer stops being an alarm', '!stands || nowMs < endMs', 'true'],
  ]),
  ...inFile('services/alerter/src/groups-behind.ts', [
    ['alerts: abandoned tables are no lag', 'Math.max(nextOffset', 'Math.min(nextOffset'],
    ['alerts: processed records are no lag', 'endOffset - done', 'endOffset'],
    ['alerts: records that no group ever read are late', 'topics: [TOPICS.actions]', 'topics: []'],
  ]),
  ...inFile('services/alerter/src/rules/windowed-shares.ts', [
    ['alerts: a threshold is reached exactly', 'return shown >= asked;', 'return shown > asked;'],
    ['alerts: a threshold of a large amount is reached exactly', '* 100n >= BigInt', '* 100n > BigInt'],
  ]),
  ...inFile('services/alerter/src/rules/release-rate-rule.ts', [
    [
      'alerts: a give-back that was refused counts',
      "if (marks.includes('RELEASE_REFUSED')) return { whole, part: whole };",
      '',
    ],
    [
      'alerts: the unused reservation of a success is no give-back',
      'succeeded ? 0 : Math.max(0, -deltaMicros)',
      'Math.max(0, -deltaMicros)',
    ],
  ]),
  ...inFile('services/alerter/src/rules/budget-rule.ts', [
    ['alerts: the charge of a decision counts', 'sumMicros(held, charged)', 'held'],
    ['alerts: a budget near its threshold is reported once', 'percent - rearmPoints', 'percent'],
  ]),
  ...inFile('services/alerter/src/rules/policy-event-rule.ts', [
    ['alerts: only events that the rule file names raise one', 'events.includes(event)', 'true'],
  ]),
  ...inFile('services/alerter/src/rules/addressees.ts', [
    ['alerts: a webhook gets only the events that it names', 'events.has(facts.event ?? null)', 'true'],
    ['alerts: a tenant gets only its own alerts', "tenant === '*' || concerns(alert, tenant)", 'true'],
  ]),
  ...inFile('services/alerter/src/evaluator.ts', [
    ['alerts: old records raise no alerts', 'logged.offset < (begun.get(logged.partition) ?? 0)', 'false'],
    ['alerts: void decisions raise no alerts', '!holdsIn(inForce, record.decision.ledgerEpoch)', 'false'],
    ['alerts: a repeat is not counted twice', 'nextOffsets.set(partition, offset + 1);', ''],
  ]),
  ...inFile('services/alerter/src/deliver/webhook-queue.ts', [
    ['alerts: a flood of one tenant takes no place of another', 'other.size > most.size', 'false'],
    [
      'alerts: tenants take turns',
      '      this.#tenants.delete(tenant);\n      this.#tenants.set(tenant, own);\n',
      '',
    ],
  ]),
  ...inFile('services/alerter/src/deliver/signature.ts', [
    ['alerts: webhooks are signed by the standard', "createHmac('sha256', key)", "createHmac('sha512', key)"],
  ]),
  ...inFile(`${EXPLAIN}ways-past.ts`, [
    ['explain: the named budget suffices', 'spentMicros + costMicros;', 'spentMicros + costMicros - 1;'],
    [
      'explain: a smaller budget does not suffice',
      'spentMicros + costMicros;',
      'spentMicros + costMicros + 1;',
    ],
    [
      '7 a window gives back no more than it holds',
      'windowMs === null || missingMicros <= spentMicros',
      'true',
    ],
    [
      '7 a budget without a window may get a credit',
      'windowMs === null || missingMicros <= spentMicros',
      'missingMicros <= spentMicros',
    ],
    [
      'explain: the remaining amount is the highest cost of a call',
      'cheaper(maxMicros - spentMicros)',
      'cheaper(maxMicros)',
    ],
    ['explain: the named wait suffices', 'decidedAt) + retryAfterMs)', 'decidedAt) + retryAfterMs - 1)'],
    [
      'explain: a shorter wait does not suffice',
      'decidedAt) + retryAfterMs)',
      'decidedAt) + retryAfterMs + 1)',
    ],
    ['explain: the named number of calls suffices', 'atLeastCalls: calls + 1', 'atLeastCalls: calls'],
    [
      'explain: the named deadline suffices',
      "way: 'longer-deadline', words, atLeastMs",
      "way: 'longer-deadline', words, atLeastMs: atLeastMs - 1",
    ],
  ]),
  ...inFile(`${EXPLAIN}what-would-change.ts`, [
    [
      'explain: it says how to ask again',
      "final ? 'new-id' : 'next-attempt'",
      "final ? 'next-attempt' : 'new-id'",
    ],
    ['explain: skipped checks are reported', "result === 'skip'", 'result === undefined'],
  ]),
  ...inFile(`${EXPLAIN}what-would-have-blocked.ts`, [
    ['explain: a nearly reached limit is reported', 'used * 100 >= most * NEAR_MISS_AT', 'used > most'],
  ]),
  ...inFile('services/control/src/routes/answer-preview.ts', [
    [
      'privacy: a preview reads the action as a gateway publishes it',
      'trialRedactor(redaction)({ ...asked.action, tenant }, tenant)',
      '{ ...asked.action, tenant }',
    ],
  ]),
  ...inFile('services/gateway/src/persons/list-erasures.ts', [
    ['privacy: erasures are visible only to their tenant', 'if (erasure?.tenant === tenant)', 'if (erasure)'],
  ]),
  ...inFile('services/gateway/src/persons/follow-erasures.ts', [
    ['privacy: persons erased earlier are known from the start', 'await fold(early);', ''],
    ['privacy: keys are open before they are needed', 'onEdit(beginLater);', ''],
    [
      'privacy: texts are sealed only with the keys in force',
      'if (inForce !== id) throw otherKeys(id, inForce);',
      '',
    ],
  ]),
  ...inFile('services/gateway/src/answers/pending-replies.ts', [
    ['gateway: the holder of most waits is answered first', '      waiter.finish();\n', ''],
  ]),
  ...inFile('services/console/src/oidc/finish-sign-in.ts', [
    [
      'sign-in: only the browser that began a sign-in can finish it',
      "callback.searchParams.get('state') !== pending.state",
      'false',
    ],
    [
      'sign-in: an old proof does not count as a new one',
      'provenMs < pending.beganMs - SKEW_MS',
      'provenMs < 0',
    ],
    ['sign-in: a person who loses every role loses the key', 'await keys.revoke(person);', ''],
  ]),
  ...inFile('services/console/src/oidc/identity-provider.ts', [
    [
      'sign-in: the signature of an ID token is checked',
      '      client.enableNonRepudiationChecks(config);\n',
      '',
    ],
  ]),
  ...inFile('services/console/src/oidc/own-path.ts', [
    ['sign-in: a sign-in leads to no other server', 'OWN_PATH.test(path)', "path.startsWith('/')"],
  ]),
  ...inFile('services/console/src/routes/session.ts', [
    [
      'sign-in: a session makes no fresh session',
      'if (request.browserSession !== null) throw keyNotShown();',
      '',
    ],
  ]),
];
