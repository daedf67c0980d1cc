/**
 * Tests the kill switch over HTTP. A kill is in force when its answer arrives, and the log records it. Before a
 * caller gets an ALLOW, the gateway reads the kill flag again.
 */
import { restoreLedger } from '@mandate/ledger-log';
import { MandateError, silentLogger, systemClock } from '@mandate/runtime';
import { TOPICS } from '@mandate/schemas';
import { busWith, waitUntil } from '@mandate/testing';
import { expect, test } from 'vitest';
import { startGatewayPlane } from './support/gateway-plane.ts';

const MANDATES = `
version: 1
id: bots
agents: ["*"]
`;

const look = (id: string, agentId = 'bot-1') => ({ id, agentId, type: 'tool_call', tool: 'look' });
const WAIT = '/v1/actions?waitMs=20000';

test('kill stops an agent and lists what may still run; revive lets the agent work again', async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES });
  await plane.decide();
  await plane.call('publisher', 'POST', WAIT, [look('a-1'), look('a-2'), look('b-1', 'bot-2')]);
  const killed = await plane.call('operator', 'POST', '/v1/agents/bot-1/kill', { reason: 'runs amok' });
  expect(killed.status).toBe(200);
  expect(killed.body).toMatchObject({
    revision: 1,
    target: { scope: 'agent', tenant: 'acme', agentId: 'bot-1' },
    openCount: 2,
  });
  const open = { type: 'tool_call', tool: 'look', leaseExpiresAtMs: expect.any(Number) };
  expect(killed.body.open).toMatchObject([
    { actionId: 'a-1', ...open },
    { actionId: 'a-2', ...open },
  ]);

  const events = (await plane.decided()).filter(({ event }) => event === 'agent.killed');
  expect(events).toMatchObject([
    {
      kill: {
        id: killed.body.commandId,
        by: expect.stringMatching(/^operator \(\w{12}\)$/),
        reason: 'runs amok',
        openCount: 2,
        ledgerEpoch: plane.ledger.epoch,
      },
    },
  ]);
  const status = await plane.call('publisher', 'GET', '/v1/agents/bot-1/kill-status');
  expect(status.body.killed).toEqual({ scope: 'agent', revision: 1, reason: 'runs amok' });
  expect((await plane.call('publisher', 'POST', WAIT, look('a-3'))).body.decision).toMatchObject({
    code: 'AGENT_KILLED',
  });
  expect((await plane.call('publisher', 'POST', WAIT, look('b-2', 'bot-2'))).body.decision).toMatchObject({
    verdict: 'ALLOW',
  });

  const revived = await plane.call('operator', 'POST', '/v1/agents/bot-1/revive', {});
  expect(revived.body).toMatchObject({ changed: true, revision: 2, killed: null });
  expect((await plane.call('publisher', 'POST', WAIT, look('a-4'))).body.decision).toMatchObject({
    verdict: 'ALLOW',
  });
  const again = await plane.call('operator', 'POST', '/v1/agents/bot-1/revive', {});
  expect(again.body).toMatchObject({ changed: false, revision: 2 });
  expect((await plane.decided()).filter(({ event }) => event === 'agent.revived')).toHaveLength(1);
  const measured = await plane.metrics.registry.metrics();
  expect(measured).toContain('mandate_gateway_kills_total{scope="agent",service="test"} 1\n');
  expect(measured).toContain('mandate_gateway_revives_total{scope="agent",service="test"} 1\n');
});

test('reviving an agent does not revive its tenant, and the answer says what still stops the agent', async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES });
  await plane.call('operator', 'POST', '/v1/agents/bot-1/kill');
  await plane.call('operator', 'POST', '/v1/kill', { scope: 'tenant', reason: 'all of them' });
  const revived = await plane.call('operator', 'POST', '/v1/agents/bot-1/revive');
  expect(revived.body).toMatchObject({ changed: true, killed: { scope: 'tenant', reason: 'all of them' } });
  expect((await plane.call('operator', 'POST', '/v1/revive', { scope: 'tenant' })).body.changed).toBe(true);
  expect((await plane.call('operator', 'GET', '/v1/agents/bot-1/kill-status')).body.killed).toBeNull();
});

