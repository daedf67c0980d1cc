/** Tests the kill of several agents by one request over HTTP. */
import type { Ledger } from '@mandate/ledger';
import { MandateError } from '@mandate/runtime';
import { expect, test } from 'vitest';
import { startGatewayPlane } from './support/gateway-plane.ts';

const MANDATES = `
version: 1
id: bots
agents: ["*"]
`;

const look = (id: string, agentId: string) => ({ id, agentId, type: 'tool_call', tool: 'look' });
const WAIT = '/v1/actions?waitMs=20000';
const SET = { scope: 'agents', agents: ['bot-2', 'bot-1', 'bot-2', 'bot-3'], reason: 'a loop' };
const KEY = { 'idempotency-key': 'incident-9' };

type Plane = Awaited<ReturnType<typeof startGatewayPlane>>;

async function killsOnLog(plane: Plane) {
  return (await plane.decided()).flatMap((record) => (record.event === 'agent.killed' ? [record.kill] : []));
}

test('kills every agent of the set, and the same command again is the same kill', async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES });
  await plane.decide();
  const published = [look('a-1', 'bot-1'), look('b-1', 'bot-2'), look('d-1', 'bot-4')];
  await plane.call('publisher', 'POST', WAIT, published);

  const dry = await plane.call('operator', 'POST', '/v1/kill?dryRun=true', SET);
  expect(dry.body).toMatchObject({
    dryRun: true,
    agents: [
      { agentId: 'bot-1', isKilled: false, openCount: 1, open: [{ actionId: 'a-1' }] },
      { agentId: 'bot-2', isKilled: false, openCount: 1 },
      { agentId: 'bot-3', isKilled: false, openCount: 0, open: [] },
    ],
    openCount: 2,
  });
  expect(await killsOnLog(plane)).toEqual([]);

  const killed = await plane.call('operator', 'POST', '/v1/kill', SET, KEY);
  const { commandId } = killed.body;
  expect([killed.status, killed.body]).toMatchObject([
    200,
    {
      killedCount: 3,
      openCount: 2,
      agents: [
        {
          ...{ agentId: 'bot-1', isKilled: true, commandId: `${commandId}-1`, revision: 1, problem: null },
          ...{ sequence: expect.any(Number), openCount: 1, open: [{ actionId: 'a-1', tool: 'look' }] },
        },
        { agentId: 'bot-2', isKilled: true, commandId: `${commandId}-2`, openCount: 1 },
        { agentId: 'bot-3', isKilled: true, commandId: `${commandId}-3`, openCount: 0, open: [] },
      ],
    },
  ]);
  const codes = async (round: string) =>
    Promise.all(
      ['bot-1', 'bot-2', 'bot-3', 'bot-4'].map(
        async (id) =>
          (await plane.call('publisher', 'POST', WAIT, look(`${round}-${id}`, id))).body.decision?.code,
      ),
    );
  expect(await codes('after')).toEqual(['AGENT_KILLED', 'AGENT_KILLED', 'AGENT_KILLED', 'ALLOWED']);

  const again = await plane.call(
    'operator',
    'POST',
    '/v1/kill',
    { ...SET, agents: SET.agents.toReversed() },
    KEY,
  );
  expect(again.body).toEqual(killed.body);
  const repeated = await plane.call('operator', 'POST', '/v1/kill', SET);
  expect(repeated.body.agents).toEqual(killed.body.agents);
  const records = await killsOnLog(plane);
  expect(records.map(({ id }) => id).sort()).toEqual([1, 2, 3].map((at) => `${commandId}-${at}`));
  expect(records).toMatchObject(
    records.map(() => ({ reason: 'a loop', target: { scope: 'agent', tenant: 'acme' } })),
  );
});

