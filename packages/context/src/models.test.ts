/** Tests both providers with their own SDKs against a local model server, under a mandate in this process. */
import Anthropic from '@anthropic-ai/sdk';
import { Mandate, type MandateOptions } from '@mandate/sdk';
import { type ModelReply, type ModelScript, startModelServer } from '@mandate/testing/model-server';
import OpenAI from 'openai';
import { describe, expect, onTestFinished, test } from 'vitest';
import { anthropicModel } from './anthropic/index.ts';
import { type BuilderRequest, type BuildFailure, type BuildRecord, runManifestBuilder } from './index.ts';
import { openaiModel } from './openai/index.ts';

const TEXT = JSON.stringify({
  focus: 'Who Ann is',
  question_type: 'relationship_identity',
  context_early: ['Ann is a sister'],
  context_reinforce: [],
  answer_guidance: [],
});
const REQUEST: BuilderRequest = { message: 'Who is Ann?', relationship: 'Ann: sister' };
const DOCUMENT = {
  maxCostPerCall: 0.01,
  allowedTools: [],
  allowedModels: ['claude-haiku-4-5*', 'gpt-4.1-mini'],
  defaultChargingPolicy: { type: 'ATTEMPT_BASED' as const },
};

type Provider = 'anthropic' | 'openai';
type Scene = { script?: ModelScript; options?: MandateOptions; timeoutMs?: number; url?: string };

async function scene(provider: Provider, { script = { text: TEXT }, options, timeoutMs, url }: Scene = {}) {
  const server = await startModelServer(script);
  onTestFinished(() => server.close());
  const mandate = new Mandate(options?.mode === 'plane' ? options : { mandate: DOCUMENT, ...options });
  const baseURL = url ?? (provider === 'anthropic' ? server.url : server.openaiUrl);
  const apiKey = 'sk-test';
  const model =
    provider === 'anthropic'
      ? anthropicModel(new Anthropic({ apiKey, baseURL }), mandate)
      : openaiModel(new OpenAI({ apiKey, baseURL }), mandate, { model: 'gpt-4.1-mini' });
  const records: BuildRecord[] = [];
  const failures: BuildFailure[] = [];
  const build = (request: BuilderRequest = REQUEST) =>
    runManifestBuilder(request, {
      model,
      config: timeoutMs === undefined ? {} : { timeoutMs },
      record: (record) => records.push(record),
      warn: (failure) => failures.push(failure),
    });
  const codes = () => failures.map(({ code, detail }) => (detail === undefined ? code : `${code} ${detail}`));
  return { server, mandate, build, records, codes };
}

const PROVIDERS = ['anthropic', 'openai'] as const;