test('a command with an Idempotency-Key takes effect once, and a late repetition of a revive does not revive a newer kill', async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES });
  const key = { 'idempotency-key': 'incident-7' };
  const [one, two] = [
    await plane.call('operator', 'POST', '/v1/agents/bot-1/kill', {}, key),
    await plane.call('operator', 'POST', '/v1/agents/bot-1/kill', {}, key),
  ];
  expect(two.body).toEqual(one.body);
  expect(await plane.decided()).toHaveLength(8 + 1);
  const other = await plane.call('stranger', 'POST', '/v1/agents/bot-1/kill', {}, key);
  expect(other.body).toMatchObject({ target: { tenant: 'globex' }, revision: 1 });
  expect(other.body.commandId).not.toBe(one.body.commandId);

  await plane.call('operator', 'POST', '/v1/agents/bot-1/revive', {}, key);
  await plane.call('operator', 'POST', '/v1/agents/bot-1/kill');
  const late = await plane.call('operator', 'POST', '/v1/agents/bot-1/revive', {}, key);
  expect(late.body).toMatchObject({ changed: false, killed: { scope: 'agent' } });
});

test('a repeated revive ends no newer kill, even after a restart', async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES });
  const key = { 'idempotency-key': 'incident-7' };
  await plane.call('operator', 'POST', '/v1/agents/bot-1/kill');
  await plane.call('operator', 'POST', '/v1/agents/bot-1/revive', {}, key);
  await plane.call('operator', 'POST', '/v1/agents/bot-1/kill', { reason: 'again' });

  const { bus } = plane;
  const { ledger } = await restoreLedger({ bus, clock: systemClock, log: silentLogger() });
  const restarted = await startGatewayPlane({ mandates: MANDATES, between: () => ({ bus, ledger }) });
  const before = (await plane.decided()).length;
  const late = await restarted.call('operator', 'POST', '/v1/agents/bot-1/revive', {}, key);
  expect([late.status, late.body]).toMatchObject([200, { changed: false, killed: { reason: 'again' } }]);
  expect(await plane.decided()).toHaveLength(before);
  const afterwards = await restarted.call('operator', 'POST', '/v1/agents/bot-1/revive', {});
  expect(afterwards.body).toMatchObject({ changed: true, killed: null });
});

const SWITCHES = [
  ['an agent', '/v1/agents/bot-1/kill', '/v1/agents/bot-1/revive', {}],
  ['a tenant', '/v1/kill', '/v1/revive', { scope: 'tenant' }],
  ['everything', '/v1/kill', '/v1/revive', { scope: 'all' }],
] as const;

test.each(SWITCHES)(
  'a repeated kill of %s is refused if the target was revived after the first kill',
  async (_, kill, revive, body) => {
    const plane = await startGatewayPlane({ mandates: MANDATES });
    const key = { 'idempotency-key': 'incident-7' };
    await plane.call('owner', 'POST', kill, body, key);
    await plane.call('owner', 'POST', revive, body);
    const repeated = await plane.call('owner', 'POST', kill, body, key);
    expect([repeated.status, repeated.body.code]).toEqual([409, 'REVIVED_SINCE']);
    expect((await plane.call('owner', 'GET', '/v1/agents/bot-1/kill-status')).body.killed).toBeNull();
    expect((await plane.call('owner', 'POST', kill, body)).status).toBe(200);
    expect((await plane.call('owner', 'POST', kill, body, key)).status).toBe(200);
  },
);

/** This tenant may make no changes. So a kill is refused if it stops nothing. */
const NO_CHANGES = { changes: { perSecond: 0, burst: 0 } };