test('says which agents are not killed and why, and a retry with the same key kills them', async () => {
  let broken = true;
  const plane = await startGatewayPlane({
    mandates: MANDATES,
    between: ({ bus, ledger }) => ({
      bus,
      ledger: Object.assign(Object.create(ledger), {
        kill: (target: { agentId: string }, command: object) => {
          if (broken && target.agentId === 'bot-2')
            throw new MandateError('LEDGER_UNAVAILABLE', 'the ledger does not answer', {
              remedy: 'Try again.',
              retryable: true,
            });
          return ledger.kill(target as never, command as never);
        },
      }) as Ledger,
    }),
  });
  const first = await plane.call('operator', 'POST', '/v1/kill', SET, KEY);
  expect([first.status, first.body]).toMatchObject([
    503,
    {
      code: 'KILL_INCOMPLETE',
      detail: '2 of 3 agents are killed; not killed: bot-2 (LEDGER_UNAVAILABLE)',
      kill: {
        killedCount: 2,
        agents: [
          { agentId: 'bot-1', isKilled: true, problem: null },
          {
            ...{
              agentId: 'bot-2',
              isKilled: false,
              revision: null,
              sequence: null,
              openCount: null,
              open: [],
            },
            problem: {
              code: 'LEDGER_UNAVAILABLE',
              detail: 'the ledger does not answer',
              remedy: 'Try again.',
            },
          },
          { agentId: 'bot-3', isKilled: true },
        ],
      },
    },
  ]);
  expect((await killsOnLog(plane)).map(({ target }) => 'agentId' in target && target.agentId).sort()).toEqual(
    ['bot-1', 'bot-3'],
  );

  broken = false;
  const second = await plane.call('operator', 'POST', '/v1/kill', SET, KEY);
  expect([second.status, second.body.killedCount]).toEqual([200, 3]);
  expect(first.body).toMatchObject({ kill: { commandId: second.body.commandId } });
  expect(await killsOnLog(plane)).toHaveLength(3);
});

test('an agent that was revived meanwhile is not reported as killed', async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES });
  await plane.call('operator', 'POST', '/v1/kill', SET, KEY);
  await plane.call('operator', 'POST', '/v1/agents/bot-1/revive');
  const again = await plane.call('operator', 'POST', '/v1/kill', SET, KEY);
  expect([again.status, again.body]).toMatchObject([
    409,
    {
      code: 'KILL_INCOMPLETE',
      kill: {
        killedCount: 2,
        agents: [{ agentId: 'bot-1', isKilled: false, problem: { code: 'REVIVED_SINCE' } }, {}, {}],
      },
    },
  ]);
});

test('says that every agent is killed while the log is away', async () => {
  const plane = await startGatewayPlane({
    mandates: MANDATES,
    between: ({ bus, ledger }) => ({
      ledger,
      bus: Object.assign(Object.create(bus), {
        append: async () => {
          throw new MandateError('BUS_UNAVAILABLE', 'no log', { remedy: 'Wait.', retryable: true });
        },
      }),
    }),
  });
  const killed = await plane.call('operator', 'POST', '/v1/kill', SET, KEY);
  const each = { isKilled: true, revision: 1, problem: { code: 'KILL_IN_FORCE_NOT_ON_LOG' } };
  expect([killed.status, killed.body]).toMatchObject([
    503,
    { code: 'KILL_IN_FORCE_NOT_ON_LOG', kill: { killedCount: 3, agents: [each, each, each] } },
  ]);
});

test('kills the descendants of the agents with `subtree`', async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES });
  const killed = await plane.call('operator', 'POST', '/v1/kill', { ...SET, subtree: true });
  expect(killed.body).toMatchObject({ killedCount: 3 });
  expect((await plane.ledger.killStatus('acme', 'child', { ancestors: ['bot-3'] })).killed).toMatchObject({
    scope: 'subtree',
    agentId: 'bot-3',
  });
});

test.each([
  ['no agent', { agents: [] }],
  ['more than 100 agents', { agents: Array.from({ length: 101 }, (_, at) => `bot-${at}`) }],
  ['a name that no agent has', { agents: ['a\nb'] }],
  ['no list', { agents: undefined }],
  ['a list for a tenant', { scope: 'tenant' }],
])('refuses %s', async (_, fields) => {
  const plane = await startGatewayPlane({ mandates: MANDATES });
  const refused = await plane.call('operator', 'POST', '/v1/kill', { ...SET, ...fields });
  expect([refused.status, refused.body.code]).toEqual([400, 'VALIDATION_FAILED']);
});
