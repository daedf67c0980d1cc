/** Tests the reservation of a call, and the billed tokens in its outcome. */
import { collect, waitUntil } from '@mandate/testing';
import type { ModelReply } from '@mandate/testing/model-server';
import type OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import type { DecideInstead } from '../adapters/recorded-mandate.fixture.ts';
import { type GovernedBench, governedBench, MAJORS, MODEL } from './clients.fixture.ts';

const chat = { model: MODEL, messages: [{ role: 'user' as const, content: 'Hi, wörld' }] };
const streamed = { ...chat, stream: true as const };
const sent = (body: object) => Math.ceil(Buffer.byteLength(JSON.stringify(body)) / 3);

const usage = { inputTokens: 1_000, cachedInputTokens: 400, outputTokens: 200, reasoningTokens: 50 };
const slow = { text: ['abcdef', 'ghi', 'jkl', 'mno', 'pqr', 'stu'], usage, eventDelayMs: 25 };

/** Reads until the given text has arrived, and then stops. */
async function leaveAfter(openai: OpenAI, text: string, signal?: AbortController) {
  let read = '';
  const options = signal === undefined ? {} : { signal: signal.signal };
  for await (const { choices } of await openai.chat.completions.create(streamed, options)) {
    read += choices[0]?.delta.content ?? '';
    if (read !== text) continue;
    if (signal === undefined) break;
    signal.abort();
  }
}

async function outcomeOf({ outcomes }: GovernedBench) {
  await waitUntil('the outcome', () => outcomes.length > 0);
  return outcomes[0];
}

describe.each(MAJORS)('%s: a call reserves', (_, Class) => {
  const asked = async (run: (openai: OpenAI) => Promise<unknown>, wrap = {}) => {
    const { openai, decisions } = await governedBench(Class, {}, { wrap });
    await run(openai);
    const [action] = decisions.map((decision) => decision.action);
    return action?.type === 'llm_call' ? [action.inputTokens, action.maxOutputTokens] : [];
  };

  test('a token for three bytes of the request, and the output that it allows', async () => {
    const limited = { ...chat, max_completion_tokens: 70 };
    expect(await asked((openai) => openai.chat.completions.create(limited))).toEqual([sent(limited), 70]);
    const several = { ...chat, max_tokens: 10, n: 3 };
    expect(await asked((openai) => openai.chat.completions.create(several))).toEqual([sent(several), 30]);
    const response = { model: MODEL, input: 'Hi', max_output_tokens: 9 };
    expect(await asked((openai) => openai.responses.create(response))).toEqual([sent(response), 9]);
  });

  test('4,096 output tokens if nothing limits them, or what the caller of wrapOpenAI says', async () => {
    const run = (openai: OpenAI) => openai.chat.completions.create(chat);
    expect(await asked(run)).toEqual([sent(chat), 4_096]);
    expect(await asked(run, { maxOutputTokens: 50, countTokens: () => 7 })).toEqual([7, 50]);
    const document = { defaultTokens: { maxOutputTokens: 100 } };
    const wrap = { maxOutputTokens: null };
    const { openai, decisions } = await governedBench(Class, {}, { document, wrap });
    await run(openai);
    expect(decisions[0]?.action).not.toHaveProperty('maxOutputTokens');
  });

  test('no output for embeddings, and every token of a list of tokens', async () => {
    const input = Array(300).fill(7);
    const run = (openai: OpenAI) => openai.embeddings.create({ model: 'text-embedding-3-small', input });
    expect(await asked(run)).toEqual([300, 0]);
  });

  test('nothing if the model is not stated or has no price', async () => {
    const { openai, server } = await governedBench(Class);
    const unnamed = openai.responses.create({ input: 'Hi' }).catch((error: unknown) => error);
    expect(await unnamed).toMatchObject({ code: 'INVALID_ACTION' });
    const unknown = openai.responses.create({ model: 'no-such-model', input: 'Hi' });
    await expect(unknown).rejects.toMatchObject({ code: 'UNPRICED_MODEL' });
    expect(server.requests).toEqual([]);
  });
});

