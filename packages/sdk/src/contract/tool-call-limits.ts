/** Tests limits on the calls of tools that answers of models ask for. */
import { expect, onTestFinished, test } from 'vitest';
import { type Client, openClients } from './model-scene.ts';
import { type AgentUnder, atOnce, codeOf, refusalOf, tally, WAITING } from './scene.ts';

const toolCalls = [
  { name: 'read', args: { path: '/a' } },
  { name: 'write', args: { path: '/b' } },
];

export function toolCallLimits(agentUnder: AgentUnder): void {
  async function clientsUnder(document: object): Promise<Client[]> {
    const clients = await openClients(agentUnder, document);
    onTestFinished(async () => {
      await Promise.all(clients.map((one) => one.server.close()));
    });
    return clients;
  }

  test('the answer that exceeds the limit is returned, and the next call is refused', async () => {
    for (const { create, stream, server } of await clientsUnder({ maxToolCallsTotal: 5 })) {
      server.script({ toolCalls });
      // The outcome is settled after the call has returned. Until then, the call holds its reserved tool call.
      for (const ask of [create, () => stream(), create]) expect(await codeOf(ask())).toBe('ran');
      await expect
        .poll(async () => refusalOf(create()), WAITING)
        .toMatchObject({ code: 'TOOL_CALL_LIMIT_EXCEEDED', retryable: false });
      expect(server.requests).toHaveLength(3);
    }
  });

  test('1,000 calls at once, under 100 tool calls: at most 100 run', async () => {
    const [client] = await clientsUnder({ maxToolCallsTotal: 100 });
    if (client === undefined) throw new Error('there is no client');
    client.server.script({ toolCalls });
    const { ran = 0, TOOL_CALL_LIMIT_EXCEEDED: refused = 0 } = tally(
      await atOnce(1_000, () => client.create()),
    );
    expect(ran + refused).toBe(1_000);
    expect(ran).toBeGreaterThanOrEqual(50);
    expect(ran).toBeLessThanOrEqual(100);
  });

  test('an answer without tool calls gives the reserved one back', async () => {
    for (const { create, stream, server } of await clientsUnder({ maxToolCallsTotal: 1 })) {
      server.script({});
      expect(await codeOf(create())).toBe('ran');
      await expect.poll(() => codeOf(stream()), WAITING).toBe('ran');
      await expect.poll(() => codeOf(create()), WAITING).toBe('ran');
    }
  });

  test('a refusal by a window says when the call may be tried again', async () => {
    const window = { id: 'hour', scope: 'agent', maxToolCalls: 1, windowMs: 3_600_000 };
    const [client] = await clientsUnder({ toolCallsPerWindow: [window] });
    client?.server.script({ toolCalls });
    await client?.create();
    const refused = await refusalOf(client?.create() ?? Promise.resolve());
    expect(refused).toMatchObject({ code: 'TOOL_CALL_LIMIT_EXCEEDED', retryable: true });
    expect(refused.retryAfterMs).toBeGreaterThan(3_000_000);
  });
}