test.each(SWITCHES)(
  'a kill of %s that is repeated before a revive is one command with one record',
  async (_, kill, revive, body) => {
    const plane = await startGatewayPlane({ mandates: MANDATES });
    const kills = async () => (await plane.decided()).filter(({ event }) => event === 'agent.killed').length;
    const first = await plane.call('owner', 'POST', kill, body);
    for (let at = 0; at < 20; at += 1) {
      const repeated = await plane.call('owner', 'POST', kill, body);
      expect([repeated.status, repeated.body]).toEqual([200, first.body]);
    }
    expect(await kills()).toBe(1);
    await plane.call('owner', 'POST', revive, body);
    const afterwards = await plane.call('owner', 'POST', kill, body);
    expect(afterwards.body).toMatchObject({ revision: 3 });
    expect(afterwards.body.commandId).not.toBe(first.body.commandId);
    expect(await kills()).toBe(2);
  },
);

test('a kill that may stop something is never refused, and a kill of an unknown agent counts as a change', async () => {
  const plane = await startGatewayPlane({
    mandates: MANDATES,
    quotas: NO_CHANGES,
    register: { statusOf: (_, id) => (id === 'bot-1' ? 'registered' : null), names: () => ['bot-1'] },
  });
  await plane.decide();
  await plane.call('owner', 'POST', WAIT, look('a-1', 'bot-2'));
  const kill = async (agentId: string, body = {}) => {
    const { status } = await plane.call('owner', 'POST', `/v1/agents/${agentId}/kill`, body);
    return [agentId, status];
  };
  expect(await kill('bot-1')).toEqual(['bot-1', 200]);
  expect(await kill('bot-1', { subtree: true })).toEqual(['bot-1', 200]);
  expect(await kill('bot-2')).toEqual(['bot-2', 200]);
  expect(await kill('made-up')).toEqual(['made-up', 429]);
  expect(await kill('made-up', { subtree: true })).toEqual(['made-up', 429]);
  const before = (await plane.decided()).length;
  expect((await plane.call('owner', 'POST', '/v1/kill', { scope: 'tenant' })).status).toBe(200);
  expect((await plane.call('owner', 'POST', '/v1/kill', { scope: 'all' })).status).toBe(200);
  expect(await plane.decided()).toHaveLength(before + 2);
});

test('no ALLOW of a killed agent is handed out, neither by GET nor as the answer to a waiting request', async () => {
  let killInBetween = false;
  const plane = await startGatewayPlane({
    mandates: MANDATES,
    between: ({ bus, ledger }) => ({
      bus,
      // The kill happens after the decision is on the log and before the caller gets the answer.
      ledger: {
        ...ledger,
        killStatus: async (tenant, agentId) => {
          if (killInBetween)
            await ledger.kill(
              { scope: 'agent', tenant, agentId },
              { id: 'k', by: 'test', reason: 'in between' },
            );
          return ledger.killStatus(tenant, agentId);
        },
      },
    }),
  });
  await plane.decide();
  const allowed = await plane.call('publisher', 'POST', WAIT, look('a-1'));
  expect(allowed.body).toMatchObject({ withheld: false, decision: { verdict: 'ALLOW' } });

  killInBetween = true;
  const withheld = await plane.call('publisher', 'POST', WAIT, look('a-2'));
  expect(withheld.status).toBe(200);
  expect(withheld.body).toMatchObject({
    withheld: true,
    decision: {
      verdict: 'BLOCK',
      code: 'AGENT_KILLED',
      final: true,
      reason: expect.stringContaining('in between'),
    },
  });
  const onLog = (await plane.decided()).flatMap((record) =>
    record.event === 'action.decided' ? [record.decision] : [],
  );
  expect(onLog.find(({ id }) => id === withheld.body.decision?.id)).toMatchObject({
    actionId: 'a-2',
    verdict: 'ALLOW',
  });

  const late = await plane.call('publisher', 'GET', '/v1/actions/a-1');
  expect(late.body).toMatchObject({
    withheld: true,
    decision: { id: allowed.body.decision?.id, verdict: 'BLOCK', code: 'AGENT_KILLED' },
  });
});

