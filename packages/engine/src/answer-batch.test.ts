import { createMemoryLedger } from '@mandate/ledger';
import { compileActionRedaction, mandatesOfFile } from '@mandate/policy';
import { loadMandates } from '@mandate/policy/documents';
import { manualClock } from '@mandate/runtime';
import { CAPS, DEFAULTS, settingsOfTopic, TOPICS, topicOfTenant } from '@mandate/schemas';
import { describe, expect, test } from 'vitest';
import type { Answer, AnswerContext, Incoming } from './answer.ts';
import { answerBatch } from './answer-batch.ts';

const START_MS = Date.parse('2026-03-01T12:00:00Z');

function mandatesOf(text: string) {
  const loaded = loadMandates(`version: 1\nid: m\nagents: ["*"]\n${text}`);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
  return loaded.mandates;
}

function scene(
  mandates: string,
  { replayMemoryMs, ...options }: Partial<AnswerContext> & { replayMemoryMs?: number } = {},
) {
  const clock = manualClock(START_MS);
  const ledger = createMemoryLedger({ clock, epoch: 'ep_1', ...(replayMemoryMs && { replayMemoryMs }) });
  const control = mandatesOfFile(mandatesOf(mandates), 7);
  const context: AnswerContext = {
    ledger,
    control: () => control,
    redact: compileActionRedaction(),
    clock,
    deadlines: true,
    ...options,
  };
  let offset = 0;
  const incoming = (value: unknown, topic: string = TOPICS.actions): Incoming => ({
    source: { topic, partition: 0, offset: offset++ },
    appendedAtMs: clock(),
    key: 'some/key',
    value: Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)),
  });
  return { clock, ledger, context, control, incoming };
}

function ask(id: string, action: object = {}) {
  return { event: 'action.requested', action: { id, agentId: 'x', type: 'tool_call', tool: 't', ...action } };
}

function report(actionId: string, outcome: object = {}) {
  return { event: 'action.completed', outcome: { actionId, agentId: 'x', status: 'success', ...outcome } };
}

/** Returns a short text for each answer. */
function summaryOf(answers: readonly Answer[]): string[] {
  return answers.map((answer) => {
    if (answer.kind === 'published') return 'published';
    const { record } = answer;
    if (record.event === 'dead.letter') return `dead ${record.deadLetter.source.offset}`;
    if (record.event === 'action.settled') return `${record.settlement.kind} ${record.settlement.actionId}`;
    return `${record.decision.code} ${record.decision.actionId}`;
  });
}

test('gives one answer for each record, in order, also for bad records among good ones', async () => {
  const { context, incoming } = scene('deniedTools: [bad]');
  const { answers, operations } = await answerBatch(
    [
      incoming(ask('a')),
      incoming('{"event":"action.requested"'),
      incoming(ask('b', { tool: 'bad' })),
      incoming(report('a')),
      incoming(''),
      incoming(ask('a')),
      incoming(report('nobody')),
    ],
    context,
  );
  expect(summaryOf(answers)).toEqual([
    'ALLOWED a',
    'dead 1',
    'TOOL_DENIED b',
    'settled a',
    'dead 4',
    'DUPLICATE_ACTION a',
    'unknown nobody',
  ]);
  expect(answers.map((answer) => (answer.kind === 'published' ? null : answer.key))).toEqual([
    'default/x',
    'some/key',
    'default/x',
    'default/x',
    'some/key',
    'default/x',
    'default/x',
  ]);
  expect(operations.map(({ source }) => source.offset)).toEqual([0, 2, 3, 5, 6]);
});

test('does not call the ledger for an empty batch, or for a batch of bad records', async () => {
  const { context, incoming, ledger } = scene('');
  ledger.step = () => Promise.reject(new Error('not asked'));
  expect(await answerBatch([], context)).toEqual({ answers: [], operations: [] });
  expect(summaryOf((await answerBatch([incoming('x')], context)).answers)).toEqual(['dead 0']);
});