describe.each(PROVIDERS)('%s', (provider) => {
  test('is called once, with a limit, temperature 0 and the JSON Schema of the answer', async () => {
    const { server, mandate, build, records } = await scene(provider);
    expect((await build())?.manifest.context_early).toEqual(['Ann is a sister']);
    expect(server.requests).toHaveLength(1);
    const body = server.requests[0]?.body;
    expect(body).toMatchObject({ temperature: 0 });
    expect(JSON.stringify(body)).toContain('"additionalProperties":false');
    expect(body).toMatchObject(
      provider === 'anthropic'
        ? { model: 'claude-haiku-4-5', max_tokens: 700, output_config: { format: { type: 'json_schema' } } }
        : { max_completion_tokens: 700, response_format: { json_schema: { strict: true } } },
    );
    expect(records[0]?.actionId).toMatch(/^act_/);
    expect((await mandate.getCost('context-builder')).llmMicros).toBeGreaterThan(0);
  });

  test('states the action of the main call and the person', async () => {
    const actions: unknown[] = [];
    const audit = [
      (records: readonly { event: string }[]) => {
        for (const record of records) if ('decision' in record) actions.push(record.decision);
      },
    ];
    const { build, mandate } = await scene(provider, { options: { audit } });
    await build({ ...REQUEST, parentActionId: 'act_main', principal: { id: 'mia', role: 'user' } });
    await mandate.flush();
    expect(actions).toMatchObject([
      { agentId: 'context-builder', action: { parentActionId: 'act_main', principal: { id: 'mia' } } },
    ]);
  });

  test.each([401, 429, 500])('is not retried after %s', async (status) => {
    const { server, build, codes } = await scene(provider, {
      script: { text: TEXT, failures: { status, retryAfterMs: 1 } },
    });
    expect(await build()).toBeNull();
    expect(server.requests).toHaveLength(1);
    expect(codes()).toEqual([`PROVIDER_ERROR ${status}`]);
  });

  test.each<[string, ModelReply, string]>([
    ['cuts the connection', { fault: { kind: 'cut', afterEvents: 0 } }, 'PROVIDER_ERROR'],
    ['sends an object of another form', { json: { hello: 'world' } }, 'PROVIDER_ERROR'],
    ['sends a list', { json: [] }, 'PROVIDER_ERROR'],
    ['sends a text', { json: 'hello' }, 'PROVIDER_ERROR'],
    ['sends far too much', { text: 'x'.repeat(2 << 20) }, 'PROVIDER_ERROR'],
    ['stops at its limit', { text: TEXT, stopReason: 'length' }, 'TRUNCATED'],
    ['says nothing', { text: '' }, 'EMPTY_ANSWER'],
    ['talks', { text: 'Sure! Ann is the sister.' }, 'INVALID_JSON'],
    ['answers another question', { text: '{"ok":true}' }, 'INVALID_SHAPE'],
  ])('fails without a manifest if the server %s', async (_, script, code) => {
    const { build, codes, records } = await scene(provider, { script });
    expect(await build()).toBeNull();
    expect(codes()).toEqual([code]);
    expect(records[0]?.actionId).toMatch(/^act_/);
  });

  test.each([
    ['answers late', { text: TEXT, delayMs: 5_000 }],
    ['never answers', { fault: { kind: 'hang', afterEvents: 0 } as const }],
  ])('is aborted if the server %s, and keeps its charge', async (_, script) => {
    const { build, codes, server, mandate } = await scene(provider, { script, timeoutMs: 300 });
    const began = performance.now();
    expect(await build()).toBeNull();
    expect(performance.now() - began).toBeLessThan(2_000);
    expect(codes()).toEqual(['TIMEOUT']);
    await expect.poll(() => server.requests[0]?.state).toBe('aborted');
    await mandate.flush();
    expect((await mandate.getCost('context-builder')).llmMicros).toBeGreaterThan(0);
  });

  test('fails with PROVIDER_ERROR if there is no server', async () => {
    const { build, codes } = await scene(provider, { url: 'http://127.0.0.1:9' });
    expect(await build()).toBeNull();
    expect(codes()).toEqual(['PROVIDER_ERROR']);
  });

  test('is not called if the mandate refuses, and the refused action is recorded', async () => {
    const refusing = { ...DOCUMENT, allowedModels: ['other'] };
    const { build, codes, server, records } = await scene(provider, { options: { mandate: refusing } });
    expect(await build()).toBeNull();
    expect(codes()).toEqual(['BLOCKED MODEL_NOT_ALLOWED']);
    expect(records[0]?.actionId).toMatch(/^act_/);
    expect(server.requests).toEqual([]);
  });

  test('is not called if there is no decision', async () => {
    const options: MandateOptions = {
      ...{ mode: 'plane', planeUrl: 'http://127.0.0.1:9', apiKey: 'mandate_x', timeoutMs: 100 },
      onError: () => {},
    };
    const { build, codes, server, records } = await scene(provider, { options });
    expect(await build()).toBeNull();
    expect(codes()).toEqual(['UNDECIDED']);
    expect(records[0]?.actionId).toBeNull();
    expect(server.requests).toEqual([]);
  });

  test('is aborted by a kill', async () => {
    const { build, codes, mandate, server } = await scene(provider, {
      script: { fault: { kind: 'hang', afterEvents: 0 } },
    });
    const building = build();
    await expect.poll(() => server.requests).toHaveLength(1);
    await mandate.kill('context-builder', 'runaway');
    expect(await building).toBeNull();
    expect(codes()).toEqual(['BLOCKED AGENT_KILLED']);
  });
});

test('models that refuse a temperature or an output format are called without these fields', async () => {
  const server = await startModelServer({ text: TEXT });
  onTestFinished(() => server.close());
  const mandate = new Mandate({ mandate: {} });
  const bare = { temperature: null, structuredOutput: false, maxTokens: 50, agentId: 'own' };
  const clients = [
    anthropicModel(new Anthropic({ apiKey: 'x', baseURL: server.url }), mandate, bare),
    openaiModel(new OpenAI({ apiKey: 'x', baseURL: server.openaiUrl }), mandate, { ...bare, model: 'm' }),
  ];
  for (const model of clients) expect(await runManifestBuilder(REQUEST, { model })).not.toBeNull();
  for (const { body } of server.requests) {
    for (const field of ['temperature', 'output_config', 'response_format'])
      expect(body).not.toHaveProperty(field);
    expect(Object.values(body ?? {})).toContain(50);
  }
});