test.each(SWITCHES)(
  'an ALLOW from before a kill of %s stays withheld after the revive and after a restart; a later ALLOW is handed out',
  async (_, kill, revive, body) => {
    const plane = await startGatewayPlane({ mandates: MANDATES });
    await plane.decide();
    await plane.call('publisher', 'POST', WAIT, look('a-1'));
    const shown = async (id: string) => (await plane.call('publisher', 'GET', `/v1/actions/${id}`)).body;
    expect(await shown('a-1')).toMatchObject({ withheld: false, decision: { verdict: 'ALLOW' } });
    await plane.call('owner', 'POST', kill, { ...body, reason: 'runs amok' });
    expect(await shown('a-1')).toMatchObject({
      withheld: true,
      decision: { code: 'AGENT_KILLED', reason: expect.stringContaining('killed after that: runs amok') },
    });

    expect((await plane.call('owner', 'POST', revive, body)).status).toBe(200);
    expect(await shown('a-1')).toMatchObject({
      withheld: true,
      decision: { verdict: 'BLOCK', code: 'AGENT_KILLED', reason: expect.stringContaining('revived since') },
    });
    const afterwards = await plane.call('publisher', 'POST', WAIT, look('a-2'));
    expect(afterwards.body).toMatchObject({ withheld: false, decision: { verdict: 'ALLOW' } });
    expect(await shown('a-2')).toMatchObject({ withheld: false, decision: { verdict: 'ALLOW' } });

    const { ledger } = await restoreLedger({ bus: plane.bus, clock: systemClock, log: silentLogger() });
    const { revivedAtMs } = await ledger.killStatus('acme', 'bot-1');
    const decidedAtMs = async (id: string) => Date.parse(String((await shown(id)).decision?.decidedAt));
    expect(await decidedAtMs('a-1')).toBeLessThan(Number(revivedAtMs));
    expect(await decidedAtMs('a-2')).toBeGreaterThanOrEqual(Number(revivedAtMs));
  },
);

test('while the kill switch cannot be read, no ALLOW is handed out, but a BLOCK is', async () => {
  let away = false;
  const plane = await startGatewayPlane({
    mandates: `${MANDATES}deniedTools: [forbidden]\n`,
    between: ({ bus, ledger }) => ({
      bus,
      ledger: {
        ...ledger,
        killStatus: (tenant, agentId) =>
          away
            ? Promise.reject(new MandateError('WHATEVER', 'the store is away', { remedy: 'wait' }))
            : ledger.killStatus(tenant, agentId),
      },
    }),
  });
  await plane.decide();
  expect((await plane.call('publisher', 'POST', WAIT, look('a-1'))).status).toBe(200);
  away = true;
  for (const reply of [
    await plane.call('publisher', 'POST', WAIT, look('a-2')),
    await plane.call('publisher', 'GET', '/v1/actions/a-1'),
  ]) {
    expect([reply.status, reply.body.code]).toEqual([503, 'LEDGER_UNAVAILABLE']);
    expect(JSON.stringify(reply.body)).not.toContain('ALLOW');
  }
  const blocked = await plane.call('publisher', 'POST', WAIT, { ...look('a-3'), tool: 'forbidden' });
  expect(blocked.body.decision).toMatchObject({ code: 'TOOL_DENIED' });
});