describe.each(MAJORS)('%s: a reply settles', (_, Class) => {
  const RUNS: [string, (openai: OpenAI) => Promise<unknown>][] = [
    ['chat completions', (openai) => openai.chat.completions.create(chat)],
    ['chat stream', async (openai) => collect(await openai.chat.completions.create(streamed))],
    ['responses', (openai) => openai.responses.create({ model: MODEL, input: 'Hi' })],
    [
      'responses stream',
      async (openai) => collect(await openai.responses.create({ model: MODEL, input: 'Hi', stream: true })),
    ],
    [
      'completions stream',
      async (openai) =>
        collect(
          await openai.completions.create({ model: 'gpt-3.5-turbo-instruct', prompt: 'Hi', stream: true }),
        ),
    ],
  ];

  test.each(RUNS)('%s by the usage of the provider', async (_name, run) => {
    const bench = await governedBench(Class, { usage, pieceBytes: 50 });
    await run(bench.openai);
    expect(await outcomeOf(bench)).toEqual({ status: 'success', usage });
  });

  test.each(RUNS.slice(0, 4))('%s to the micro-dollar', async (_name, run) => {
    const bench = await governedBench(Class, { usage });
    await run(bench.openai);
    await outcomeOf(bench);
    // 600 tokens at $0.15 a million, 400 from a cache at $0.075, and 200 of output at $0.60.
    expect((await bench.mandate.getCost()).llmMicros).toBe(90 + 30 + 120);
  });

  test('embeddings by their input', async () => {
    const bench = await governedBench(Class, { usage });
    await bench.openai.embeddings.create({ model: 'text-embedding-3-small', input: 'Hi' });
    expect(await outcomeOf(bench)).toMatchObject({ usage: { inputTokens: 1_000, outputTokens: 0 } });
  });

  test('a long reply by the usage at its end', async () => {
    const bench = await governedBench(Class, { usage, text: 'x'.repeat(5_000_000) });
    await bench.openai.chat.completions.create(chat);
    expect(await outcomeOf(bench)).toEqual({ status: 'success', usage });
  });

  test.each(RUNS)('%s without usage as reserved', async (_name, run) => {
    const bench = await governedBench(Class, { usage: 'missing' });
    await run(bench.openai);
    expect(await outcomeOf(bench)).toEqual({ status: 'success' });
    expect((await bench.mandate.getCost()).totalMicros).toBe(bench.decisions[0]?.chargedMicros);
  });

  test('retries after 429 by the one reply', async () => {
    const failures = { status: 429, times: 2, retryAfterMs: 1 };
    const bench = await governedBench(Class, { usage, failures });
    await bench.openai.chat.completions.create(chat);
    expect(await outcomeOf(bench)).toEqual({ status: 'success', usage });
  });

  test.each([400, 429, 500])('errors of status %i at no cost', async (status) => {
    const bench = await governedBench(Class, { failures: { status, retryAfterMs: 1 } });
    await expect(bench.openai.chat.completions.create(chat)).rejects.toMatchObject({ status });
    expect(await outcomeOf(bench)).toEqual({ status: 'failure' });
    expect((await bench.mandate.getCost()).totalMicros).toBe(0);
  });

  test('a request that could not connect, at no cost', async () => {
    const bench = await governedBench(Class);
    await bench.server.close();
    const call = bench.openai.chat.completions.create(chat, { maxRetries: 1 });
    await expect(call).rejects.toThrow('Connection error.');
    expect(await outcomeOf(bench)).toEqual({ status: 'failure' });
  });

  test('a request without an answer as reserved, because it may have been billed', async () => {
    const bench = await governedBench(Class, { fault: { kind: 'hang', afterEvents: 0 } });
    const call = bench.openai.chat.completions.create(chat, { timeout: 30, maxRetries: 0 });
    await expect(call).rejects.toThrow('Request timed out.');
    expect(await outcomeOf(bench)).toEqual({ status: 'success' });
    expect((await bench.mandate.getCost()).totalMicros).toBe(bench.decisions[0]?.chargedMicros);
  });

  test('an answer after a time-out by its usage, and the input of the lost attempt', async () => {
    const hang = { kind: 'hang', afterEvents: 0 } as const;
    const bench = await governedBench(Class, [{ fault: hang }, { usage }]);
    await bench.openai.chat.completions.create(chat, { timeout: 300 });
    const inputTokens = usage.inputTokens + sent(chat);
    expect(await outcomeOf(bench)).toEqual({ status: 'success', usage: { ...usage, inputTokens } });
  });

  test('a request that was aborted during its decision, at no cost', async () => {
    const stop = new AbortController();
    const decide: DecideInstead = (ofPoint) => {
      stop.abort();
      return ofPoint();
    };
    const bench = await governedBench(Class, {}, { decide });
    const call = bench.openai.chat.completions.create(chat, { signal: stop.signal });
    await expect(call).rejects.toThrow('Request was aborted.');
    expect(await outcomeOf(bench)).toEqual({ status: 'cancelled' });
    expect([bench.decisions.length, bench.server.requests]).toEqual([1, []]);
  });
});

