/** Mutations of the SDK. */
import { inFile, type Mutation } from '../mutation.ts';

export const SDK_MUTATIONS: readonly Mutation[] = [
  ...inFile('packages/engine/src/local/local-decider.ts', [
    ['sdk: deciders on one ledger never share a log position', 'randomUUID()}', "'one'}"],
    ["sdk: an outcome is the agent's own report", '`local/', "'mandate.actions.v1' || `local/"],
  ]),
  ...inFile('packages/sdk/src/start-action.ts', [
    [
      'sdk: an asked call asks for kills that it may have missed',
      'if (mayMissKill && (await blocking',
      'if (false && (await blocking',
    ],
    [
      'sdk: a lease counts from the request',
      'return askedAtMs + (reservation',
      'return performance.now() + 0 * askedAtMs + (reservation',
    ],
    [
      'sdk: a decision that arrives late is given back',
      'await giveBack(taken);\n',
      'if (!isLate) await giveBack(taken);\n',
    ],
    [
      'sdk: an error of onDeferred stops no call',
      'void callHandler(onDeferred, question, onError)',
      'void onDeferred(question)',
    ],
    [
      'sdk: the caller of ask gets a copy of the arguments',
      'args: structuredClone(allowed.args)',
      'args: allowed.args',
    ],
    [
      'sdk: an error of the SDK blocks',
      "new MandateBlockedError('INTERNAL_ERROR'",
      "new MandateBlockedError('TOOL_DENIED'",
    ],
    ['sdk: a kill before the start blocks', 'if (kill !== undefined || ', 'if ('],
    [
      'sdk: a kill aborts running calls of its agent',
      'if (stops(kill, agentId, allowed)) stop.abort(killed(kill, allowed));',
      '',
    ],
    ['sdk: a kill of one agent leaves the others alone', 'target === null || target === agentId', 'true'],
    [
      'sdk: a kill of an ancestor and its descendants stops the call',
      'ancestorsIn(decision).includes(target)',
      'false',
    ],
    [
      'sdk: a kill of an ancestor alone leaves its descendants alone',
      "return scope === 'subtree' && decision",
      'return scope !== undefined && decision',
    ],
    ['sdk: the end of the lease aborts', '() => stop.abort(leaseExpired(decision))', '() => {}'],
    ['sdk: a call does not start after its lease', 'leftOfLease(taken) <= 0', 'false'],
    [
      'sdk: a call that was asked before a kill does not start',
      'mayMissKills === true',
      'mayMissKills === false',
    ],
    ['sdk: an aborted call that fails keeps its charge', 'if (isUnknown) return Promise.resolve();', ''],
    ['sdk: only the first outcome counts', 'if (settled !== null) return settled;', ''],
    ['sdk: a call that never runs gives its reservation back', 'await cancel(point, decision, onError);', ''],
    [
      'sdk: a measured cost of an aborted call is charged',
      "outcome.status !== 'success' && !isMeasured",
      "outcome.status !== 'success'",
    ],
    [
      'sdk: a kill ends the wait for a person',
      'if (by.kill !== undefined) return killed(by.kill, refused.decision);',
      '',
    ],
    [
      'sdk: a validator cannot change the arguments of the caller',
      'validateArguments(copyOf(call.args, named),',
      'validateArguments(call.args,',
    ],
  ]),
  ...inFile('packages/sdk/src/memo.ts', [
    [
      'sdk: the results of calls are bounded',
      'keepRecent(this.#results, key, { content, result }, MOST_RESULTS);',
      'this.#results.set(key, { content, result });',
    ],
    [
      'sdk: a second ask gets the first answer',
      'found !== undefined && performance.now() < found.untilMs ? found : null',
      'null',
    ],
    [
      'sdk: a request with other content gets no answer of the memo',
      'known?.content === content) {',
      'known !== null) {',
    ],
    [
      'sdk: a call with other content gets no result of the memo',
      'known.content === content ? known.result : run()',
      'known.result',
    ],
    ['sdk: calls with one call id have different action ids', 'return at > 0 ?', 'return at > 9 ?'],
    ['sdk: a call starts once', 'if (isSecond) throw startedBefore(allowed.decision);', ''],
    [
      'sdk: two starts at one time start a call once',
      'entry.isClaimed = true;\n    const allowed = await entry.answer;',
      'const allowed = await entry.answer;\n    entry.isClaimed = true;',
    ],
    [
      'sdk: an answer holds no longer than its lease',
      'entry.untilMs = askedAtMs + (decision.reservation?.leaseMs ?? 0);',
      '{}',
    ],
    [
      'sdk: a duplicate is decided again',
      "decision.verdict !== 'BLOCK' || decision.code === 'DUPLICATE_ACTION'",
      "decision.verdict !== 'BLOCK'",
    ],
    [
      'sdk: a temporary refusal is decided again',
      'decision.final ? Number.POSITIVE_INFINITY : (decision.retryAfterMs ?? 0)',
      'Number.POSITIVE_INFINITY',
    ],
    ['sdk: a failed call can be started again', 'if (!isDone) this.#forget(callKey.key, entry);', ''],
    [
      'sdk: a kill gives back the reservations of calls that have not started',
      'cancelled.push(entry.answer.then(({ decision }) => this.#cancel(decision)));',
      '',
    ],
    [
      'sdk: a decision from before a kill is not used after the kill',
      'this.#forget(key, entry);\n      cancelled.push(',
      'cancelled.push(',
    ],
  ]),
  ...inFile('packages/sdk/src/keep-recent.ts', [
    ['sdk: a memo forgets the oldest calls', 'if (map.size <= most) return;', 'return;'],
  ]),
  ...inFile('packages/sdk/src/call-key.ts', [
    [
      'sdk: a call id with other arguments is another call',
      'const called = digestOf(call);',
      "const called = '';",
    ],
    [
      'sdk: a known call with another context is refused',
      'const content = digestOf(statedFields(options));',
      "const content = '';",
    ],
    [
      'sdk: a call id of another run is another call',
      'JSON.stringify([agentId, run, callId, actionId, idempotencyKey])',
      'JSON.stringify([agentId, callId, actionId, idempotencyKey])',
    ],
    ['sdk: no two runs and call ids have one action id', '/^[!-9;-~]+$/', '/^[!-~]+$/'],
  ]),
  ...inFile('packages/sdk/src/digest-arguments.ts', [
    [
      'sdk: a text that is too large has a digest',
      'const texts = digested(args, CALL_CAPS.stringUnits);',
      'const texts = args;',
    ],
    ['sdk: a digest covers the whole text', 'sha256Hex(text)', 'sha256Hex(text.slice(0, PREFIX_UNITS))'],
    [
      'sdk: a list that is too large has a digest',
      'json.length > SHORTEST ? digestOf(type, json) : args[name]',
      'args[name]',
    ],
    ['sdk: a digest never splits a character', '.toWellFormed()', ''],
  ]),
  ...inFile('packages/sdk/src/kill.ts', [
    [
      'sdk: a kill aborts running calls even if the ledger fails',
      'for (const listener of [...this.#listeners]) listener({ agentId, reason, target });\n    await done;',
      'await done;\n    for (const listener of [...this.#listeners]) listener({ agentId, reason, target });',
    ],
  ]),
  ...inFile('packages/sdk/src/kills-of-subtrees.ts', [
    ['sdk: a revived agent may still be stopped', 'return !(await isKilled(agentId));', 'return true;'],
    [
      'sdk: a kill aborts the running calls of sub-agents',
      'listener({ ...kill, agentId });',
      'listener(kill);',
    ],
  ]),
  ...inFile('packages/sdk/src/verify-result.ts', [
    ['sdk: a check passes only with true', 'ok === true ? { ok }', 'ok ? { ok: true }'],
    ['sdk: an abort ends a check without a verdict', 'if (aborted.aborted) return { ok: null };', ''],
    ['sdk: a check has a time limit', '() => late.abort(', '() => String('],
  ]),
  ...inFile('packages/sdk/src/custom-charge.ts', [
    ['sdk: an async charge that rejects ends no process', '  ignoreRejection(micros);\n', ''],
    [
      'sdk: a charge that fails gives nothing back',
      '          : null;',
      '          : { status: outcome.status };',
    ],
    [
      'sdk: a charge that fails after a failed verification gives nothing back',
      "outcome.status === 'success' && outcome.verification?.ok !== false",
      "outcome.status === 'success'",
    ],
    [
      'sdk: a charge that fails does not hide a verification',
      "{ status: 'success', ...(outcome.verification && { verification: outcome.verification }) }",
      "{ status: 'success' }",
    ],
    [
      'sdk: a cancelled call is charged nothing, even if the charge fails',
      "outcome.status === 'cancelled' || ",
      '',
    ],
    ['sdk: a charge is a whole amount', 'Number.isSafeInteger(micros) && (micros as number) >= 0', 'true'],
  ]),
  ...inFile('packages/sdk/src/adapters/outcome-of-delivery.ts', [
    [
      'sdk: a whole answer without usage keeps the reservation charged',
      "usage === null ? { status: 'success' } :",
      "usage === null ? { status: 'failure' } :",
    ],
    [
      'sdk: an answer that ended early costs what was delivered',
      'Math.max(started?.outputTokens ?? 0, tokensOfBytes(deliveredBytes))',
      '(started?.outputTokens ?? 0)',
    ],
  ]),
  ...inFile('packages/runtime/src/is-unsent.ts', [
    [
      'sdk: a lost connection may have reached the provider',
      "  'ECONNREFUSED',",
      "  'ECONNREFUSED',\n  'ECONNRESET',",
    ],
  ]),
  ...inFile('packages/sdk/src/run-tool.ts', [
    ['sdk: an async cost that rejects ends no process', '    ignoreRejection(cost);\n', ''],
    ['sdk: the tool gets the decided arguments', 'fn(decided as never', 'fn(args as never'],
    [
      'sdk: a result changes no charge',
      "typeof stated === 'function' ? stated(result) : stated",
      '(result as { actualCostMicros?: number }).actualCostMicros',
    ],
    ['sdk: a failed tool settles as a failure', "await settle({ status: 'failure' });", ''],
    [
      'sdk: a refused result never reaches the caller',
      'if (verified.ok === false) throw verified.error;',
      '',
    ],
    ['sdk: an actual cost is an amount', 'Number.isSafeInteger(cost) && cost >= 0', 'true'],
  ]),
  ...inFile('packages/sdk/src/memory/govern-memory.ts', [
    ['sdk: a search returns at most the allowed results', 'results.slice(0, most)', 'results'],
    [
      'sdk: a client that cannot make a category is refused',
      "if (duties.creates.length > 0 && client.createCategory === undefined) throw new UnknownForm('creates');",
      '',
    ],
    ['sdk: a length replaces the content', "content === 'text' ? ", 'true ? '],
    [
      'sdk: a memory gets the expiry that was decided',
      'expiresAt === undefined ? timeOf(asked) :',
      'true ? timeOf(asked) :',
    ],
  ]),
  ...inFile('packages/sdk/src/turn/readable-stores.ts', [
    [
      'sdk: a read carries the filter of the decision',
      'filter: filterIn(obligations, action) ?? wanted',
      'filter: null',
    ],
    [
      'sdk: a filter in another form blocks',
      'if (!isKnown || principal === undefined)',
      'if (principal === undefined)',
    ],
  ]),
  ...inFile('packages/sdk/src/start-action.ts', [
    ['sdk: a default replaces no argument', '{ ...defaults, ...args }', '{ ...args, ...defaults }'],
  ]),
  ...inFile('packages/sdk/src/turn/redact.ts', [
    [
      'sdk: redactions count characters',
      'const characters = [...text];',
      "const characters = text.split('');",
    ],
  ]),
  ...inFile('packages/sdk/src/authorize.ts', [
    ['sdk: an obligation that nobody carries out blocks', '!carriesOut.includes(name) ||', ''],
    ['sdk: an unknown obligation blocks', 'if (unknown === undefined) return answer;', 'return answer;'],
    ['sdk: a deferred call does not run', "if (verdict === 'DEFER')", "if (code === 'ALLOWED')"],
    ['sdk: a key with other arguments is no retry', 'first?.samePayload === true', 'first !== null'],
    ['sdk: a failed call can be retried', 'if (!mayAskNext) return answer;', 'return answer;'],
    ['sdk: a blocked call does not run', "if (verdict === 'BLOCK')", "if (code === 'ALLOWED')"],
    [
      'sdk: an unknown obligation gives the reservation back',
      "await point.settle({ actionId, attempt, agentId, status: 'cancelled' }, decision.type);",
      '',
    ],
  ]),
  ...inFile('packages/sdk/src/kafka/log-point.ts', [
    ['sdk: a reader of the log that ended is opened again', 'void reopen();', ''],
  ]),
  ...inFile('packages/sdk/src/policy.ts', [
    ['sdk: a mandate is a plain object', 'if (!isPlainObject(document)) {', 'if (false) {'],
    ['sdk: all stated mandates apply', '[...stated, mandate]', '[mandate]'],
    [
      'sdk: the mandate of the instance applies beside stated ones',
      '? stated : [found.mandate, ...stated]',
      '? stated : stated',
    ],
    [
      'sdk: a sub-agent may do no more than its parent',
      'composeWithAncestors(found.mandate, held)',
      'found.mandate',
    ],
    [
      'sdk: a sub-agent may do no more than all its ancestors',
      'next = this.#parents.get(next);',
      'next = undefined;',
    ],
    [
      'sdk: a sub-agent follows a further mandate of its parent',
      'known?.parts.every((part, at) => part === parts[at]) === true',
      'known !== undefined',
    ],
    [
      'sdk: the parent of a sub-agent never changes',
      'if (known === parentId) return;',
      'if (known !== undefined) return;',
    ],
    ['sdk: no agent is its own ancestor', ': ancestors.includes(agentId)', ': agentId === null'],
    [
      'sdk: a mandate for one agent names no other agents',
      'agentId !== null && compiled.compiled.agents(agentId) === null',
      'agentId === null && compiled.compiled === undefined',
    ],
  ]),
  ...inFile('packages/sdk/src/create-action.ts', [
    ['sdk: the tool gets whole arguments', 'args: large ?? (', 'args: ('],
    ['sdk: a key makes the same id each time', ': idOfKey(idempotencyKey)', ': randomUUID()'],
  ]),
  ...inFile('packages/sdk/src/mandate.ts', [
    [
      'sdk: a listener that kills is not called again for the same kill',
      'if (handling.has(target)) return;',
      '',
    ],
    ['sdk: a listener hears a later kill of the same target', '.finally(() => handling.delete(target))', ''],
    [
      'sdk: a closed instance changes nothing',
      'if (this.#shared.isClosed) throw instanceClosed();\n    return',
      'return',
    ],
  ]),
  ...inFile('packages/sdk/src/bounded-wait.ts', [
    [
      'sdk: a wait that ended listens to its signal no longer',
      '  } finally {\n    finished();',
      '  } finally {\n',
    ],
    ['sdk: work that has finished is not aborted', 'work(finished)', 'work(() => {})'],
    ['sdk: no work starts after an abort', '  signal.throwIfAborted();\n', ''],
    ['sdk: a wait that ended leaves no timer', '    clearTimeout(timer);\n', ''],
    ['sdk: a wait has a time limit', 'Promise.race([work, over.promise])', 'work'],
  ]),
  ...inFile('packages/sdk/src/kafka/logged-kills.ts', [
    [
      'sdk: the reported kills of the log are bounded',
      'keepRecent(this.#reported, name, revision, MOST_REMEMBERED);',
      'this.#reported.set(name, revision);',
    ],
    [
      'sdk: a kill of the log is reported once',
      'if (revision <= (this.#reported.get(name) ?? 0)) return;',
      '',
    ],
  ]),
  ...inFile('packages/sdk/src/kafka/follow-decisions.ts', [
    [
      'sdk: the remembered ancestors are bounded',
      'keepRecent(this.#ancestors, agentId, ancestors, MOST_AGENTS);',
      'this.#ancestors.set(agentId, ancestors);',
    ],
  ]),
  ...inFile('packages/sdk/src/plane/plane-kills.ts', [
    [
      'sdk: the remembered kills of a plane are bounded',
      'keepRecent(this.#known, key, revision, MOST_REMEMBERED);',
      'this.#known.set(key, revision);',
    ],
    [
      'sdk: a kill of a plane is reported once',
      'if (revision <= (this.#known.get(key) ?? 0)) return false;',
      '',
    ],
  ]),
  ...inFile('packages/sdk/src/plane/plane-point.ts', [
    [
      'sdk: a digest hides no refused key from a plane',
      'if (key !== undefined)\n    return {',
      'if (false)\n    return {',
    ],
    ['sdk: outcomes wait for a key that the plane accepts', '[400, 403, 409', '[400, 401, 403, 409'],
    [
      'sdk: a server that is no plane loses no outcome',
      'if (problem === null || ![400',
      'if (problem === null) return { kind: "lost", why: "" };\n    if (![400',
    ],
    [
      'sdk: a plane refuses single outcomes of a batch',
      'OF_ONE_RECORD.has(problem.code) || sent.status === 413',
      'sent.status === 413',
    ],
  ]),
  ...inFile('packages/sdk/src/distributed/distributed-kills.ts', [
    [
      'sdk: the reported kills of a Redis are bounded',
      'keepRecent(this.#reported, name, revision, MOST_REMEMBERED);',
      'this.#reported.set(name, revision);',
    ],
    ['sdk: a kill in Redis is reported once', '      if (reported >= revision) return;\n', ''],
    [
      'sdk: a kill that was revived is reported',
      'if (!killed) this.#tell(noticed, revision, KILLED_ELSEWHERE);',
      '',
    ],
    [
      'sdk: a kill whose flag cannot be read is reported',
      'if (noticed !== null) this.#tell(noticed, UNKNOWN_REVISION, KILLED_ELSEWHERE);',
      '',
    ],
    ['sdk: flags are read after an interruption', 'if (!isFirst) void this.#readUntilRead(ledger);', ''],
  ]),
  ...inFile('packages/engine/src/answer-alone.ts', [
    ['sdk: a repeated delivery gives the first answer', 'answered ??= await', 'answered = await'],
  ]),
  ...inFile('packages/sdk/src/outcome-queue.ts', [
    [
      'sdk: the queue of outcomes is bounded',
      'const isFull = this.#waiting.length >= MOST_WAITING;',
      'const isFull = false as boolean;',
    ],
    ['sdk: a closed queue keeps no outcome', 'isFull || this.#receiver.closed.aborted', 'isFull'],
    ['sdk: a refused batch is sent again', "if (receipt.kind === 'later') return receipt;", ''],
    [
      'sdk: one refused outcome loses no other outcome',
      "if (receipt.kind === 'smaller' && batch.length > 1)",
      'if (false)',
    ],
    [
      'sdk: a delay of outcomes is reported once',
      'if (backoff.isFirst) this.#onError(delayed',
      'this.#onError(delayed',
    ],
    ['sdk: a lost outcome is counted and reported', 'else this.#lose(reports, receipt.why);', ''],
    [
      'sdk: a call waits for the outcomes of its agent',
      'await this.#untilDone(this.#lastOf.get(agentId), timeoutMs);',
      '',
    ],
  ]),
  ...inFile('packages/sdk/src/modes.ts', [
    ['sdk: an unknown option is refused', 'if (!Object.hasOwn(OPTIONS, name))', 'if (false)'],
    [
      'sdk: an option without effect is refused',
      'if (mode !== null && value !== undefined && options.mode === undefined)',
      'if (false)',
    ],
    ['sdk: a time limit is a number', 'if (!(deferTimeoutMs >= 0))', 'if (deferTimeoutMs < 0)'],
  ]),
  ...inFile('packages/sdk/src/wrapper.ts', [
    ['sdk: an unknown option of a tool is refused', 'if (other !== undefined) {', 'if (false) {'],
  ]),
  ...inFile('packages/sdk/src/engine-point.ts', [
    ['sdk: large arguments are read as strictly as small ones', 'if (hidden !== null)', 'if (false)'],
    [
      'sdk: a repeated decision is the same delivery',
      'if (delivery?.by !== by) delivery = { by, again: deliver(by) };',
      'delivery = { by, again: deliver(by) };',
    ],
    [
      'sdk: a state that was opened again gets a new delivery',
      'if (delivery?.by !== by)',
      'if (delivery === null)',
    ],
    ['sdk: an outcome that is settled again is the same delivery', 'settling.get(outcome) ??', ''],
  ]),
  ...inFile('packages/sdk/src/wrap-function.ts', [
    ['sdk: the arguments of a function are no promise', 'if (!isPlainObject(decided))', 'if (false)'],
  ]),
  ...inFile('packages/sdk/src/errors.ts', [
    [
      'sdk: a blocked call is retryable if its cause is',
      '? cause instanceof MandateError && cause.retryable',
      '? false',
    ],
  ]),
  ...inFile('packages/sdk/src/audit.ts', [
    [
      'sdk: an audit is a list of outputs',
      'if (!Array.isArray(outputs) || !outputs.every(isTarget))',
      'if (false)',
    ],
  ]),
];
