import { describe, expect, test } from 'vitest';
import { allow, begin, decide, isAllowed, limitFactOf, type MakeLedger, settle } from './bench.ts';
import {
  AGENT,
  confirmation,
  planOf,
  promptRequest,
  rate,
  refusal,
  settleRequest,
  stepRequest,
  turn,
} from './builders.ts';

export function turns(make: MakeLedger): void {
  const asking = (...limits: Parameters<typeof turn>) =>
    stepRequest({ plan: planOf({ limits: [turn(...limits)] }) });

  test('a call belongs to the turn of an allowed prompt, and to no other', async () => {
    const { ledger } = await begin(make);
    const unknown = {
      kind: 'turn',
      ok: false,
      fails: 'unknown',
      agentId: null,
      intent: null,
      openedAtMs: null,
      calls: 0,
    };
    expect(await limitFactOf(ledger, asking())).toEqual(unknown);
    await decide(
      ledger,
      promptRequest({
        plan: planOf({ opensTurn: { intent: 'chat', person: 'u1 user' }, refusal: refusal() }),
      }),
    );
    expect(await limitFactOf(ledger, asking())).toEqual(unknown);
    await allow(ledger, promptRequest({ actionId: 'q' }));
    expect(await limitFactOf(ledger, asking({ turnId: 'q' }))).toMatchObject({
      ok: true,
      agentId: AGENT,
      intent: 'chat',
    });
    expect(await limitFactOf(ledger, asking({ turnId: 'q', agents: ['bob'] }))).toEqual(unknown);
    expect(await limitFactOf(ledger, asking({ turnId: 'q', agents: ['bob', AGENT] }))).toMatchObject({
      ok: true,
    });
    expect(await limitFactOf(ledger, asking({ turnId: null }))).toEqual(unknown);
  });

  test('the person must be the same, with the same role, unless it does not matter', async () => {
    const { ledger } = await begin(make);
    await allow(ledger, promptRequest());
    for (const person of ['u2 user', 'u1 admin', 'u1 ', ' '])
      expect(await limitFactOf(ledger, asking({ person }))).toMatchObject({ ok: false, fails: 'person' });
    expect(await limitFactOf(ledger, asking({ person: null }))).toMatchObject({ ok: true });
    await allow(
      ledger,
      promptRequest({ actionId: 'q', plan: planOf({ opensTurn: { intent: null, person: ' ' } }) }),
    );
    expect(await limitFactOf(ledger, asking({ turnId: 'q', person: ' ' }))).toMatchObject({
      ok: true,
      intent: null,
    });
    expect(await limitFactOf(ledger, asking({ turnId: 'q' }))).toMatchObject({ fails: 'person' });
  });

  test('a turn is over at exactly its timeout', async () => {
    const { ledger, clock } = await begin(make);
    await allow(ledger, promptRequest());
    clock.advance(999);
    expect(await limitFactOf(ledger, asking())).toMatchObject({ ok: true });
    clock.advance(1);
    expect(await limitFactOf(ledger, asking())).toMatchObject({ ok: false, fails: 'timeout' });
    expect(await limitFactOf(ledger, asking({ timeoutMs: null }))).toMatchObject({ ok: true });
  });

  test('a grant of a person lifts the timeout', async () => {
    const { ledger, clock } = await begin(make);
    await allow(ledger, promptRequest());
    const plan = planOf({ limits: [turn(), confirmation] });
    const request = stepRequest({ plan });
    await decide(ledger, request);
    clock.advance(2_000);
    const { tenant, agentId, actionId, digest } = request;
    const approval = { id: 'a1', by: 'op', reason: 'fine', tenant, agentId, actionId, digest };
    await ledger.approve({ ...approval, answer: 'granted', expiresAtMs: clock() + 1_000 });
    const other = await decide(ledger, stepRequest({ plan }));
    expect(isAllowed(other)).toBe(false);
    expect(isAllowed(await decide(ledger, { ...stepRequest({ plan }), actionId, digest }))).toBe(true);
  });

  test('the intent of the turn decides whether the call is allowed', async () => {
    const { ledger } = await begin(make);
    await allow(ledger, promptRequest());
    expect(await limitFactOf(ledger, asking({ intents: ['quiz'] }))).toMatchObject({
      ok: false,
      fails: 'intent',
    });
    expect(await limitFactOf(ledger, asking({ intents: [] }))).toMatchObject({ ok: false, fails: 'intent' });
    expect(await limitFactOf(ledger, asking({ intents: ['quiz', 'chat'] }))).toMatchObject({ ok: true });
  });

  test('allowed calls are counted once, by their kind, however many limits a call has', async () => {
    const { ledger } = await begin(make);
    await allow(ledger, promptRequest());
    const twice = () => stepRequest({ plan: planOf({ limits: [turn(), turn({ maxCalls: 5 })] }) });
    await allow(ledger, twice());
    expect(await limitFactOf(ledger, asking({ counts: 'model' }))).toMatchObject({ calls: 0, ok: true });
    expect(await limitFactOf(ledger, asking({ counts: null }))).toMatchObject({ calls: 0, ok: true });
    await allow(ledger, twice());
    expect(await limitFactOf(ledger, twice())).toMatchObject({ calls: 2, ok: false, fails: 'calls' });
    expect(await limitFactOf(ledger, asking({ counts: 'model' }))).toMatchObject({ calls: 1, ok: true });
    expect(await limitFactOf(ledger, asking({ counts: 'model', maxCalls: 0 }))).toMatchObject({ ok: false });
  });

  test('calls of all agents in the turn count', async () => {
    const { ledger } = await begin(make);
    await allow(ledger, promptRequest());
    const below = (agentId: string) =>
      stepRequest({
        agentId,
        plan: planOf({ limits: [turn({ agents: [agentId, AGENT] })], ancestors: [AGENT] }),
      });
    await allow(ledger, below('cleo'));
    await allow(ledger, below('dora'));
    expect(await limitFactOf(ledger, asking())).toMatchObject({ calls: 2, fails: 'calls' });
  });

  test('refused and deferred calls do not count', async () => {
    const { ledger } = await begin(make);
    await allow(ledger, promptRequest());
    await decide(ledger, stepRequest({ plan: planOf({ limits: [turn()], refusal: refusal() }) }));
    await decide(ledger, stepRequest({ plan: planOf({ limits: [turn(), rate({ maxCalls: 0 })] }) }));
    await decide(ledger, stepRequest({ plan: planOf({ limits: [turn(), confirmation] }) }));
    expect(await limitFactOf(ledger, asking())).toMatchObject({ calls: 0 });
  });

  test('in observe mode a prompt opens its turn, and only calls that fit are counted', async () => {
    const { ledger } = await begin(make);
    const opens = { intent: 'chat', person: 'u1 user' };
    await allow(
      ledger,
      promptRequest({ plan: planOf({ observe: true, refusal: refusal(), opensTurn: opens }) }),
    );
    const observed = (maxCalls: number) =>
      stepRequest({ plan: planOf({ observe: true, limits: [turn({ maxCalls })] }) });
    await allow(ledger, observed(2));
    await allow(ledger, observed(0));
    expect(await limitFactOf(ledger, asking())).toMatchObject({ calls: 1 });
  });

  test('another attempt of the prompt resets neither time nor counts', async () => {
    const { ledger, clock } = await begin(make);
    const first = promptRequest();
    await allow(ledger, first);
    await allow(ledger, asking());
    clock.advance(500);
    await settle(ledger, settleRequest(first, { status: 'failure' }));
    await allow(ledger, promptRequest({ attempt: 2 }, 'quiz'));
    expect(await limitFactOf(ledger, asking())).toMatchObject({ calls: 1, intent: 'chat' });
    clock.advance(500);
    expect(await limitFactOf(ledger, asking())).toMatchObject({ fails: 'timeout' });
  });

  describe('a redelivery', () => {
    test('counts no call twice', async () => {
      const { ledger } = await begin(make);
      await allow(ledger, promptRequest());
      const call = asking();
      await allow(ledger, call);
      await decide(ledger, call);
      expect(await limitFactOf(ledger, asking())).toMatchObject({ calls: 1 });
    });
  });
}
