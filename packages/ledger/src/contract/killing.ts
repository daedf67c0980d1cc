import type { KillTarget } from '@mandate/schemas';
import { expect, test } from 'vitest';
import type { Ledger } from '../port.ts';
import { allow, begin, DAY_MS, decide, isAllowed, type MakeLedger, settle } from './bench.ts';
import { AGENT, budget, planOf, repeated, settleRequest, stepRequest, TENANT } from './builders.ts';

const ONE: KillTarget = { scope: 'agent', tenant: TENANT, agentId: AGENT };
const WHOLE: KillTarget = { scope: 'tenant', tenant: TENANT };
const ALL: KillTarget = { scope: 'all' };
const SUBTREE: KillTarget = { scope: 'subtree', tenant: TENANT, agentId: 'lead' };

/** Returns a plan for a descendant of these agents, as deciders make it: all ancestors are charged. */
function below(...ancestors: string[]) {
  const limits = ancestors.map((subject) => budget({ subject, maxMicros: null }));
  return planOf({ limits, ancestors });
}

const order = (id: string, reason = 'stop') => ({ id, by: 'op', reason });

/** Returns whether three agents may act: an agent, another agent of its tenant, and an agent of another tenant. */
async function whoActs(ledger: Ledger): Promise<boolean[]> {
  const requests = [stepRequest(), stepRequest({ agentId: 'agent-2' }), stepRequest({ tenant: 'other' })];
  const acts: boolean[] = [];
  for (const request of requests) acts.push(isAllowed(await decide(ledger, request)));
  return acts;
}

