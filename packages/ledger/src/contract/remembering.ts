import { expect, test } from 'vitest';
import { allow, begin, decide, isAllowed, type MakeLedger, send, settle, spent } from './bench.ts';
import { confirmation, planOf, refusal, repeated, settleRequest, stepRequest, TENANT } from './builders.ts';

const MEMORY_MS = 1_000;

/**
 * Returns a ledger that recognizes two deliveries of a tenant above the limit of remembered deliveries. With `full`,
 * this limit is two.
 */
function beginFull(make: MakeLedger) {
  return begin(make, MEMORY_MS, { keptUnremembered: 2 });
}
const full = { maxRemembered: 2 };

export function remembering(make: MakeLedger): void {
  test('refuses new requests of a tenant at its limit, and forgets nothing', async () => {
    const { ledger } = await beginFull(make);
    const known = await allow(ledger, stepRequest(full));
    await allow(ledger, stepRequest(full));
    const refused = stepRequest(full);
    const facts = await decide(ledger, refused);
    expect(facts).toMatchObject({ first: null, unremembered: true, limits: [], chargedMicros: 0 });
    expect(isAllowed(facts)).toBe(false);
    expect(await decide(ledger, repeated(known))).toMatchObject({
      first: { actionId: known.actionId, verdict: 'ALLOW' },
      unremembered: true,
    });
    expect(await spent(ledger, TENANT)).toEqual({ 'agent agent-1 total': 200 });
  });

  test('counts the remembered deliveries of a tenant, and leaves out deliveries above the limit', async () => {
    const { ledger } = await beginFull(make);
    expect(await ledger.remembered(TENANT)).toBe(0);
    const request = await allow(ledger, stepRequest(full));
    await settle(ledger, settleRequest(request, full));
    expect(await decide(ledger, stepRequest(full))).toMatchObject({ unremembered: true });
    expect(await ledger.remembered(TENANT)).toBe(2);
    expect(await ledger.remembered('umbrella')).toBe(0);
  });

  test('a tenant at its limit takes no room from another tenant', async () => {
    const { ledger } = await beginFull(make);
    for (let at = 0; at < 3; at += 1) await decide(ledger, stepRequest(full));
    expect(await decide(ledger, stepRequest({ ...full, tenant: 'umbrella' }))).toMatchObject({
      unremembered: false,
    });
  });

  test('a request refused because of the limit claims no id, and is decided when there is room', async () => {
    const { ledger, clock } = await beginFull(make);
    const first = stepRequest(full);
    const second = stepRequest({ ...full, plan: planOf({ refusal: refusal() }) });
    await ledger.step([first, second]);
    await ledger.confirm(ledger.epoch, [first, second]);
    const refused = stepRequest(full);
    expect(await decide(ledger, refused)).toMatchObject({ unremembered: true });
    clock.advance(MEMORY_MS - 1);
    expect(await decide(ledger, repeated(refused))).toMatchObject({ unremembered: true });
    clock.advance(1);
    const facts = await decide(ledger, repeated(refused, { appendedAtMs: clock() }));
    expect(facts).toMatchObject({ first: null, unremembered: false, chargedMicros: 100 });
  });

  test('remembers a new delivery of a partition even if all its earlier deliveries are already forgotten', async () => {
    const { ledger, clock } = await beginFull(make);
    const before = [1, 2, 3].map(() => stepRequest({ ...full, plan: planOf({ refusal: refusal() }) }));
    await ledger.step(before);
    await ledger.confirm(ledger.epoch, before);
    clock.advance(MEMORY_MS);
    const request = stepRequest({ ...full, appendedAtMs: clock() });
    const result = await send(ledger, request);
    expect(await send(ledger, request)).toEqual({ ...result, redelivered: true });
  });

  test('a tenant has room at once when its limit is raised', async () => {
    const { ledger } = await beginFull(make);
    const refused = stepRequest({ maxRemembered: 0 });
    expect(await decide(ledger, refused)).toMatchObject({ unremembered: true });
    expect(isAllowed(await decide(ledger, repeated(refused, { maxRemembered: 1 })))).toBe(true);
  });

  test('checks the limit before deadline, kill switch, an outdated plan and observe mode', async () => {
    const { ledger, clock } = await beginFull(make);
    const none = { maxRemembered: 0 };
    await ledger.kill({ scope: 'all' }, { id: 'k', by: 'op', reason: 'stop' });
    expect(await decide(ledger, stepRequest({ ...none, deadlineAtMs: clock() - 1 }))).toMatchObject({
      ...{ unremembered: true, late: false, kill: null },
    });
    const ended = planOf({ observe: true, holdsUntilMs: clock() });
    const watched = await decide(ledger, stepRequest({ ...none, plan: ended }));
    expect(watched).toMatchObject({ unremembered: true, limits: [] });
    expect(isAllowed(watched)).toBe(false);
  });

  test('repeats the exact answer to a request above the limit until the log has the answer, and then says that it is published', async () => {
    const { ledger } = await beginFull(make);
    const refused = [1, 2, 3].map(() => stepRequest({ maxRemembered: 0 }));
    const results = await ledger.step(refused);
    const again = await ledger.step(refused);
    expect(again).toEqual(results.map((result) => ({ ...result, redelivered: true })));
    await ledger.confirm(ledger.epoch, refused);
    const kinds = (await ledger.step(refused.slice(1))).map(({ kind }) => kind);
    expect(kinds).toEqual(['published', 'published']);
    const [oldest] = refused;
    if (oldest === undefined) throw new Error('three were refused');
    expect(await send(ledger, { ...oldest, maxRemembered: 1 })).toMatchObject({
      ...{ kind: 'decided', redelivered: false },
    });
  });

  test('keeps an answer that the log does not have yet, even after many other answers', async () => {
    const { ledger } = await beginFull(make);
    const [unpublished, ...others] = [1, 2, 3, 4, 5].map(() => stepRequest({ maxRemembered: 0 }));
    if (unpublished === undefined) throw new Error('five are refused');
    const [result] = await ledger.step([unpublished, ...others]);
    await ledger.confirm(ledger.epoch, others);
    expect(await send(ledger, unpublished)).toEqual({ ...result, redelivered: true });
    expect((await ledger.step(others.slice(-2))).map(({ kind }) => kind)).toEqual(['published', 'published']);
  });

  test('an outcome settles an allowed action even if the tenant is at its limit', async () => {
    const { ledger } = await beginFull(make);
    const allowed = await allow(ledger, stepRequest({ maxRemembered: 1 }));
    const outcome = settleRequest(allowed, { actualMicros: 30, maxRemembered: 1 });
    expect(await settle(ledger, outcome)).toMatchObject({ kind: 'settled', deltaMicros: -70 });
    await ledger.confirm(ledger.epoch, [allowed, outcome]);
    expect(await send(ledger, outcome)).toEqual({ kind: 'published' });
  });

  test('an outcome that changes nothing is not remembered if the tenant is at its limit', async () => {
    const { ledger } = await beginFull(make);
    const allowed = await allow(ledger, stepRequest({ maxRemembered: 1 }));
    await settle(ledger, settleRequest(allowed, { maxRemembered: 1 }));
    const none = { maxRemembered: 1 };
    const repeat = settleRequest(allowed, none);
    const facts = { kind: 'unremembered', deltaMicros: 0, chargedMicros: 100 };
    expect(await settle(ledger, repeat)).toMatchObject(facts);
    expect(await settle(ledger, settleRequest(stepRequest(), none))).toMatchObject({
      kind: 'unremembered',
      chargedMicros: 0,
    });
    expect(await send(ledger, repeat)).toMatchObject({ kind: 'settled', facts, redelivered: true });
    expect(await settle(ledger, settleRequest(allowed))).toMatchObject({ kind: 'repeated' });
  });

  test('a repeated question gets the same DEFER even if the tenant is at its limit', async () => {
    const { ledger } = await beginFull(make);
    const request = stepRequest({ maxRemembered: 1, plan: planOf({ limits: [confirmation] }) });
    await ledger.step([request]);
    expect(await decide(ledger, repeated(request))).toMatchObject({
      first: { verdict: 'DEFER', samePayload: true },
      unremembered: true,
    });
  });

  test('remembers requests of one batch until the limit is reached', async () => {
    const { ledger } = await beginFull(make);
    const batch = Array.from({ length: 5 }, () => stepRequest({ maxRemembered: 3 }));
    const results = await ledger.step(batch);
    const seen = results.map((result) => result.kind === 'decided' && result.facts.unremembered);
    expect(seen).toEqual([false, false, false, true, true]);
  });
}
