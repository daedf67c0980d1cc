import { expect, test } from 'vitest';
import { allow, begin, decide, isAllowed, limitFactOf, type MakeLedger, send, settle } from './bench.ts';
import {
  AGENT,
  confirmation,
  planOf,
  promptRequest,
  rate,
  refusal,
  repeated,
  settleRequest,
  stepRequest,
  TENANT,
  turn,
} from './builders.ts';

const MEMORY_MS = 5_000;

export function turnsRemembered(make: MakeLedger): void {
  const asking = (overrides: Parameters<typeof turn>[0] = {}, appendedAtMs = 1_000) =>
    stepRequest({ appendedAtMs, plan: planOf({ limits: [turn({ timeoutMs: null, ...overrides })] }) });

  test('a turn is unknown as soon as the id of its prompt is forgotten', async () => {
    const { ledger, clock } = await begin(make, MEMORY_MS);
    const prompt = promptRequest({ plan: planOf({ leaseMs: 10, opensTurn: opens('u1 user') }) });
    await allow(ledger, prompt);
    await ledger.confirm(ledger.epoch, [prompt]);
    clock.advance(MEMORY_MS - 1);
    expect(await limitFactOf(ledger, asking({}, clock()))).toMatchObject({ ok: true });
    clock.advance(1);
    expect(await limitFactOf(ledger, asking({}, clock()))).toMatchObject({ ok: false, fails: 'unknown' });
  });

  test('a turn is remembered as long as the lease of its prompt lasts, and longer after another attempt', async () => {
    const { ledger, clock } = await begin(make, MEMORY_MS);
    const plan = planOf({ leaseMs: MEMORY_MS + 100, opensTurn: opens('u1 user') });
    const first = promptRequest({ plan });
    await allow(ledger, first);
    clock.advance(MEMORY_MS + 99);
    expect(await limitFactOf(ledger, asking({}, clock()))).toMatchObject({ calls: 0, ok: true });
    await settle(ledger, settleRequest(first, { status: 'failure' }));
    await allow(ledger, promptRequest({ plan, attempt: 2, appendedAtMs: clock() }));
    clock.advance(MEMORY_MS);
    const fact = await limitFactOf(ledger, asking({}, clock()));
    expect(fact).toMatchObject({ calls: 1, ok: true, openedAtMs: clock() - 2 * MEMORY_MS - 99 });
  });

  test('a prompt with a forgotten id opens another turn, without the calls of the forgotten turn', async () => {
    const { ledger, clock } = await begin(make, MEMORY_MS);
    const plan = planOf({ leaseMs: 10, opensTurn: opens('u1 user') });
    const first = promptRequest({ plan });
    await ledger.step([first, asking(), asking()]);
    await ledger.confirm(ledger.epoch, [first]);
    clock.advance(MEMORY_MS);
    const appendedAtMs = clock();
    const again = planOf({ ...plan, opensTurn: opens('u2 user') });
    await allow(ledger, promptRequest({ plan: again, appendedAtMs }));
    expect(await limitFactOf(ledger, asking({ person: 'u2 user' }, clock()))).toEqual({
      ...{ kind: 'turn', ok: true, fails: null, agentId: AGENT, intent: 'chat' },
      ...{ openedAtMs: appendedAtMs, calls: 0 },
    });
  });

  test('a reopened turn lasts, even if the same step frees the memory of forgotten turns', async () => {
    const { ledger, clock } = await begin(make, MEMORY_MS);
    const plan = planOf({ leaseMs: 10, opensTurn: opens('u1 user') });
    const prompts = (appendedAtMs: number) =>
      Array.from({ length: 130 }, (_, at) => promptRequest({ plan, actionId: `p${at}`, appendedAtMs }));
    const before = prompts(1_000);
    await ledger.step(before);
    await ledger.confirm(ledger.epoch, before);
    clock.advance(MEMORY_MS);
    await ledger.step(prompts(clock()));
    for (let at = 0; at < 130; at += 1)
      expect(await limitFactOf(ledger, asking({ turnId: `p${at}` }, clock()))).toMatchObject({ ok: true });
  });

  test('a repeated call counts once, and a repeated prompt changes nothing', async () => {
    const { ledger, clock } = await begin(make);
    const prompt = promptRequest();
    const call = asking();
    await ledger.step([prompt, call]);
    clock.advance(10);
    await ledger.step([repeated(call), repeated(prompt), repeated(call)]);
    const fact = await limitFactOf(ledger, asking());
    expect(fact).toMatchObject({ calls: 1, openedAtMs: clock() - 10 });
  });

  test('a redelivery gets the same fact as before, although calls came in between', async () => {
    const { ledger } = await begin(make);
    await allow(ledger, promptRequest());
    const call = asking();
    const result = await send(ledger, call);
    await allow(ledger, asking());
    expect(await send(ledger, call)).toEqual({ ...result, redelivered: true });
  });

  test('a deferred prompt opens no turn until a person approves it', async () => {
    const { ledger, clock } = await begin(make);
    const prompt = promptRequest({ plan: planOf({ limits: [confirmation], opensTurn: opens('u1 user') }) });
    await decide(ledger, prompt);
    expect(await limitFactOf(ledger, asking())).toMatchObject({ fails: 'unknown' });
    const { tenant, agentId, actionId, digest } = prompt;
    const answer = { id: 'a1', by: 'op', reason: 'fine', answer: 'granted' as const };
    await ledger.approve({ ...answer, tenant, agentId, actionId, digest, expiresAtMs: clock() + 1_000 });
    await allow(ledger, repeated(prompt));
    expect(await limitFactOf(ledger, asking())).toMatchObject({ ok: true });
  });

  test('an expired or denied approval does not lift the timeout', async () => {
    const { ledger, clock } = await begin(make);
    await allow(ledger, promptRequest());
    const plan = planOf({ limits: [turn({ timeoutMs: 100 }), confirmation] });
    const requests = [stepRequest({ plan }), stepRequest({ plan })];
    await ledger.step(requests);
    for (const [at, answer] of (['granted', 'denied'] as const).entries()) {
      const { tenant, agentId, actionId, digest } = requests[at] ?? stepRequest();
      const command = { id: `a${at}`, by: 'op', reason: 'r', tenant, agentId, actionId, digest };
      await ledger.approve({ ...command, answer, expiresAtMs: clock() + 50 });
    }
    clock.advance(100);
    for (const request of requests)
      expect((await decide(ledger, repeated(request))).limits[0]).toMatchObject({ fails: 'timeout' });
  });

  test('a killed agent opens no turn, and its calls count in none', async () => {
    const { ledger } = await begin(make);
    await allow(ledger, promptRequest());
    const target = { scope: 'agent', tenant: TENANT, agentId: AGENT } as const;
    const { revision } = await ledger.kill(target, { id: 'k', by: 'op', reason: 'stop' });
    await ledger.step([asking(), promptRequest({ actionId: 'q' })]);
    await ledger.revive(target, revision + 1, 'r');
    expect(await limitFactOf(ledger, asking())).toMatchObject({ calls: 0 });
    expect(await limitFactOf(ledger, asking({ turnId: 'q' }))).toMatchObject({ fails: 'unknown' });
  });

  test('turns of another tenant, and prompts of another agent with the same id, are other turns', async () => {
    const { ledger } = await begin(make);
    await allow(ledger, promptRequest({ tenant: 'umbrella' }));
    expect(await limitFactOf(ledger, asking())).toMatchObject({ fails: 'unknown' });
    await allow(ledger, promptRequest({ agentId: 'lead' }, 'quiz'));
    await allow(ledger, promptRequest());
    await allow(ledger, asking());
    const below = { agents: ['lead', AGENT] };
    expect(await limitFactOf(ledger, asking(below))).toMatchObject({ agentId: 'lead', calls: 0 });
  });

  test('calls of one step count one after the other, beside calls outside of turns', async () => {
    const { ledger } = await begin(make);
    const outside = () => stepRequest({ plan: planOf({ limits: [rate({ maxCalls: 100 })] }) });
    const batch = [asking(), promptRequest(), outside(), asking(), outside(), asking(), asking(), outside()];
    const seen = (await ledger.step(batch)).map((result) =>
      result.kind === 'decided' ? isAllowed(result.facts) : null,
    );
    expect(seen).toEqual([false, true, true, true, true, true, false, true]);
  });

  test('prompts of one step that differ only in their turns open different turns', async () => {
    const { ledger } = await begin(make);
    const outside = stepRequest({ actionId: 'none', plan: planOf({ reserveMicros: 0 }) });
    const prompts = ['chat', 'quiz', null].map((intent) => promptRequest({ actionId: `${intent}` }, intent));
    await ledger.step([outside, ...prompts]);
    const of = (turnId: string) => limitFactOf(ledger, asking({ turnId }));
    expect(await of('none')).toMatchObject({ fails: 'unknown' });
    for (const intent of ['chat', 'quiz', null]) expect(await of(`${intent}`)).toMatchObject({ intent });
  });

  test('calls of one step that differ only in their limits of a turn get different answers', async () => {
    const { ledger } = await begin(make);
    await ledger.step([promptRequest(), promptRequest({ actionId: 'q' }, 'quiz')]);
    const limits = [{}, { turnId: 'q' }, { person: 'u2 user' }, { intents: ['quiz'] }, { agents: ['bob'] }];
    const results = await ledger.step(limits.map((limit) => asking({ counts: null, ...limit })));
    const seen = results.map((result) => (result.kind === 'decided' ? result.facts.limits[0] : null));
    expect(seen).toMatchObject([
      { fails: null, intent: 'chat' },
      { fails: null, intent: 'quiz' },
      { fails: 'person' },
      { fails: 'intent' },
      { fails: 'unknown' },
    ]);
  });

  test('a refusal of a turn is final, although another limit would only need a wait', async () => {
    const { ledger } = await begin(make);
    const limits = [turn(), rate({ maxCalls: 1 })];
    await allow(ledger, stepRequest({ plan: planOf({ limits: limits.slice(1) }) }));
    const request = stepRequest({ plan: planOf({ limits }) });
    await decide(ledger, request);
    expect((await decide(ledger, repeated(request, { attempt: 2 }))).first).toMatchObject({
      code: 'TURN_UNKNOWN',
    });
  });

  test('a prompt that its static checks refuse opens no turn, although its agent acts in it later', async () => {
    const { ledger } = await begin(make);
    const plan = planOf({ refusal: refusal({ final: false }), opensTurn: opens('u1 user') });
    await decide(ledger, promptRequest({ plan }));
    expect(await limitFactOf(ledger, asking())).toMatchObject({ fails: 'unknown' });
    await allow(ledger, promptRequest({ attempt: 2 }));
    expect(await limitFactOf(ledger, asking())).toMatchObject({ ok: true });
  });
}

function opens(person: string) {
  return { intent: 'chat', person };
}
