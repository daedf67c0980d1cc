/**
 * Tests LLM calls in a running plane. The price of a call comes from the price lists and not from its agent. Any
 * spelling of the model's name must find the price.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApiClient } from '@mandate/client';
import { openPlane, planeConfig } from '@mandate/plane';
import { silentLogger } from '@mandate/runtime';
import type { Decision } from '@mandate/schemas';
import { temporaryFolder, waitUntil } from '@mandate/testing';
import { expect, test } from 'vitest';

const MANDATE = `
version: 1
id: careful
agents: ["*"]
maxCostTotal: 1
deniedModels: ["gpt-4*"]
deniedProviders: [deepseek]
modelPrices: { house: { inputPerMillion: 100, outputPerMillion: 100 } }
`;

test('an agent cannot choose its price by spelling the model differently, and people find the call by any spelling', async () => {
  const data = temporaryFolder();
  const mandates = join(data, 'mandates.yaml');
  writeFileSync(mandates, MANDATE);
  await using running = new AsyncDisposableStack();
  const settings = { PLANE_DATA_PATH: data, PLANE_MANDATES_PATH: mandates, PLANE_PORT: 0 };
  const plane = running.adopt(await openPlane(planeConfig.parse(settings), silentLogger()), (one) =>
    one.stop(),
  );
  const key = plane.firstKeys.find(({ name }) => name === 'operator')?.key;
  const api = createApiClient({ url: plane.url, key });
  const call = async (id: string, action: object) => {
    const body = {
      id,
      agentId: 'bot',
      type: 'llm_call',
      inputTokens: 1_000,
      maxOutputTokens: 100,
      ...action,
    };
    const query = { waitMs: 20_000 };
    return (await api.post<{ decision: Decision }>('/v1/actions', body, { query })).decision;
  };

  // The model o3 is on several price lists. The most expensive list has $2 and $8 per million tokens.
  expect(await call('a', { provider: 'x', model: 'OpenAI/o3', estimatedCostMicros: 0 })).toMatchObject({
    verdict: 'ALLOW',
    chargedMicros: 2_800,
    model: 'o3',
    provider: 'x',
    action: { model: 'OpenAI/o3', provider: 'x' },
  });
  expect(await call('b', { provider: 'us', model: 'House' })).toMatchObject({ chargedMicros: 110_000 });
  const refused = [
    await call('c', { provider: 'x', model: 'mine', estimatedCostMicros: 0 }),
    await call('d', { provider: 'x', model: 'mallory/GPT-4o' }),
    await call('e', { model: 'house' }),
    await call('f', { provider: 'us', model: 'house', maxOutputTokens: undefined }),
  ];
  expect(refused.map(({ code }) => code)).toEqual([
    'UNPRICED_MODEL',
    'MODEL_NOT_ALLOWED',
    'PROVIDER_NOT_ALLOWED',
    'TOKENS_NOT_STATED',
  ]);

  const found = (query: object) =>
    waitUntil('all is on record', async () => {
      const { decisions } = await api.get<{ decisions: Decision[] }>('/v1/audit/decisions', {
        from: '1h',
        ...query,
      });
      return decisions.length > 0 && decisions.map(({ actionId }) => actionId).toSorted();
    });
  await found({ code: 'TOKENS_NOT_STATED' });
  expect(await found({ model: 'openrouter/openai/O3' })).toEqual(['a']);
  expect(await found({ model: 'HOUSE' })).toEqual(['b', 'e', 'f']);
  expect(await found({ provider: 'X' })).toEqual(['a', 'c', 'd']);
  const { models } = await api.get<{ models: { model: string; calls: number }[] }>(
    '/v1/audit/analytics/models',
    {
      from: '1h',
    },
  );
  expect(models.find(({ model }) => model === 'house')).toMatchObject({ calls: 3 });
});