export function killing(make: MakeLedger): void {
  test.each<[KillTarget, boolean[]]>([
    [ONE, [false, true, true]],
    [WHOLE, [false, false, true]],
    [ALL, [false, false, false]],
  ])('stops the agents of %j, and a revive lets them act again', async (target, acts) => {
    const { ledger } = await begin(make);
    await ledger.kill(target, order('k'));
    expect(await whoActs(ledger)).toEqual(acts);
    expect(await ledger.revive(target, (await ledger.flag(target)).revision + 1, 'r')).toBe(true);
    expect(await whoActs(ledger)).toEqual([true, true, true]);
  });

  test('stops an agent with all its descendants, and lists their actions that may still run', async () => {
    const { ledger } = await begin(make);
    const asks = () => [
      stepRequest({ agentId: 'lead' }),
      stepRequest({ agentId: 'worker', plan: below('lead') }),
      stepRequest({ agentId: 'hand', plan: below('worker', 'lead', 'top') }),
      stepRequest({ agentId: 'top' }),
      stepRequest({ agentId: 'other', plan: below('top') }),
      stepRequest({ agentId: 'lead', tenant: 'other' }),
    ];
    const acts = async () => {
      const allowed: boolean[] = [];
      for (const request of asks()) allowed.push(isAllowed(await decide(ledger, request)));
      return allowed;
    };
    expect(await acts()).toEqual([true, true, true, true, true, true]);
    const { open } = await ledger.kill(SUBTREE, order('k'));
    expect(open.map(({ agentId }) => agentId)).toEqual(['lead', 'worker', 'hand']);
    expect(await acts()).toEqual([false, false, false, true, true, true]);
    const killed = { scope: 'subtree', revision: 1, reason: 'stop', agentId: 'lead' };
    const [, , request = stepRequest()] = asks();
    expect((await decide(ledger, request)).kill).toEqual(killed);
    expect((await ledger.killStatus(TENANT, 'hand', { ancestors: ['worker', 'lead'] })).killed).toEqual(
      killed,
    );
    expect((await ledger.killStatus(TENANT, 'lead')).killed).toEqual(killed);
    expect((await ledger.killStatus(TENANT, 'hand')).killed).toBeNull();
    const pulled = { target: SUBTREE, commandId: 'k', by: 'op', sequence: 6, atMs: expect.any(Number) };
    expect(await ledger.killed(TENANT)).toEqual([{ ...killed, ...pulled }]);
    // Each target has its own flag. A revive of the agent alone does not revive its descendants, and vice versa.
    await ledger.kill({ scope: 'agent', tenant: TENANT, agentId: 'lead' }, order('k'));
    expect(await ledger.revive({ scope: 'agent', tenant: TENANT, agentId: 'lead' }, 2, 'r')).toBe(true);
    expect(await acts()).toEqual([false, false, false, true, true, true]);
    expect(await ledger.revive(SUBTREE, 2, 'r')).toBe(true);
    expect(await acts()).toEqual([true, true, true, true, true, true]);
    expect((await ledger.killStatus(TENANT, 'hand', { ancestors: ['lead'] })).revivedAtMs).not.toBeNull();
  });

  test('an agent that leaves a killed subtree stays stopped until the subtree is revived', async () => {
    const { ledger } = await begin(make);
    const killSubtree = (id: string, controlRevision: number) =>
      ledger.kill(SUBTREE, { ...order(id), controlRevision });
    const left = (leftAt: number) => ({ formerAncestors: [{ id: 'lead', leftAt }] });
    const acts = async (leftAt: number) => {
      const request = stepRequest({ agentId: 'worker', plan: planOf(left(leftAt)) });
      const { kill } = await decide(ledger, request);
      const { killed } = await ledger.killStatus(TENANT, 'worker', left(leftAt));
      expect(killed).toEqual(kill);
      return kill === null;
    };
    expect(await acts(11)).toBe(true);
    expect((await killSubtree('k1', 10)).heldSince).toBe(10);
    expect(await acts(11)).toBe(false);
    // The agent left before the subtree was killed.
    expect(await acts(10)).toBe(true);
    // A second kill still stops the agents that the first kill stopped.
    expect((await killSubtree('k2', 20)).heldSince).toBe(10);
    expect(await acts(11)).toBe(false);
    expect(await ledger.revive(SUBTREE, 3, 'r')).toBe(true);
    expect(await acts(11)).toBe(true);
    await killSubtree('k3', 30);
    expect(await acts(11)).toBe(true);
    expect(await acts(31)).toBe(false);
    // A kill without a control revision stops every agent that was ever in the subtree.
    await ledger.revive(SUBTREE, 5, 'r2');
    await ledger.kill(SUBTREE, order('k4'));
    expect(await acts(1)).toBe(false);
  });

  test('keeps one flag for each scope: a revive clears no other scope, and the widest flag is reported', async () => {
    const { ledger, clock } = await begin(make);
    for (const [at, target] of [ONE, WHOLE, ALL].entries()) {
      clock.advance(1);
      await ledger.kill(target, order(`k${at}`, `reason ${at}`));
    }
    const scopes = async () => (await ledger.killed(TENANT)).map(({ scope }) => scope);
    expect(await scopes()).toEqual(['all', 'tenant', 'agent']);
    expect(await ledger.killStatus(TENANT, AGENT)).toEqual({
      killed: { scope: 'all', revision: 1, reason: 'reason 2' },
      revivedAtMs: null,
    });
    await ledger.revive(ALL, 2, 'r1');
    expect((await ledger.killStatus(TENANT, AGENT)).killed).toMatchObject({
      scope: 'tenant',
      reason: 'reason 1',
    });
    expect((await decide(ledger, stepRequest())).kill).toMatchObject({ scope: 'tenant' });
    await ledger.revive(WHOLE, 2, 'r2');
    expect((await ledger.killStatus(TENANT, AGENT)).killed).toMatchObject({
      scope: 'agent',
      reason: 'reason 0',
    });
    expect((await ledger.killStatus(TENANT, 'agent-2')).killed).toBeNull();
    expect(await scopes()).toEqual(['agent']);
    expect(await ledger.killed('other')).toEqual([]);
  });

  test('gives the kill a higher sequence than every ALLOW before it, in each of the stopped tenants', async () => {
    const { ledger } = await begin(make);
    await ledger.step([stepRequest(), stepRequest({ tenant: 'other' }), stepRequest({ tenant: 'other' })]);
    const receipt = await ledger.kill(ALL, order('k'));
    expect(receipt.sequences).toEqual({ [TENANT]: 2, other: 3 });
    expect((await decide(ledger, stepRequest())).sequence).toBe(3);
    expect((await ledger.kill(ONE, order('k'))).sequences).toEqual({ [TENANT]: 4 });
    expect((await ledger.kill({ scope: 'tenant', tenant: 'new' }, order('k'))).sequences).toEqual({ new: 1 });
  });

  test('lists in the receipt every ALLOW of the target that may still run, or that may still reach the log', async () => {
    const { ledger, clock } = await begin(make);
    const short = await allow(ledger, stepRequest({ plan: planOf({ leaseMs: 10 }) }));
    const held = await allow(ledger, stepRequest({ agentId: 'agent-3', plan: planOf({ leaseMs: 10 }) }));
    const hasty = await allow(ledger, stepRequest({ agentId: 'agent-3' }));
    await settle(ledger, settleRequest(hasty));
    clock.advance(10);
    const settled = await allow(ledger, stepRequest());
    const running = await allow(ledger, stepRequest({ type: 'llm_call', tool: null }));
    const published = await allow(ledger, stepRequest({ agentId: 'agent-2' }));
    const elsewhere = await allow(ledger, stepRequest({ tenant: 'other' }));
    await settle(ledger, settleRequest(settled));
    await ledger.confirm(ledger.epoch, [published, short, settled]);
    const reference = ({ tenant, agentId, actionId, attempt, type, tool, digest, plan }: typeof short) => ({
      ...{ tenant, agentId, actionId, attempt, type, tool, digest, sequence: expect.any(Number) },
      ...{ reservedMicros: plan.reserveMicros, decidedAtMs: expect.any(Number) },
      leaseExpiresAtMs: expect.any(Number),
    });
    const killed = await ledger.kill(ONE, order('k1'));
    expect(killed.open).toEqual([reference(running)]);
    const [own] = await ledger.open(TENANT, AGENT);
    expect(killed.open).toEqual([own]);
    expect(own?.sequence).toBeLessThan(Number(killed.sequences[TENANT]));
    expect((await ledger.kill(WHOLE, order('k2'))).open).toEqual(
      [held, hasty, running, published].map(reference),
    );
    expect((await ledger.kill(ALL, order('k3'))).open).toEqual(
      [held, hasty, running, published, elsewhere].map(reference),
    );
  });

  test('repeats an earlier ALLOW after the kill, and still settles its action', async () => {
    const { ledger } = await begin(make);
    const request = await allow(ledger, stepRequest());
    await ledger.kill(ALL, order('k'));
    expect(isAllowed(await decide(ledger, request))).toBe(true);
    expect(await settle(ledger, settleRequest(request))).toMatchObject({ kind: 'settled' });
  });

  test.each([ONE, WHOLE, ALL])(
    'gives the revive of %j a later time than any ALLOW from before the kill',
    async (target) => {
      const { ledger, clock } = await begin(make);
      const before = await decide(ledger, stepRequest());
      expect((await ledger.killStatus(TENANT, AGENT)).revivedAtMs).toBeNull();
      clock.advance(1);
      await ledger.kill(target, order('k'));
      expect((await ledger.killStatus(TENANT, AGENT)).revivedAtMs).toBeNull();
      clock.advance(1);
      await ledger.revive(target, 2, 'r');
      const { revivedAtMs } = await ledger.killStatus(TENANT, AGENT);
      const after = await decide(ledger, stepRequest());
      expect(before.atMs).toBeLessThan(Number(revivedAtMs));
      expect(after.atMs).toBeGreaterThanOrEqual(Number(revivedAtMs));
    },
  );

  test('returns the same receipt for a repeated kill, stops no agent again, and reports whether the first kill is still in force', async () => {
    const { ledger } = await begin(make);
    await allow(ledger, stepRequest());
    const receipt = await ledger.kill(ONE, order('k'));
    expect(receipt).toMatchObject({ revision: 1, stands: true });
    expect(await ledger.kill(ONE, order('k'))).toEqual(receipt);
    await ledger.revive(ONE, 2, 'r3');
    expect(await ledger.kill(ONE, order('k'))).toEqual({ ...receipt, stands: false });
    expect((await ledger.killStatus(TENANT, AGENT)).killed).toBeNull();
    // The same id with another target is another command. So a kill switch always stops its target.
    await ledger.kill(WHOLE, order('k'));
    expect((await ledger.killStatus(TENANT, AGENT)).killed).toMatchObject({ scope: 'tenant' });
  });

  test('uses the next revision for a kill, and ignores an older revive', async () => {
    const { ledger } = await begin(make);
    expect(await ledger.flag(ONE)).toMatchObject({ revision: 0 });
    await ledger.kill(ONE, order('k1'));
    const overtaken = (await ledger.flag(ONE)).revision + 1;
    expect((await ledger.kill(ONE, order('k2', 'again'))).revision).toBe(2);
    expect(await ledger.revive(ONE, overtaken, 'r4')).toBe(false);
    expect(await ledger.revive(ONE, 1, 'r5')).toBe(false);
    expect((await ledger.killStatus(TENANT, AGENT)).killed).toEqual({
      scope: 'agent',
      revision: 2,
      reason: 'again',
    });
    expect(await ledger.revive(ONE, 3, 'r6')).toBe(true);
    expect(await ledger.flag(ONE)).toMatchObject({ revision: 3 });
    expect((await ledger.kill(ONE, order('k3'))).revision).toBe(4);
  });

  test('keeps a newer kill in force if an old revive is repeated within a day, even if other ids are remembered for less', async () => {
    const { ledger, clock } = await begin(make, 1_000);
    await ledger.kill(ONE, order('k1'));
    expect(await ledger.revived(ONE, 'r')).toBe(false);
    expect(await ledger.revive(ONE, 2, 'r')).toBe(true);
    expect(await ledger.revive(ONE, 2, 'r')).toBe(true);
    await ledger.kill(ONE, order('k2'));
    clock.advance(DAY_MS - 1);
    expect(await ledger.revived(ONE, 'r')).toBe(true);
    expect(await ledger.revive(ONE, 4, 'r')).toBe(false);
    expect(await ledger.flag(ONE)).toMatchObject({ revision: 3 });
    clock.advance(1);
    expect(await ledger.revived(ONE, 'r')).toBe(false);
    expect(await ledger.revive(ONE, 4, 'r')).toBe(true);
  });

  test('keeps the ids of revives apart by target, and apart from the ids of kills', async () => {
    const { ledger } = await begin(make);
    await ledger.kill(ONE, order('c'));
    await ledger.kill(WHOLE, order('c'));
    expect(await ledger.revived(ONE, 'c')).toBe(false);
    expect(await ledger.revive(ONE, 2, 'c')).toBe(true);
    expect(await ledger.revived(WHOLE, 'c')).toBe(false);
    expect(await ledger.revive(WHOLE, 2, 'c')).toBe(true);
  });

  test('remembers a revive even if a newer kill has overtaken it', async () => {
    const { ledger } = await begin(make);
    await ledger.kill(ONE, order('k1'));
    await ledger.kill(ONE, order('k2'));
    expect(await ledger.revive(ONE, 2, 'r')).toBe(false);
    expect(await ledger.revived(ONE, 'r')).toBe(true);
    expect(await ledger.revive(ONE, 3, 'r')).toBe(false);
  });

  test('reports a target without a kill as clear, whatever the revision', async () => {
    const { ledger } = await begin(make);
    expect(await ledger.revive(ONE, 5, 'r7')).toBe(true);
    expect(await ledger.revive(ONE, 2, 'r8')).toBe(true);
    expect(await ledger.flag(ONE)).toMatchObject({ revision: 5 });
    expect((await ledger.kill(ONE, order('k'))).revision).toBe(6);
  });

  test('stops all requests of a concurrent batch, or none', async () => {
    const { ledger } = await begin(make);
    const batch = Array.from({ length: 50 }, () => stepRequest());
    const [results, receipt] = await Promise.all([ledger.step(batch), ledger.kill(ONE, order('k'))]);
    const allowed = results.filter(
      (result) => 'facts' in result && 'first' in result.facts && isAllowed(result.facts),
    );
    expect([0, 50]).toContain(allowed.length);
    expect(receipt.open).toHaveLength(allowed.length);
  });

  test('remembers an attempt that the kill switch blocked, even after the revive', async () => {
    const { ledger } = await begin(make);
    await ledger.kill(ONE, order('k'));
    const request = stepRequest();
    await ledger.step([request]);
    await ledger.revive(ONE, 2, 'r9');
    expect((await decide(ledger, repeated(request))).first).toMatchObject({ code: 'AGENT_KILLED' });
  });
}