test('if the log is unavailable, a kill is in force, and its answer says that it is not on the log; later its record is appended once', async () => {
  let away = true;
  const plane = await startGatewayPlane({
    mandates: MANDATES,
    between: ({ bus, ledger }) => ({
      ledger,
      bus: busWith(bus, {
        append: (topic, records) =>
          away
            ? Promise.reject(new MandateError('BUS_UNAVAILABLE', 'away', { remedy: '', retryable: true }))
            : bus.append(topic, records),
      }),
    }),
  });
  const key = { 'idempotency-key': 'incident-8' };
  const first = await plane.call('operator', 'POST', '/v1/agents/bot-1/kill', { reason: 'runs amok' }, key);
  expect([first.status, first.body.code]).toEqual([503, 'KILL_IN_FORCE_NOT_ON_LOG']);
  expect(first.body.kill).toMatchObject({ revision: 1, open: [] });
  expect((await plane.ledger.killStatus('acme', 'bot-1')).killed).toMatchObject({ scope: 'agent' });
  expect((await plane.call('operator', 'POST', '/v1/agents/bot-1/kill', {}, key)).status).toBe(503);

  const revive = await plane.call('operator', 'POST', '/v1/agents/bot-1/revive');
  expect([revive.status, revive.body.code]).toEqual([503, 'BUS_UNAVAILABLE']);
  expect((await plane.ledger.killStatus('acme', 'bot-1')).killed).not.toBeNull();

  away = false;
  const kills = async () => (await plane.decided()).filter(({ event }) => event === 'agent.killed');
  await waitUntil('the event on the log', async () => (await kills()).length > 0);
  expect((await plane.call('operator', 'POST', '/v1/agents/bot-1/kill', {}, key)).status).toBe(200);
  expect(await kills()).toMatchObject([
    { kill: { id: expect.stringMatching(/^kil_/), reason: 'runs amok' } },
  ]);
});

test('killing everything with 1,000 busy agents allows nothing afterwards, and lists every open action', async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES });
  await plane.decide();
  const agents = Array.from({ length: 1_000 }, (_, n) => `bot-${n}`);
  const publish = (round: string, query = '?waitMs=30000') =>
    Promise.all(
      [0, 1].map((half) =>
        plane.call(
          'owner',
          'POST',
          `/v1/actions${query}`,
          agents.slice(half * 500, half * 500 + 500).map((agentId) => look(`${round}-${agentId}`, agentId)),
        ),
      ),
    );
  const decisionsOf = async (round: string) => {
    const replies = await publish(round);
    return replies.flatMap(
      ({ body }) => body.results as { decision: { verdict: string; code: string; ledgerSequence: number } }[],
    );
  };
  expect((await decisionsOf('before')).every(({ decision }) => decision.verdict === 'ALLOW')).toBe(true);

  const meanwhile = publish('meanwhile', '');
  const killed = await plane.call('owner', 'POST', '/v1/kill', { scope: 'all', reason: 'stop' });
  expect(killed.status).toBe(200);
  await meanwhile;
  const after = await decisionsOf('after');
  expect(after.every(({ decision }) => decision.code === 'AGENT_KILLED')).toBe(true);

  const { acme = 0 } = killed.body.sequences as Record<string, number>;
  const allowed = (await plane.decided()).flatMap((record) =>
    record.event === 'action.decided' && record.decision.verdict === 'ALLOW' ? [record.decision] : [],
  );
  expect(allowed.length).toBeGreaterThanOrEqual(1_000);
  expect(allowed.filter(({ ledgerSequence }) => ledgerSequence > acme)).toEqual([]);
  const open = new Set((killed.body.open as { actionId: string }[]).map(({ actionId }) => actionId));
  expect(open).toEqual(new Set(allowed.map(({ actionId }) => actionId)));
  const [event] = (await plane.decided()).filter(({ event }) => event === 'agent.killed');
  expect(event?.event === 'agent.killed' && [event.kill.openCount, event.kill.open.length]).toEqual([
    open.size,
    500,
  ]);

  const status = await plane.call('stranger', 'GET', '/v1/agents/never-seen/kill-status');
  expect(status.body.killed).toMatchObject({ scope: 'all', reason: 'stop' });
  await plane.call('owner', 'POST', '/v1/revive', { scope: 'all' });
  expect((await plane.call('owner', 'POST', WAIT, look('again'))).body.decision).toMatchObject({
    verdict: 'ALLOW',
  });
  expect((await plane.bus.ranges(TOPICS.deadLetters)).every(({ endOffset }) => endOffset === 0)).toBe(true);
});