describe('a dead letter', () => {
  test('contains the bytes of the record, but no more than the largest record may have', async () => {
    const { context, incoming } = scene('');
    const value = Buffer.alloc(CAPS.recordBytes + 10, 'x');
    const key = '\u0001'.repeat(400_000);
    const { answers } = await answerBatch([{ ...incoming(''), key, value }], context);
    const [answer] = answers;
    if (answer?.kind !== 'dead-letter') throw new Error('not a dead letter');
    expect(answer.key).toBe(key.slice(0, CAPS.keyUnits));
    const { maxBatchBytes } = settingsOfTopic(TOPICS.deadLetters);
    expect(2 * JSON.stringify(answer.record).length).toBeLessThan(maxBatchBytes);
    const { bytes, truncated, valueBase64, fault } = answer.record.deadLetter;
    expect({ bytes, truncated, code: fault.code }).toEqual({
      bytes: CAPS.recordBytes + 10,
      truncated: true,
      code: 'INVALID_ACTION',
    });
    expect(Buffer.from(valueBase64, 'base64')).toHaveLength(CAPS.recordBytes);
  });

  test('contains the bytes of a whole batch that cannot be split into records, even if the bytes look like a record', async () => {
    const { context, incoming } = scene('');
    const unreadable = { lastOffset: 6, reason: 'it is garbled' };
    const { answers, operations } = await answerBatch([{ ...incoming(ask('a')), unreadable }], context);
    const [answer] = answers;
    if (answer?.kind !== 'dead-letter') throw new Error('not a dead letter');
    const { source, lastOffset, fault, valueBase64 } = answer.record.deadLetter;
    expect({ first: source.offset, lastOffset, reason: fault.reason }).toEqual({
      first: 0,
      lastOffset: 6,
      reason: 'the batch of records up to offset 6 cannot be read: it is garbled',
    });
    expect(JSON.parse(Buffer.from(valueBase64, 'base64').toString())).toEqual(ask('a'));
    expect(operations).toEqual([]);
  });

  test('gets the same id each time the record is answered', async () => {
    const { context, incoming, clock } = scene('');
    const bad = incoming('x');
    const idOf = async () => {
      const [answer] = (await answerBatch([bad], context)).answers;
      return answer?.kind === 'dead-letter' ? answer.record.deadLetter.id : null;
    };
    const id = await idOf();
    clock.advance(1_000);
    expect(await idOf()).toBe(id);
    expect(id).toMatch(/^dlq_/);
  });
});

test('takes the tenant from the owner of the topic, or on the shared topic from the record', async () => {
  const { context, incoming } = scene('');
  const own = `${TOPICS.actions}.acme`;
  const { answers } = await answerBatch(
    [
      incoming(ask('a'), own),
      incoming(ask('b', { tenant: 'other' })),
      incoming(ask('c', { tenant: 'other' }), own),
    ],
    context,
  );
  const tenants = answers.map((answer) =>
    answer.kind === 'record' && answer.record.event === 'action.decided'
      ? [answer.key, answer.record.decision.tenant, answer.record.decision.action.tenant]
      : answer.kind,
  );
  expect(tenants).toEqual([['acme/x', 'acme', 'acme'], ['other/x', 'other', 'other'], 'dead-letter']);
});

test('passes the tenant to the rules, even if the record does not name the tenant', async () => {
  const { context, incoming, control } = scene('');
  const heard: unknown[] = [];
  context.control = () => ({
    ...control,
    mandateFor: (tenant, action, atMs) => {
      heard.push(action.tenant);
      return control.mandateFor(tenant, action, atMs);
    },
  });
  const batch = [
    incoming(ask('a'), topicOfTenant('acme')),
    incoming(ask('b')),
    incoming(ask('c', { tenant: 'acme' })),
  ];
  await answerBatch(batch, context);
  expect(heard).toEqual(['acme', DEFAULTS.tenant, 'acme']);
});

describe('planning an action again', () => {
  test('uses the time of the ledger, and takes only one more step for the whole batch', async () => {
    const { context, incoming, clock } = scene('expiresAt: 2026-03-01T12:00:01Z');
    let asked = 0;
    const step = context.ledger.step.bind(context.ledger);
    context.ledger.step = (batch) => {
      asked += 1;
      return step(batch);
    };
    context.clock = () => clock() - 1;
    clock.advance(1_000);
    const batch = ['a', 'b', 'c'].map((id) => incoming(ask(id, { agentId: id === 'b' ? 'y' : 'x' })));
    expect(summaryOf((await answerBatch(batch, context)).answers)).toEqual([
      'MANDATE_EXPIRED a',
      'MANDATE_EXPIRED b',
      'MANDATE_EXPIRED c',
    ]);
    expect(asked).toBe(2);
  });

  test('ends after too many plans: the action is blocked, and the rest of the batch is decided', async () => {
    const { context, incoming, clock, control } = scene('');
    const step = context.ledger.step.bind(context.ledger);
    context.ledger.step = (batch) => {
      clock.advance(1);
      return step(batch);
    };
    context.control = () => ({
      ...control,
      mandateFor: (tenant, action, atMs) => ({
        ...control.mandateFor(tenant, action, atMs),
        ...(action.agentId === 'x' && { holdsFromMs: atMs, holdsUntilMs: atMs + 1 }),
      }),
    });
    const batch = [incoming(ask('a')), incoming(ask('b', { agentId: 'y' }))];
    expect(summaryOf((await answerBatch(batch, context)).answers)).toEqual(['INTERNAL_ERROR a', 'ALLOWED b']);
  });

  test('throws an error if the ledger refuses even a plan that is valid at any time', async () => {
    const { context, incoming } = scene('');
    context.ledger.step = async (batch) => batch.map(() => ({ kind: 'replan' as const, atMs: START_MS }));
    await expect(answerBatch([incoming(ask('a'))], context)).rejects.toThrow(
      'refuses plans that always hold',
    );
  });
});

