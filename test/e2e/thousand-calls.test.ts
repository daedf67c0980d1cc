/**
 * 1,000 concurrent calls of $0.01 against a budget of $5.00, over HTTP: 500 are allowed, and not a cent more is
 * charged.
 */
import { expect, test } from 'vitest';
import { startGatewayPlane } from './support/gateway-plane.ts';

const MANDATES = `
version: 1
id: thrifty
agents: ["*"]
maxCostTotal: 5.00
toolPolicies:
  lookup: { cost: 0.01 }
`;

test('1,000 concurrent calls of $0.01 against a budget of $5.00: exactly 500 are allowed', async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES });
  await plane.decide();
  const replies = await Promise.all(
    Array.from({ length: 1_000 }, (_, n) =>
      plane.call('publisher', 'POST', '/v1/actions?waitMs=30000', {
        id: `call-${n}`,
        agentId: 'bot-1',
        type: 'tool_call',
        tool: 'lookup',
      }),
    ),
  );
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
  const codes = replies.map(({ body }) => body.decision?.code);
  expect(codes.filter((code) => code === 'ALLOWED')).toHaveLength(500);
  expect(codes.filter((code) => code === 'COST_LIMIT_EXCEEDED')).toHaveLength(500);
  expect(await plane.ledger.balances('acme')).toEqual([
    {
      tenant: 'acme',
      budget: { scope: 'agent', subject: 'bot-1', id: 'total', windowMs: null },
      spent: 5_000_000,
    },
  ]);
  expect(await plane.ledger.unpublished('acme')).toEqual([]);
});
