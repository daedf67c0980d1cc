/** Clients that are no SDK of a provider: the AI SDK in two majors, and programs in Python. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import * as ai7 from 'ai';
import * as ai6 from 'ai-6';
import { createOpenAI as createOpenAI3 } from 'openai-provider-3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openScene, type Scene, type SceneAgent } from './scene.fixture.ts';

const PRICE = { inputPerMillion: 3, outputPerMillion: 15 };
const MODELS = ['gpt-4o-mini', 'claude-of-tests'];
const PRICED = { maxCostTotal: 10, modelPrices: Object.fromEntries(MODELS.map((model) => [model, PRICE])) };
/** 100 × 3 + 20 × 15 micro-dollars. */
const usage = { inputTokens: 100, outputTokens: 20 };
const COST = 600;

let scene: Scene;
beforeAll(async () => {
  scene = await openScene({ usage });
});
afterAll(() => scene[Symbol.asyncDispose]());

type Ai = Pick<typeof ai7, 'generateText' | 'streamText'>;
type Model = Parameters<typeof ai7.generateText>[0]['model'];

const MAJORS: [string, Ai, (agent: SceneAgent) => Model][] = [
  [
    'ai 7 with responses of OpenAI',
    ai7,
    ({ apiKey }) => createOpenAI({ apiKey, baseURL: scene.openaiUrl })('gpt-4o-mini'),
  ],
  [
    'ai 7 with chat completions of OpenAI',
    ai7,
    ({ apiKey }) => createOpenAI({ apiKey, baseURL: scene.openaiUrl }).chat('gpt-4o-mini'),
  ],
  [
    'ai 7 with messages of Anthropic',
    ai7,
    ({ apiKey }) => createAnthropic({ apiKey, baseURL: `${scene.anthropicUrl}/v1` })('claude-of-tests'),
  ],
  [
    'ai 6 with responses of OpenAI',
    ai6 as unknown as Ai,
    ({ apiKey }) => createOpenAI3({ apiKey, baseURL: scene.openaiUrl })('gpt-4o-mini') as unknown as Model,
  ],
  [
    'ai 6 with chat completions of OpenAI',
    ai6 as unknown as Ai,
    ({ apiKey }) =>
      createOpenAI3({ apiKey, baseURL: scene.openaiUrl }).chat('gpt-4o-mini') as unknown as Model,
  ],
];

describe.each(MAJORS)('%s', (_, { generateText, streamText }, modelFor) => {
  test('gets whole and streamed answers, which are charged', async () => {
    const agent = await scene.agentUnder(PRICED);
    const model = modelFor(agent);
    const whole = await generateText({ model, prompt: 'Say hello.', maxOutputTokens: 100 });
    expect(whole.text).toBe('Hello from the model.');
    const streamed = streamText({ model, prompt: 'Say hello.', maxOutputTokens: 100 });
    expect(await streamed.text).toBe('Hello from the model.');
    expect(await streamed.usage).toMatchObject(usage);
    expect(await agent.spent()).toBe(2 * COST);
  });

  test('shows a final refusal, and does not retry it', async () => {
    const agent = await scene.agentUnder({ ...PRICED, allowedModels: ['other-model'] });
    const refused = generateText({ model: modelFor(agent), prompt: 'Say hello.', maxRetries: 5 });
    await expect(refused).rejects.toMatchObject({
      statusCode: 403,
      message: expect.stringContaining('MODEL_NOT_ALLOWED'),
    });
  });
});

/** Runs a program in Python. Null: this machine has no Python. */
async function runPython(file: string, ...args: string[]): Promise<unknown> {
  const program = join(import.meta.dirname, file);
  try {
    const { stdout } = await promisify(execFile)(process.env.PYTHON ?? 'python3', [program, ...args]);
    return JSON.parse(stdout);
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ENOENT') throw error;
    return null;
  }
}

test('a program in Python gets whole and streamed answers and refusals in both protocols', async ({
  skip,
}) => {
  const [agent, refused] = [
    await scene.agentUnder(PRICED),
    await scene.agentUnder({ ...PRICED, allowedModels: ['other-model'] }),
  ];
  const answers = await runPython('python_client.fixture.py', scene.url, agent.apiKey, refused.apiKey);
  if (answers === null) return skip('there is no python3');
  const text = 'Hello from the model.';
  const expected = { whole: text, streamed: text, refused: [403, 'MODEL_NOT_ALLOWED'] };
  expect(answers).toMatchObject({ openai: expected, anthropic: expected });
  expect(await agent.spent()).toBe(4 * COST);
});
