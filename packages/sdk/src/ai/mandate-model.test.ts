import { waitUntil } from '@mandate/testing';
import { describe, expect, test } from 'vitest';
import { findMandateError } from '../errors.ts';
import { MAJORS, scene } from './scene.fixture.ts';

const usage = { inputTokens: 100, cachedInputTokens: 40, outputTokens: 20, reasoningTokens: 5 };
const slow = { text: Array(50).fill('12 letters..'), eventDelayMs: 5, usage };
const failures = { status: 500, retryAfterMs: 1 };

describe.each(MAJORS)('a model of %s', (_major, ai) => {
  const isLlm = ({ type }: { type: string }) => type === 'llm_call';

  test('is decided once, and settled at the cost of its usage', async () => {
    const { model, decisions, outcomes } = await scene({ ai, script: { usage } });
    const { text } = await ai.generateText({ model, prompt: 'Hi', maxOutputTokens: 50 });
    expect(text).toBe('Hello from the model.');
    expect(decisions.filter(isLlm).map(({ action }) => action)).toMatchObject([
      { provider: 'openai', model: 'gpt-4o', maxOutputTokens: 50, inputTokens: expect.any(Number) },
    ]);
    expect(outcomes).toMatchObject([{ status: 'success', usage }]);
  });

  test('streams, and is settled at the cost of the usage in the last part', async () => {
    const { model, outcomes } = await scene({ ai, script: { usage } });
    const { textStream } = ai.streamText({ model, prompt: 'Hi' });
    let text = '';
    for await (const piece of textStream) text += piece;
    expect(text).toBe('Hello from the model.');
    expect(outcomes).toMatchObject([{ status: 'success', usage }]);
  });

  test('that is refused is not called', async () => {
    const { model, server } = await scene({ ai, document: { allowedModels: ['gpt-3*'] } });
    const error = await ai.generateText({ model, prompt: 'Hi' }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'MandateBlockedError', code: 'MODEL_NOT_ALLOWED' });
    const shown: unknown[] = [];
    const onError = ({ error }: { error: unknown }) => void shown.push(error);
    const { textStream } = ai.streamText({ model, prompt: 'Hi', onError });
    for await (const piece of textStream) expect(piece).toBe('nothing');
    expect(findMandateError(shown[0])?.code).toBe('MODEL_NOT_ALLOWED');
    expect(server.requests).toHaveLength(0);
  });

  test('is not called if the decision point throws', async () => {
    const decide = () => Promise.reject(new Error('broken'));
    const { model, server } = await scene({ ai, decide });
    await expect(ai.generateText({ model, prompt: 'Hi' })).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
    expect(server.requests).toHaveLength(0);
  });

  test('is not called if the decision point hangs, and an abort ends the wait', async () => {
    const { model, server } = await scene({ ai, decide: () => new Promise(() => {}) });
    const caller = new AbortController();
    const asking = ai.generateText({ model, prompt: 'Hi', abortSignal: caller.signal });
    setImmediate(() => caller.abort());
    await expect(asking).rejects.toMatchObject({ name: 'AbortError' });
    expect(server.requests).toHaveLength(0);
  });

  test('that the SDK calls again is one action for each attempt', async () => {
    const { model, decisions, outcomes } = await scene({
      ai,
      script: [{ usage, failures: { ...failures, times: 2 } }],
    });
    await ai.generateText({ model, prompt: 'Hi', maxRetries: 2 });
    expect(new Set(decisions.map(({ actionId }) => actionId)).size).toBe(3);
    expect(outcomes.map(({ status }) => status)).toEqual(['failure', 'failure', 'success']);
  });

  test('that states no usage keeps its reservation charged', async () => {
    const { model, outcomes } = await scene({ ai, script: { usage: 'missing' } });
    await ai.generateText({ model, prompt: 'Hi' });
    expect(outcomes).toEqual([{ status: 'success' }]);
  });

  test('is settled at the cost of its usage if the reader stops early but the program reads the usage', async () => {
    const { model, outcomes } = await scene({ ai, script: { ...slow, eventDelayMs: 1 } });
    const result = ai.streamText({ model, prompt: 'Hi' });
    for await (const _ of result.textStream) break;
    await result.usage;
    await waitUntil('the outcome', () => outcomes.length === 1);
    expect(outcomes).toMatchObject([{ status: 'success', usage }]);
  });

  test('that is aborted is charged for the delivered part', async () => {
    const { model, outcomes, server } = await scene({ ai, script: slow });
    const caller = new AbortController();
    const { textStream } = ai.streamText({
      model,
      prompt: 'Hi',
      abortSignal: caller.signal,
      onError: () => {},
    });
    let pieces = 0;
    for await (const _ of textStream) {
      pieces += 1;
      if (pieces === 5) caller.abort();
    }
    await waitUntil('the outcome', () => outcomes.length === 1);
    const output = outcomes[0]?.usage?.outputTokens ?? 0;
    expect(outcomes[0]?.status).toBe('failure');
    expect(output).toBeGreaterThanOrEqual(20);
    expect(output).toBeLessThan(100);
    await waitUntil('the abort', () => server.requests[0]?.state === 'aborted');
  });

  test('that is killed ends with the refusal', async () => {
    const { model, outcomes, server, mandate } = await scene({ ai, script: slow });
    const { textStream } = ai.streamText({ model, prompt: 'Hi', onError: () => {} });
    let pieces = 0;
    const reading = (async () => {
      for await (const _ of textStream) {
        pieces += 1;
        if (pieces === 2) await mandate.kill('bot', 'runaway');
      }
    })();
    expect(findMandateError(await reading.catch((thrown: unknown) => thrown))?.code).toBe('AGENT_KILLED');
    expect(pieces).toBeLessThan(50);
    expect(outcomes).toMatchObject([{ status: 'failure', usage: { outputTokens: expect.any(Number) } }]);
    await waitUntil('the abort', () => server.requests[0]?.state === 'aborted');
  });
});