describe.each(MAJORS)('%s: a stream that ends early is charged for the part that came', (_, Class) => {
  const estimated = (status: 'success' | 'failure', text: string) => ({
    status,
    usage: { inputTokens: sent(streamed), outputTokens: Math.ceil(Buffer.byteLength(text) / 3) },
  });

  test('break', async () => {
    const bench = await governedBench(Class, slow);
    await leaveAfter(bench.openai, 'abcdefghi');
    expect(await outcomeOf(bench)).toEqual(estimated('success', 'abcdefghi'));
  });

  test('abort', async () => {
    const bench = await governedBench(Class, slow);
    await leaveAfter(bench.openai, 'abcdefghijkl', new AbortController());
    expect(await outcomeOf(bench)).toEqual(estimated('failure', 'abcdefghijkl'));
  });

  test('a kill', async () => {
    const bench = await governedBench(Class, slow);
    const stream = await bench.openai.chat.completions.create(streamed);
    let read = '';
    const reading = (async () => {
      for await (const { choices } of stream) {
        read += choices[0]?.delta.content ?? '';
        if (read === 'abcdefghi') await bench.mandate.kill('bot', 'runaway');
      }
    })();
    await expect(reading).rejects.toMatchObject({ code: 'AGENT_KILLED' });
    expect(await outcomeOf(bench)).toEqual(estimated('failure', 'abcdefghi'));
  });

  test.each(['cut', 'error'] as const)('%s by the server', async (kind) => {
    const bench = await governedBench(Class, { ...slow, fault: { kind, afterEvents: 3 } });
    const stream = await bench.openai.chat.completions.create(streamed);
    await expect(collect(stream)).rejects.toThrow();
    expect(await outcomeOf(bench)).toEqual(estimated('failure', 'abcdefghi'));
  });

  test('parallel calls of tools', async () => {
    const reply: ModelReply = {
      toolCalls: [
        { name: 'read', args: { path: '/a' } },
        { name: 'search', args: { q: 'x' } },
      ],
      fault: { kind: 'cut', afterEvents: 5 },
    };
    const bench = await governedBench(Class, reply);
    await expect(collect(await bench.openai.chat.completions.create(streamed))).rejects.toThrow();
    expect(await outcomeOf(bench)).toEqual(estimated('failure', 'read{"path":"/a"}search'));
  });

  test('a stream of responses', async () => {
    const bench = await governedBench(Class, { ...slow, fault: { kind: 'cut', afterEvents: 6 } });
    const body = { model: MODEL, input: 'Hi', stream: true as const };
    await expect(collect(await bench.openai.responses.create(body))).rejects.toThrow();
    const { status, usage: charged } = (await outcomeOf(bench)) ?? {};
    expect([status, charged]).toEqual(['failure', { inputTokens: sent(body), outputTokens: 3 }]);
  });

  test('but a reply that was complete when its reader left is charged in full', async () => {
    const bench = await governedBench(Class, { text: ['abc'], usage: 'missing' });
    for await (const { choices } of await bench.openai.chat.completions.create(streamed)) {
      if (choices[0]?.finish_reason === 'stop') break;
    }
    expect(await outcomeOf(bench)).toEqual({ status: 'success' });
  });

  test('a stream that is not read, and one branch of a tee, keep their reservation', async () => {
    const bench = await governedBench(Class, slow);
    await bench.openai.chat.completions.create(streamed);
    const [half] = (await bench.openai.chat.completions.create(streamed)).tee();
    for await (const _chunk of half) break;
    expect([bench.decisions.length, bench.outcomes]).toEqual([2, []]);
    const reserved = bench.decisions.reduce((sum, { chargedMicros }) => sum + chargedMicros, 0);
    expect((await bench.mandate.getCost()).totalMicros).toBe(reserved);
  });
});
