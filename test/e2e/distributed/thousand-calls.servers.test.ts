/**
 * 1,000 concurrent calls of $0.01 from four gateways against a budget of $5.00: 500 are allowed, however the agents
 * share the budget.
 */
import { randomUUID } from 'node:crypto';
import { describeWithOwnServers, waitUntil } from '@mandate/testing';

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Api, type Servers, serverPlane, startServers } from './support/server-plane.ts';

const MANDATES = `
version: 1
id: alone
agents: ["alone-*"]
maxCostTotal: 5.00
toolPolicies: { lookup: { cost: 0.01 } }
---
version: 1
id: together
agents: ["together-*"]
budgets: [{ id: shared, scope: tenant, max: 5.00 }]
toolPolicies: { lookup: { cost: 0.01 } }
`;

const CALLS = 1_000;
const GATEWAYS = 4;
const DECIDERS = 2;

type Answer = { decision: { code: string } | null };
type Balances = { balances: readonly { budget: { scope: string; id: string }; spentMicros: number }[] };

/**
 * Publishes one call and returns the code of its decision. If the decision does not come in time, asks for it later.
 */
async function codeFrom(gateway: Api, agentId: string): Promise<string> {
  const id = randomUUID();
  const action = { id, agentId, type: 'tool_call', tool: 'lookup', deadlineMs: 3_600_000 };
  const { decision } = await gateway.post<Answer>('/v1/actions?waitMs=30000', action);
  if (decision !== null) return decision.code;
  return waitUntil(
    `the decision on ${id}`,
    async () => (await gateway.get<Answer>(`/v1/actions/${id}`).catch(() => null))?.decision?.code,
    200_000,
  );
}

describeWithOwnServers(['kafka', 'redis', 'clickhouse'], '1,000 calls at once through four gateways', () => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers();
  });
  afterAll(() => servers?.[Symbol.asyncDispose]());

  test.each([
    ['of one agent, against its own $5.00', 'alone', 1, 'agent'],
    ['of 50 agents, against the $5.00 of their tenant', 'together', 50, 'tenant'],
  ])('%s: exactly 500 of 1,000 calls are allowed', async (_, name, agents, scope) => {
    const plane = serverPlane(servers, MANDATES);
    const key = await plane.issueKey(name);
    const started = await Promise.all([
      ...Array.from({ length: GATEWAYS }, () => plane.start('gateway')),
      ...Array.from({ length: DECIDERS }, () => plane.start('decider')),
    ]);
    const gateways = started.slice(0, GATEWAYS).map(({ url }) => plane.api(url, key));

    const codes = await Promise.all(
      Array.from({ length: CALLS }, (_, at) =>
        codeFrom(gateways[at % GATEWAYS] as Api, `${name}-${at % agents}`),
      ),
    );
    const tally = Object.fromEntries(
      [...Map.groupBy(codes, (code) => code)].map(([code, of]) => [code, of.length]),
    );
    expect(tally).toEqual({ ALLOWED: 500, COST_LIMIT_EXCEEDED: 500 });
    const { balances } = (await gateways[0]?.get<Balances>('/v1/ledger/balances')) ?? { balances: [] };
    const shared = balances.filter(({ budget }) => budget.scope === scope);
    expect(shared.map(({ spentMicros }) => spentMicros)).toEqual([5_000_000]);
  });
});
