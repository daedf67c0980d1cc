/** Mutations of schemas, log, audit, privacy, runtime and commands. */
import { inFile, type Mutation } from '../mutation.ts';

export const PACKAGE_MUTATIONS: readonly Mutation[] = [
  ...inFile('schemas/src/moment.ts', [
    ['8 February 30th is an error', 'Number(day) > days', 'Number(day) > 31'],
    [
      '8 every fourth year but three of four hundred is a leap year',
      '2_000 + (Number(year) % 400)',
      '2_000 + (Number(year) % 4)',
    ],
    ['8 the time 24:00 is an error', 'Number(hour) > 23', 'Number(hour) > 24'],
    ['8 a time needs an offset', 'if (offset === undefined)', 'if (offset === null)'],
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
  ...inFile('schemas/src/money.ts', [['2 dollars have at most six decimals', '(\\d{1,6})', '(\\d{1,7})']]),
  ...inFile('schemas/src/money-shapes.ts', [
    ['2 amounts on the wire are not negative', 'micros = z.int().min(0)', 'micros = z.int()'],
  ]),
  ...inFile('schemas/src/defaults.ts', [
    ['2 the deadline is 30 s', 'deadlineMs: 30_000', 'deadlineMs: 30_001'],
    ['2 the replay memory is 24 h', 'replayMemoryMs: 24 *', 'replayMemoryMs: 25 *'],
    ['2 the lease is 5 min', 'leaseMs: 5 * 60_000', 'leaseMs: 6 * 60_000'],
    ['5 the number of calls of a rate is capped', 'rateCalls: 100_000', 'rateCalls: 1_000_000'],
  ]),
  ...inFile('schemas/src/epoch-in-force.ts', [
    [
      '2 the replay memory never gets shorter',
      'return Math.max(known, replayMemoryMs ?? 0);',
      'return replayMemoryMs ?? known;',
    ],
    [
      '9 a ledger that was overtaken begins no epoch',
      'generation <= highest ? inForce',
      'generation < 0 ? inForce',
    ],
    ['9 a generation begins one epoch only', 'generation <= highest', 'generation < highest'],
    [
      '9 an older program begins its epoch in the order of the log',
      'return { id, generation: highest };',
      'return inForce ?? { id, generation: highest };',
    ],
    [
      '9 an older program does not change the used generations',
      'return { id, generation: highest };',
      'return { id, generation: 0 };',
    ],
    ['9 decisions of another epoch are void', 'inForce.id === madeIn', 'inForce.id !== null'],
  ]),
  ...inFile('schemas/src/name-fault.ts', [
    [
      '8 a name contains no invisible character',
      'if (isNameCharacter(character.codePointAt(0) as number)) continue;',
      'continue;',
    ],
    ['8 a name has one form', 'return text === composed ? null', 'return text !== null ? null'],
  ]),
  ...inFile('schemas/src/decode-text.ts', [
    [
      '8 bytes that are not UTF-8 are refused',
      "new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })",
      "new TextDecoder('utf-8', { ignoreBOM: true })",
    ],
    ['8 UTF-16 without a mark is refused', 'if (wide !== null)', 'if (wide !== null && bytes[0] === 0xff)'],
  ]),
  ...inFile('schemas/src/pattern.ts', [
    [
      '8 a pattern that can match no name is an error',
      'return fault === null ? null',
      'return fault !== null ? null',
    ],
  ]),
  ...inFile('packages/audit/src/rows/control-change.ts', [
    ['7 no hash of a key is in the audit', 'key: { hash: _, ...key } }', 'key }'],
  ]),
  ...inFile('packages/runtime/src/followed-document.ts', [
    [
      '9 a bad edit keeps the last good mandates',
      '      if (read.ok) onGood(read, false);\n',
      '      if (read.ok || true) onGood({ mandates: [], ...read } as Good, false);\n',
    ],
  ]),
  ...inFile('schemas/src/read-approval-id.ts', [
    ['3 an approval has only one id', 'return approvalId(named) === text ? named : null;', 'return named;'],
  ]),
  ...inFile('packages/audit/src/queries/summed-micros.ts', [
    [
      '4 a sum beyond the safe integers is reported as the largest',
      '.transform((sum) => sumMicros(sum))',
      '',
    ],
  ]),
  ...inFile('packages/reconcile/src/laws/terms.ts', [
    ['4 reconcile: a success costs at least its price', 'chargedMicros < leastMicros', 'false'],
    ['4 reconcile: earlier give-backs of own reports count', 'before + backMicros >', 'backMicros >'],
  ]),
  ...inFile('schemas/src/outcome-result.ts', [
    ['4 a failed verification is a failure', ' && verified !== false', ''],
  ]),
  {
    promise: '4 a budget of all holders belongs to its policy',
    file: 'schemas/src/decision.ts',
    find: 'policy === undefined ? mandateId : policyNamed(policy).id',
    replace: 'policy === undefined ? mandateId : mandateId',
  },
  ...inFile('schemas/src/shape-fault.ts', [
    ['8 faults are reported for the form with the fewest faults', ' || a.length - b.length', ''],
  ]),
  ...inFile('packages/server/src/api-keys/api-key-record.ts', [
    ['8 a key is valid until it expires', 'Date.parse(expiresAt) <= nowMs', 'Date.parse(expiresAt) < nowMs'],
  ]),
  ...inFile('packages/bus/src/kafka/leader.ts', [
    [
      '9 the topics of every group member are assigned',
      'known.flatMap((each) => each.topics)',
      'known.slice(0, 1).flatMap((each) => each.topics)',
    ],
  ]),
  ...inFile('packages/access-log/src/record-reads.ts', [
    ['8 refused callers keep no other caller out', 'if (refusals >= MOST_REFUSALS_UNDER_WAY)', 'if (false)'],
    ['8 each refused caller is counted', 'known.times += 1;', 'known.times += 0;'],
  ]),
  ...inFile('packages/access-log/src/count-refusals.ts', [
    ['8 refusals are counted while the log is away', 'for (const one of noted) add(lane, one);', ''],
    ['8 refusals are counted', 'known.times += noted.times;', ''],
    ['8 the number of different refusals is bounded', 'else if (lane.waiting.size < mostOf(noted))', 'else'],
    ['8 a flood of refusals makes few records', '      await firstOf(closed.promise, pauseMs);\n', ''],
    [
      '8 a long flood of refusals makes fewer records',
      'pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);',
      '',
    ],
    [
      '8 a flood of one tenant hides no refusal of another',
      'lanes.get(read.tenant)',
      '[...lanes.values()][0]',
    ],
    ['8 stopping does not wait for a log that is away', 'closing ??= ', 'closing = '],
  ]),
  ...inFile('packages/bus/src/kafka/to-records.ts', [
    ['8 a batch that the broker damaged is no dead letter', '    verifyChecksum(batch);\n', ''],
    ['8 a fetch returns at most one bad batch', 'if (bytes >= MAX_BYTES || ', 'if ('],
    [
      '8 reading goes on after a bad batch',
      'arrived.nextOffset = batch.lastOffset + 1;',
      'arrived.nextOffset += 1;',
    ],
  ]),
  ...inFile('packages/bus/src/kafka/batches/read-records.ts', [
    ['8 never more records than the limit', 'if (recordCount > MAX_RECORDS)', 'if (recordCount < 0)'],
    ['8 never more headers than the limit', 'if (headers > MAX_HEADERS)', 'if (headers < 0)'],
  ]),
  ...inFile('packages/bus/src/kafka/cursor.ts', [
    ['8 the size of a batch is bounded', 'bytes >= BATCH_BYTES', 'bytes < 0'],
    [
      '8 a reader that takes no unreadable records stops at one',
      'record.unreadable !== undefined && !takesUnreadable',
      'false',
    ],
  ]),
  ...inFile('packages/privacy/src/patterns/secrets/known-tokens.ts', [
    [
      'privacy: a marked token is cut to its end',
      'end: endOfToken(text, form.lastIndex)',
      'end: form.lastIndex',
    ],
    [
      'privacy: a token with a mark inside it is cut from its start',
      'startOfToken(text, at - before.length)',
      'at - before.length',
    ],
    [
      'privacy: forms of a shorter mark hold for a longer one',
      'TOKEN_FORMS.filter(({ mark }) => met.startsWith(mark))',
      'TOKEN_FORMS.filter(({ mark }) => met === mark)',
    ],
  ]),
  ...inFile('packages/privacy/src/patterns/secrets/token-forms.ts', [
    ['privacy: keys of xAI have a form', "'xai-'", "'xai:'"],
    ['privacy: keys of OpenRouter have a form', "'sk-or-v1-', HEX(16)", "'sk-or-v1-', HEX(65)"],
    ['privacy: a webhook secret has a form', "'whsec_', BASE64(16)", "'whsec_', BASE64(60)"],
    ['privacy: a key of Mandate is cut from its first sign', "'sk-mdt_'", "'sk-mdx_'"],
  ]),
  ...inFile('packages/privacy/src/patterns/secrets/whole-value.ts', [
    [
      'privacy: a value goes on in the next quotes',
      'endOf(CONTINUED, text, run) ?? afterSoftBreak(text, run)',
      'afterSoftBreak(text, run)',
    ],
    [
      'privacy: a value goes on after a soft line break of quoted-printable',
      'endOf(CONTINUED, text, run) ?? afterSoftBreak(text, run)',
      'endOf(CONTINUED, text, run)',
    ],
    [
      'privacy: a full stop ends the sentence, not the value',
      'const CLOSING = /[.~%]+$/;',
      'const CLOSING = /[~%]+$/;',
    ],
  ]),
  ...inFile('packages/privacy/src/patterns/secrets/private-keys.ts', [
    [
      'privacy: a private key without its last line is cut',
      'if (begin !== null) keys.push({ start: begin.start, end: text.length });',
      '',
    ],
    [
      'privacy: a private key without its first line is cut',
      'startOfRest(text, after, end.start)',
      'end.start',
    ],
  ]),
  ...inFile('packages/privacy/src/patterns/secrets/authorization.ts', [
    [
      'privacy: a web token is cut to its end',
      'const end = endOfToken(text, pattern.lastIndex);',
      'const end = pattern.lastIndex;',
    ],
    [
      'privacy: Basic credentials are decoded before they count',
      'isUserAndPassword(encoded)',
      'false && isUserAndPassword(encoded)',
    ],
  ]),
  ...inFile('packages/privacy/src/patterns/secrets/assigned-value.ts', [
    [
      'privacy: an escaped quote does not end a value',
      'if (before === escapes.length || (before > escapes.length',
      'if (before >= 0 || (before > escapes.length',
    ],
    [
      'privacy: a block of YAML is one value',
      'if (inBlock !== null) return blockAt(text, inBlock, around.line);',
      '',
    ],
    [
      'privacy: joined texts are one value',
      'return next === null ? end : endOfJoined(text, next, opening);',
      'return end;',
    ],
  ]),
  ...inFile('packages/privacy/src/person-keys/key-tree.ts', [
    [
      'privacy: a destroyed key cannot be computed again',
      'gone.length === 0 || node.depth === LEAF_DEPTH',
      'gone.length === 0',
    ],
    ['privacy: every other key can be computed again', 'start, key: childKey(key, 0) }', 'start, key }'],
  ]),
  ...inFile('packages/privacy/src/person-keys/sealed-text.ts', [
    [
      'privacy: a sealed text belongs to its tenant',
      'tenant: string }): Buffer {',
      "tenant: string }): Buffer { tenant = '';",
    ],
    ['privacy: two texts have different IVs', 'Buffer.concat([bound, Buffer.from(plain)])', 'bound'],
  ]),
  ...inFile('packages/privacy/src/redaction/trial-redactor.ts', [
    [
      'privacy: offline too, names of secrets are redacted first',
      'redactByDocument(redactNames(action), tenant)',
      'redactByDocument(action, tenant)',
    ],
    [
      'privacy: offline too, the document redacts',
      'redactByDocument(redactNames(action), tenant)',
      'redactNames(action)',
    ],
    [
      'privacy: offline too, fields are hashed',
      'compileActionRedaction({ redact, hash, hashKey })',
      'compileActionRedaction({ redact, hash: [], hashKey })',
    ],
    [
      'privacy: offline too, stated names replace the default names',
      'compileActionRedaction({ redact, hash, hashKey })',
      'compileActionRedaction({ redact: undefined, hash, hashKey })',
    ],
  ]),
  ...inFile('packages/documents/src/offline-redaction.ts', [
    [
      'privacy: offline, the settings of the plane name fields to redact',
      'redact: PLANE_REDACT_FIELDS,',
      'redact: undefined,',
    ],
    ['privacy: offline, the settings of the plane name a document', 'path ?? PRIVACY_PATH', 'path'],
  ]),
  ...inFile('packages/engine/src/offline/offline-decider.ts', [
    [
      'privacy: offline, decisions are about the published action',
      'answer(appended(record))',
      'answer({ value: record })',
    ],
    [
      'privacy: offline, an approval names the action as sent',
      'actionDigest(action, fingerprint)',
      'actionDigest(action)',
    ],
  ]),
  ...inFile('packages/privacy/src/redaction/compile-redactor.ts', [
    ['privacy: redact goes before hash', 'redact: 0, hash: 1, seal: 2', 'redact: 2, hash: 1, seal: 0'],
    [
      'privacy: a text that cannot be sealed is redacted',
      'within) ?? (leavesUnowned ? value : REDACTED)',
      'within) ?? value',
    ],
    [
      'privacy: names of fields are searched too',
      'const redactedName = redactText(name, within);',
      'const redactedName = name;',
    ],
    [
      'privacy: the principal is redacted',
      'changePersons(redacted, (id) => redactPrincipal(id, within))',
      'redacted',
    ],
    [
      'privacy: no action names an erased person',
      'if (pseudonym !== null) return pseudonym;',
      'return pseudonym ?? id;',
    ],
  ]),
  ...inFile('packages/access-log/src/record-http-reads.ts', [
    [
      'privacy: nothing is read before the record of the read',
      "'onRequest', (request) => recordRead(request)",
      "'onRequest', async (request) => void recordRead(request)",
    ],
    [
      'privacy: a read that is refused is on record',
      'await recordTurnedAway(request, error.code, asked)',
      'null',
    ],
    ['quotas: reads count', "    request.spend('reads', { records: readsIn(asked) });\n", ''],
    [
      'quotas: a flood of refused reads makes few records',
      "!request.trySpend('reads', { records: 1 })",
      'false',
    ],
    ['quotas: refusals beyond a limit are counted', 'error.status === 429', 'false'],
    ['8 a read in a closed tenant is on record', " || error.code === 'TENANT_CLOSED'", ''],
    ['8 a request without a valid key is on record', 'error.status === 401 || ', ''],
    [
      '8 a request without a valid key is on record under the tenant of that key',
      'readOf(request, request.namedKey,',
      'readOf(request, null,',
    ],
    [
      '8 refusals are on record before the server ends',
      "    server.addHook('onClose', counted.close);\n",
      '',
    ],
    [
      'privacy: the record of a read holds no personal data',
      'cut(redactText(String(text)))',
      'cut(String(text))',
    ],
  ]),
  ...inFile('packages/privacy/src/redaction/compile-text-redaction.ts', [
    [
      'privacy: national phone numbers are found in reasons too',
      'findPieces(text, patterns, findNational)',
      'findPieces(text, patterns)',
    ],
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
      'const answer = outside.runInAsyncScope(method, part, ...args)',
      'const answer = Reflect.apply(method, part, args)',
    ],
    [
      'http: a listener fails its own request',
      'inRequest(request, () => listener(...args))',
      'listener(...args)',
    ],
  ]),
  ...inFile('packages/server/src/fair-room.ts', [
    ['http: the holder of the most room gives way', 'one.amount > found.amount', 'one.amount < found.amount'],
    [
      'http: a busy thing does not give way to a holder of as much',
      'most > asked + more ?',
      'most >= asked + more ?',
    ],
    ['http: an idle thing gives way to a holder of as much', 'most < asked + more', 'most <= asked + more'],
    ['http: a key has at most its part of the room', '+ more <= ofAKey &&', '+ more <= most &&'],
  ]),
  ...inFile('packages/server/src/http/caller-rooms.ts', [
    [
      'http: room is kept for keys that operate',
      "operates ? 'operator' : 'other'",
      "operates ? 'other' : 'other'",
    ],
    ['http: an IPv6 network counts as one address', '.slice(0, 4)', '.slice(0, 8)'],
  ]),
  ...inFile('packages/server/src/http/limit-throughput.ts', [
    ['http: a large body counts as several changes', 'records: changes - 1', 'records: 0'],
    ['http: the request itself counts as one change', 'records: changes - 1', 'records: changes'],
  ]),
  ...inFile('packages/server/src/http/take-turns.ts', [
    ['http: addresses take turns to arrive', "['arrivals', networkOf(request.ip)]", "['arrivals', '']"],
  ]),
  ...inFile('packages/server/src/http/serve-http.ts', [
    ['http: a port of another process is not shared', 'await mustBeFree(at);', ';'],
  ]),
  ...inFile('packages/server/src/throughput/bucket.ts', [
    ['quotas: the reported wait is exact', 'Math.ceil(over / perSecond)', 'Math.floor(over / perSecond)'],
    ['quotas: every take of a day counts', 'this.#takenOfDay(nowMs) + units;', 'units;'],
    [
      'quotas: a new day begins at midnight UTC',
      'Math.floor(nowMs / DAY_MS) === this.#day ? this.#takenInDay : 0',
      'this.#takenInDay',
    ],
    [
      'quotas: more than the burst at once is paid for later',
      'this.#taken = this.#takenAt(limit, nowMs) + 1_000 * units;',
      'this.#taken = this.#takenAt(limit, nowMs) + 1_000 * Math.min(units, limit.burst);',
    ],
    [
      'quotas: an unchecked take empties the bucket at most',
      'Math.min(this.#takenAt(limit, nowMs) + 1_000 * units, 1_000 * limit.burst)',
      'this.#takenAt(limit, nowMs) + 1_000 * units',
    ],
    [
      'quotas: a clock that was set back drains from its new time',
      'this.#atMs = Math.min(this.#atMs, nowMs);',
      'if (this.#atMs === Number.POSITIVE_INFINITY) this.#atMs = nowMs;',
    ],
  ]),
  ...inFile('packages/server/src/throughput/throughputs.ts', [
    [
      'quotas: a key has a share of the quota of its tenant',
      "const name = of === 'key' ? id : tenant;",
      "const name = of === 'key' ? tenant : id;",
    ],
    [
      'quotas: keys of a tenant share its quota',
      "const EACH = ['key', 'tenant'] as const;",
      "const EACH = ['key'] as const;",
    ],
    [
      'quotas: a quota that refuses takes nothing from the others',
      'if (over !== null) return over;',
      'if (over !== null) {\n      for (const { quota, units, throughput } of charges) if (quota !== over.quota) for (const of of EACH) this.#buckets(of, spender)[quota].take(units, throughput[of], nowMs);\n      return over;\n    }',
    ],
    [
      'quotas: the longest wait is reported',
      'waitMs > (longest?.waitMs ?? 0)',
      'waitMs > 0 && longest === null',
    ],
    ['quotas: published bytes count', 'units: bytes,', 'units: 0,'],
    ['quotas: full counts are forgotten', 'if (QUOTAS.every(isFull))', 'if (false)'],
    ['quotas: a count that is in use is kept', 'QUOTAS.every(isFull)', 'QUOTAS.some(isFull)'],
  ]),
  ...inFile('packages/server/src/http/header-text.ts', [
    ['http: text of callers breaks no header', 'encodeURIComponent(text.toWellFormed())', 'text'],
  ]),
  ...inFile('packages/server/src/http/sendable-headers.ts', [
    [
      'http: a header that would break the answer is not sent',
      'done(error as Error);',
      'done(null, payload);',
    ],
  ]),
  ...inFile('packages/cases/src/compare.ts', [
    ['cases: a different result fails', 'expected === seen) return []', 'expected !== seen) return []'],
    ['cases: the policy that set the limit is named', 'return first.policy ?? mandate', 'return mandate'],
    ['cases: the remaining amount comes from the ledger', '?.spent ?? 0', '?.spent && 0'],
    ['cases: the rule that gives a policy is named', 'latestOf(given) + whose === bound', 'true'],
  ]),
  ...inFile('packages/documents/src/document-file.ts', [
    ['pull: no file is hidden or a case file', "replace(/[!~*'()]|^\\.|\\.(?=test$)/g, hex)", 'toString()'],
    [
      'pull: each document has its own file, also without letter case',
      '!taken.has(one.toLowerCase())',
      'true',
    ],
  ]),
  ...inFile('packages/control/src/plan/current-documents.ts', [
    ['pull: archived policies are left out', ' && !one.isArchived', ''],
  ]),
  ...inFile('packages/plane/src/apply-files.ts', [
    [
      'up: changes that another plane made meanwhile are read again',
      'isOvertaken = true',
      'isOvertaken = false',
    ],
    ['up: a start fails if the plane refuses a document', 'else throw refused(', 'else void refused('],
    ['up: a document that no file names stays', 'prune: false', 'prune: true'],
  ]),
  ...inFile('packages/control/src/plan/change-record.ts', [
    ['up: a change needs the revision that was seen', ', expects: revision', ''],
  ]),
  ...inFile('packages/cases/src/play-case.ts', [
    ['cases: one different result of several fails', 'if (told.differences.length > 0) continue;', ''],
    ['cases: a case may state earlier spending', 'delta: signedMicros(stated.amount) ?? 0', 'delta: 0'],
    ['cases: each step has its time', 'clock.set(step.atMs);', ''],
  ]),
  ...inFile('packages/client/src/api-client.ts', [
    [
      'client: an abort of the caller is not reported as a lost plane',
      'throw signal?.aborted ? error : failure(unreachable(asked));',
      'throw failure(unreachable(asked));',
    ],
    ['client: the caller may throw its own error', 'throw failure(error);', 'throw error;'],
  ]),
  ...inFile('packages/client/src/api-error.ts', [
    [
      'client: a missing route names the service that has it',
      "if (code === 'NOT_FOUND') return noRoute(asked, status);",
      '',
    ],
  ]),
  ...inFile('packages/cli/src/api-failure.ts', [
    [
      'commands: a refusal that may pass has exit code 1',
      'MAY_PASS.has(status) || status >= 500 ? 1 : 2',
      '2',
    ],
  ]),
  ...inFile('packages/cli/src/options-without-effect.ts', [
    [
      'commands: an option that has an effect alone is refused only beside another',
      'if (beside.length > 0 && other === undefined) continue;',
      '',
    ],
    [
      'commands: an option that needs another is accepted with the other',
      'if (given.some((one) => unless.includes(one))) continue;',
      '',
    ],
    [
      'commands: only options that were typed are refused',
      "command.getOptionValueSource(option.attributeName()) === 'cli'",
      'command.getOptionValueSource(option.attributeName()) !== undefined',
    ],
  ]),
];