describe('redelivery after a lost publish', () => {
  test('publishes the same bytes again, whatever changed since then', async () => {
    const { context, incoming, control, clock, ledger } = scene('toolPolicies: { t: { cost: 0.1 } }');
    const batch = [
      incoming(ask('a')),
      incoming(ask('b', { tool: 'u' })),
      incoming(report('a')),
      incoming(ask('a')),
    ];
    const first = await answerBatch(batch, context);
    clock.advance(50_000);
    Object.assign(control, { mandates: mandatesOf('deniedTools: ["*"]'), revision: 8 });
    await ledger.kill({ scope: 'all' }, { id: 'k', by: 'op', reason: 'r' });
    const again = await answerBatch(batch, context);
    expect(JSON.stringify(again.answers)).toBe(JSON.stringify(first.answers));
    await ledger.confirm('ep_1', again.operations);
    expect(summaryOf((await answerBatch(batch, context)).answers)).toEqual(Array(4).fill('published'));
  });

  test('works for records in any part of a batch', async () => {
    const { context, incoming } = scene('maxCostTotal: 0.2\ntoolPolicies: { t: { cost: 0.1 } }');
    const batch = ['a', 'b', 'c'].map((id) => incoming(ask(id)));
    const first = await answerBatch(batch.slice(0, 2), context);
    const again = await answerBatch(batch, context);
    expect(again.answers.slice(0, 2)).toEqual(first.answers);
    expect(summaryOf(again.answers)).toEqual(['ALLOWED a', 'ALLOWED b', 'COST_LIMIT_EXCEEDED c']);
  });
});

describe('redaction', () => {
  test('changes the published action, but not the checked action', async () => {
    const { context, incoming, ledger } = scene(
      'toolPolicies: { t: { argumentValidation: { schema: { type: object, properties: { password: { type: string, maxLength: 10 } } } } } }',
    );
    const batch = [
      incoming(ask('a', { args: { password: 'short', n: 1 }, context: { deep: [{ token: 'tok-1' }] } })),
      incoming(ask('b', { args: { password: 'longer than allowed' } })),
    ];
    const { answers } = await answerBatch(batch, context);
    expect(summaryOf(answers)).toEqual(['ALLOWED a', 'ARGUMENT_VALIDATION_FAILED b']);
    const published = JSON.stringify(answers);
    for (const secret of ['short', 'tok-1', 'longer than allowed']) expect(published).not.toContain(secret);
    expect(published).toContain('[redacted]');
    expect(await ledger.open('default')).toHaveLength(1);
  });

  test('also removes field names inside a redacted field from the report of a faulty argument', async () => {
    const { context, incoming } = scene(
      'toolPolicies: { t: { argumentValidation: { validators: [noSystemPaths] } } }',
    );
    const batch = [incoming(ask('a', { args: { credentials: { 'card-4711': '/etc/passwd' } } }))];
    const { answers } = await answerBatch(batch, context);
    expect(summaryOf(answers)).toEqual(['ARGUMENT_VALIDATION_FAILED a']);
    expect(JSON.stringify(answers)).not.toContain('card-4711');
    expect(JSON.stringify(answers)).toContain('"pointer":"/credentials"');
  });

  test('still distinguishes two requests that differ only in a secret', async () => {
    const { context, incoming } = scene('');
    const batch = ['one', 'two'].map((password) => incoming(ask('a', { args: { password } })));
    const { answers } = await answerBatch(batch, context);
    const [, second] = answers;
    if (second?.kind !== 'record' || second.record.event !== 'action.decided') throw new Error('no decision');
    expect(second.record.decision.duplicateOf?.samePayload).toBe(false);
  });

  test("uses the redaction rules of the action's tenant, even if only the topic names the tenant", async () => {
    const { context, incoming } = scene('');
    const tenants: string[] = [];
    context.redact = (action, tenant) => {
      tenants.push(tenant);
      return action;
    };
    await answerBatch([incoming(ask('a')), incoming(ask('b'), topicOfTenant('globex'))], context);
    expect(tenants).toEqual(['default', 'globex']);
  });

  test('blocks the action if redaction fails, publishes no secret, and still decides other actions', async () => {
    const { context, incoming, ledger } = scene('mode: observe\ntoolPolicies: { t: { cost: 0.1 } }');
    context.redact = (action) => {
      if (action.id === 'poison') throw new TypeError('cannot redact this');
      return action;
    };
    const principal = { id: 'hunter2' };
    const args = { args: { password: 'hunter2' }, context: { password: 'hunter2' }, principal };
    const batch = [incoming(ask('a')), incoming(ask('poison', args)), incoming(ask('b'))];
    const { answers } = await answerBatch(batch, context);
    expect(summaryOf(answers)).toEqual(['ALLOWED a', 'INTERNAL_ERROR poison', 'ALLOWED b']);
    expect(JSON.stringify(answers)).not.toContain('hunter2');
    expect(JSON.stringify(answers)).toContain('cannot redact this');
    expect(await answerBatch(batch, context)).toEqual({ answers, operations: expect.anything() });
    expect((await ledger.balances('default'))[0]?.spent).toBe(200_000);
  });
});

