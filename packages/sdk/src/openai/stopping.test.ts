/**
 * Tests that the server notices a cancelled read as soon as without a mandate, and that a stopped agent stops at once.
 */
import { collect, waitUntil } from '@mandate/testing';
import type { ModelScript } from '@mandate/testing/model-server';
import { describe, expect, test } from 'vitest';
import { findMandateError } from '../errors.ts';
import { Mandate } from '../index.ts';
import type { Agent } from '../types.ts';
import { type Bench, governedBench, MAJORS, MODEL, plainBench } from './clients.fixture.ts';
import { wrapOpenAI } from './wrap-openai.ts';

const chat = { model: MODEL, messages: [{ role: 'user' as const, content: 'Hi' }] };
const streamed = { ...chat, stream: true as const };
const slow: ModelScript = { text: Array(60).fill('word '), eventDelayMs: 40 };

async function eventsUntil(bench: Bench, leave: (bench: Bench) => Promise<unknown>): Promise<number> {
  await leave(bench);
  await waitUntil('the end of the request', () => bench.server.requests[0]?.state === 'aborted');
  return bench.server.requests[0]?.eventsSent ?? 0;
}

async function breakAfterThree({ openai }: Bench) {
  let seen = 0;
  for await (const _ of await openai.chat.completions.create(streamed)) if (++seen === 3) break;
}

async function abortAfterThree({ openai }: Bench) {
  const stop = new AbortController();
  let seen = 0;
  const stream = await openai.chat.completions.create(streamed, { signal: stop.signal });
  for await (const _ of stream) if (++seen === 3) stop.abort();
}

describe.each(MAJORS)('%s', (_, Class) => {
  test.each([
    ['break', breakAfterThree],
    ['abort', abortAfterThree],
  ])('%s reaches the server after as many events as without a mandate', async (_name, leave) => {
    const plain = await eventsUntil(await plainBench(Class, slow), leave);
    const governed = await eventsUntil(await governedBench(Class, slow), leave);
    expect(Math.abs(governed - plain)).toBeLessThanOrEqual(1);
    expect(governed).toBeLessThan(10);
  });

  test('a stream is not read ahead of its caller', async () => {
    const { openai, server } = await governedBench(Class, { text: Array(2_000).fill('x'.repeat(2_000)) });
    const stream = await openai.chat.completions.create(streamed);
    for await (const _ of stream) break;
    await waitUntil('the abort', () => server.requests[0]?.state === 'aborted');
    expect(server.requests[0]?.eventsSent).toBeLessThan(2_000);
  });

  test('a kill aborts a request that waits, and the caller gets the error of the kill', async () => {
    const { openai, server, mandate } = await governedBench(Class, {
      fault: { kind: 'hang', afterEvents: 0 },
    });
    const call = openai.chat.completions.create(chat).catch((error: unknown) => error);
    await waitUntil('the request', () => server.requests.length === 1);
    await mandate.kill('bot', 'runaway');
    expect(await call).toMatchObject({ name: 'MandateBlockedError', code: 'AGENT_KILLED' });
    await waitUntil('the abort', () => server.requests[0]?.state === 'aborted');
    expect(server.requests).toHaveLength(1);
  });

  test('an abort ends the wait for a decision, and nothing is sent', async () => {
    const { server, openai } = await governedBench(Class, {}, { decide: () => new Promise(() => {}) });
    const caller = new AbortController();
    const call = openai.chat.completions.create(chat, { signal: caller.signal });
    setImmediate(() => caller.abort());
    await expect(call).rejects.toThrow('Request was aborted.');
    expect(server.requests).toEqual([]);
  });

  test('a kill ends the wait before a retry', async () => {
    const failures = { status: 429, retryAfterMs: 30_000 };
    const { openai, server, mandate } = await governedBench(Class, { failures });
    const call = openai.chat.completions.create(chat).catch((error: unknown) => error);
    await waitUntil('the refusal', () => server.requests[0]?.state === 'answered');
    await mandate.kill('bot', 'runaway');
    expect(await call).toMatchObject({ code: 'AGENT_KILLED' });
  });

  test('a kill ends a stream with an error, also in the stream helper', async () => {
    for (const isHelper of [false, true]) {
      const { openai, server, mandate } = await governedBench(Class, slow);
      const stream = isHelper
        ? openai.chat.completions.stream(chat)
        : await openai.chat.completions.create(streamed);
      let seen = 0;
      const thrown = await (async () => {
        for await (const _ of stream) if (++seen === 3) await mandate.kill('bot', 'runaway');
      })().catch((error: unknown) => error);
      expect(findMandateError(thrown)?.code).toBe('AGENT_KILLED');
      if (!isHelper) expect(thrown).toMatchObject({ name: 'MandateBlockedError' });
      await waitUntil('the abort', () => server.requests[0]?.state === 'aborted');
      expect(server.requests[0]?.eventsSent).toBeLessThan(20);
    }
  });

  test('a kill ends the reading of an answer that is no stream', async () => {
    const { openai, mandate } = await governedBench(Class);
    const response = await openai.chat.completions.create(chat).asResponse();
    await mandate.kill('bot', 'runaway');
    await expect(response.json()).rejects.toMatchObject({ code: 'AGENT_KILLED' });
  });

  test('the end of the lease ends a stream that hangs', async () => {
    const { server, openai } = await plainBench(Class, { fault: { kind: 'hang', afterEvents: 4 } });
    const agent = new Mandate({ agentId: 'bot', mandate: {} }).agent();
    const lease = new AbortController();
    const leased: Agent = {
      ...agent,
      async start(call) {
        const action = await agent.start(call);
        return { ...action, signal: AbortSignal.any([action.signal, lease.signal]) };
      },
    };
    const read = collect(await wrapOpenAI(openai, { agent: () => leased }).chat.completions.create(streamed));
    await waitUntil('the events', () => server.requests[0]?.eventsSent === 4);
    lease.abort(new Error('the lease has ended'));
    await expect(read).rejects.toThrow('the lease has ended');
    await waitUntil('the abort', () => server.requests[0]?.state === 'aborted');
  });
});
