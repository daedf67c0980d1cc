/** Tests GET /v1/agents/{id}/usage over HTTP: the ledger gives the total, and the audit gives the parts. */
import { expect, test } from 'vitest';
import { startGatewayPlane } from './support/gateway-plane.ts';

const MANDATES = `
version: 1
id: bots
agents: ["*"]
maxCostTotal: 1.00
budgets: [{ id: team, scope: tenant, max: 0.70 }]
toolPolicies: { look: { cost: 0.40 } }
`;

type Options = Pick<Parameters<typeof startGatewayPlane>[0], 'findUsage' | 'between'>;

/** Starts a plane in which `bot-1` has spent $0.40. */
async function planeAfterCall(options: Options = {}) {
  const plane = await startGatewayPlane({ mandates: MANDATES, ...options });
  await plane.decide();
  const action = { id: 'a-1', agentId: 'bot-1', type: 'tool_call', tool: 'look' };
  const { body } = await plane.call('publisher', 'POST', '/v1/actions?waitMs=20000', action);
  expect(body.decision).toMatchObject({ verdict: 'ALLOW', chargedMicros: 400_000 });
  const usage = (agentId: string, query = '', key: Parameters<typeof plane.call>[0] = 'publisher') =>
    plane.call(key, 'GET', `/v1/agents/${agentId}/usage${query}`);
  return { plane, usage };
}

const UNKNOWN = { llmMicros: null, toolMicros: null, calls: null };

test('shows the total of the agent, and the smallest remaining amount of all its budgets', async () => {
  const { usage } = await planeAfterCall();
  const spent = { totalMicros: 400_000, remainingMicros: 300_000 };
  expect((await usage('bot-1')).body).toEqual({ agentId: 'bot-1', ...spent, ...UNKNOWN });
  const nothing = { totalMicros: 0, remainingMicros: 300_000 };
  expect((await usage('bot-2')).body).toEqual({ agentId: 'bot-2', ...nothing, ...UNKNOWN });
  const elsewhere = { totalMicros: 0, remainingMicros: 700_000 };
  expect((await usage('bot-1', '', 'stranger')).body).toMatchObject(elsewhere);
});

test('asks the ledger for no counter of another agent', async () => {
  const asked: string[] = [];
  const { usage } = await planeAfterCall({
    between: ({ bus, ledger }) => ({
      bus,
      ledger: {
        ...ledger,
        balances: () => Promise.reject(new Error('every counter of the tenant was read')),
        spent: (tenant, budgets) => {
          asked.push(...budgets.map(({ scope, subject, id }) => `${scope} ${subject} ${id}`));
          return ledger.spent(tenant, budgets);
        },
      },
    }),
  });
  expect((await usage('bot-1')).status).toBe(200);
  expect(asked.sort()).toEqual(['agent bot-1 total', 'agent bot-1 total', 'tenant  team']);
});

test('shows the parts of the total when the audit agrees with the ledger, and waits no longer than requested', async () => {
  const behind = { calls: 0, llmMicros: 0, toolMicros: 0, adjustedMicros: 0 };
  const agreeing = { calls: 1, llmMicros: 100_000, toolMicros: 250_000, adjustedMicros: 50_000 };
  let answers = [behind];
  const { usage } = await planeAfterCall({ findUsage: async () => answers.shift() ?? agreeing });
  expect((await usage('bot-1')).body).toMatchObject(UNKNOWN);
  answers = [behind, behind];
  const { calls, llmMicros, toolMicros } = agreeing;
  expect((await usage('bot-1', '?waitMs=5000')).body).toMatchObject({ calls, llmMicros, toolMicros });
  answers = Array.from({ length: 100 }, () => behind);
  expect((await usage('bot-1', '?waitMs=60')).body).toMatchObject({ totalMicros: 400_000, ...UNKNOWN });
});

test('lets only keys that may see the agent read its usage', async () => {
  const { usage } = await planeAfterCall();
  for (const key of ['publisher', 'auditor', 'operator', 'owner'] as const)
    expect((await usage('bot-1', '', key)).status).toBe(200);
  expect(await usage('other-1')).toMatchObject({ status: 403, body: { code: 'AGENT_NOT_ALLOWED' } });
  expect(await usage('bot-1', '', 'sdk')).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
  expect((await usage('bot-1', '?waitMs=5001')).status).toBe(400);
});
