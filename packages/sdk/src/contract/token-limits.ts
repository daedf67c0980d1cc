/** Tests limits on the tokens of model calls. A call of model-scene.ts reserves 1,500 tokens. */
import { expect, onTestFinished, test } from 'vitest';
import { type Client, openClients, TOKENS } from './model-scene.ts';
import { type AgentUnder, atOnce, codeOf, refusalOf, tally, WAITING } from './scene.ts';

const FULL = { inputTokens: 1_000, outputTokens: 500 };

export function tokenLimits(agentUnder: AgentUnder): void {
  async function clientUnder(document: object): Promise<Client> {
    const [client, ...others] = await openClients(agentUnder, document);
    onTestFinished(async () => {
      await Promise.all([client, ...others].map((one) => one?.server.close()));
    });
    if (client === undefined) throw new Error('there is no client');
    return client;
  }

  test('1,000 calls at once, under the tokens of 100 calls: 100 run', async () => {
    const { create, server } = await clientUnder({ maxTokensTotal: 100 * TOKENS });
    server.script({ usage: FULL });
    expect(tally(await atOnce(1_000, () => create()))).toEqual({ ran: 100, TOKEN_LIMIT_EXCEEDED: 900 });
    expect(server.requests).toHaveLength(100);
  });

  test('a call gives back the tokens that it did not use', async () => {
    const { create, server } = await clientUnder({ maxTokensTotal: TOKENS + 120 });
    server.script({ usage: { inputTokens: 80, outputTokens: 40 } });
    expect(await codeOf(create())).toBe('ran');
    // The outcome is settled after the call has returned.
    await expect.poll(() => codeOf(create()), WAITING).toBe('ran');
    const refused = await refusalOf(create());
    expect(refused).toMatchObject({ code: 'TOKEN_LIMIT_EXCEEDED', retryable: false });
  });

  test('a refusal by a window says when the call may be tried again', async () => {
    const window = { id: 'hour', scope: 'agent', maxTokens: TOKENS, windowMs: 3_600_000 };
    const { create, server } = await clientUnder({ tokensPerWindow: [window] });
    server.script({ usage: FULL });
    await create();
    const refused = await refusalOf(create());
    expect(refused).toMatchObject({ code: 'TOKEN_LIMIT_EXCEEDED', retryable: true });
    expect(refused.retryAfterMs).toBeGreaterThan(3_000_000);
  });
}