test('blocks with a retryable INTERNAL_ERROR if a mandate throws, and decides the next attempt again', async () => {
  const { context, incoming } = scene('');
  const { control } = context;
  const [mandate] = mandatesOf('');
  if (mandate === undefined) throw new Error('no mandate');
  const broken = {
    ...mandate,
    agents: Object.assign(
      () => {
        throw new Error('broken matcher');
      },
      { steps: 1 },
    ),
  };
  context.control = () => mandatesOfFile([broken], 1);
  expect(summaryOf((await answerBatch([incoming(ask('a'))], context)).answers)).toEqual(['INTERNAL_ERROR a']);
  context.control = control;
  const again = [incoming(ask('a')), incoming(ask('a', { attempt: 2 }))];
  expect(summaryOf((await answerBatch(again, context)).answers)).toEqual(['DUPLICATE_ACTION a', 'ALLOWED a']);
});

test('applies no deadline offline', async () => {
  const { context, incoming, clock } = scene('', { deadlines: false });
  const late = incoming(ask('a', { deadlineMs: 1 }));
  clock.advance(1e9);
  expect(summaryOf((await answerBatch([late], context)).answers)).toEqual(['ALLOWED a']);
});

test('limits a deadline to the replay memory, and blocks a later redelivery as too late', async () => {
  const { context, incoming, clock, ledger } = scene('', { replayMemoryMs: 60_000 });
  const again = incoming(ask('a', { deadlineMs: CAPS.deadlineMs }));
  const { answers, operations } = await answerBatch([again], context);
  expect(summaryOf(answers)).toEqual(['ALLOWED a']);
  expect(operations).toMatchObject([{ deadlineAtMs: again.appendedAtMs + 60_000 - 1 }]);
  await ledger.confirm(ledger.epoch, operations);
  clock.advance(60_000 + DEFAULTS.leaseMs);
  expect(summaryOf((await answerBatch([again], context)).answers)).toEqual(['DEADLINE_EXCEEDED a']);
});

test('lets other work of the process run between records that take long, even if the records are small', async () => {
  const dear = '{ type: string, pattern: "a{1000}$" }';
  const { context, incoming } = scene(
    `toolPolicies: { t: { argumentValidation: { schema: { type: object, properties: { note: ${dear} } } } } }\n`,
  );
  const note = `${'a'.repeat(1_500)}b`;
  const asks = Array.from({ length: 12 }, (_, n) => incoming(ask(`a${n}`, { args: { note } })));
  let [turnsOfOthers, isWorking] = [0, true];
  const work = () => {
    turnsOfOthers += 1;
    if (isWorking) setImmediate(work);
  };
  setImmediate(work);
  const { answers } = await answerBatch(asks, context);
  isWorking = false;
  expect(summaryOf(answers).at(-1)).toBe('ARGUMENT_VALIDATION_FAILED a11');
  expect(turnsOfOthers).toBeGreaterThanOrEqual(5);
});
