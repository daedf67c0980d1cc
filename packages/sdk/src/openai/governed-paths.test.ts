/** Calls that cannot be decided are refused, and everything that is free passes. */
import { collect } from '@mandate/testing';
import type OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { classifyPath } from '../adapters/classify-path.ts';
import { findMandateError } from '../errors.ts';
import { governedBench, MAJORS, MODEL } from './clients.fixture.ts';
import { OPENAI_PATHS } from './paths.ts';
import { wrapOpenAI } from './wrap-openai.ts';

test.each([
  ['get', '/responses/resp_1', 'free'],
  ['delete', '/files/file_1', 'free'],
  ['post', '/chat/completions', 'decided'],
  ['POST', '/responses', 'decided'],
  ['put', '/chat/completions', 'refused'],
  ['post', '/chat/completions/', 'refused'],
  ['post', '/files/../chat/completions', 'refused'],
  ['post', '/uploads/%2e%2e/parts', 'refused'],
  ['post', 'https://api.openai.com/v1/chat/completions', 'refused'],
  ['post', '/chat/completions/chatcmpl_1', 'free'],
  ['post', '/responses/input_tokens', 'free'],
  ['post', '/images/generations', 'refused'],
  ['post', '/threads/thread_1/runs', 'refused'],
  ['post', '/batches', 'refused'],
  ['post', '/batches/batch_1/cancel', 'free'],
])('%s %s is %s', (method, path, expected) => {
  expect(classifyPath(OPENAI_PATHS, { method, path }).class).toBe(expected);
});

test('a pattern lets paths pass without a decision, but never calls that can be decided', () => {
  const classOf = (path: string, ungoverned: readonly string[]) =>
    classifyPath(OPENAI_PATHS, { method: 'post', path }, ungoverned).class;
  expect(classOf('/audio/speech', ['/audio/*'])).toBe('free');
  expect(classOf('/audio/speech', ['/aud.o/*'])).toBe('refused');
  expect(classOf('/responses', ['*', '/responses'])).toBe('decided');
});

const PAID: [string, (openai: OpenAI) => Promise<unknown>][] = [
  ['images', (openai) => openai.images.generate({ model: 'gpt-image-1', prompt: 'a cat' })],
  ['speech', (openai) => openai.audio.speech.create({ model: 'tts-1', voice: 'alloy', input: 'Hi' })],
  [
    'transcriptions',
    (openai) => openai.audio.transcriptions.create({ model: 'whisper-1', file: new File(['x'], 'a.wav') }),
  ],
  [
    'batches',
    (openai) =>
      openai.batches.create({
        completion_window: '24h',
        endpoint: '/v1/chat/completions',
        input_file_id: 'file_1',
      }),
  ],
  ['fine tuning', (openai) => openai.fineTuning.jobs.create({ model: MODEL, training_file: 'file_1' })],
  ['search in a vector store', (openai) => collect(openai.vectorStores.search('vs_1', { query: 'x' }))],
  ['a session of realtime', (openai) => openai.post('/realtime/sessions', { body: {} })],
  ['an unknown path', (openai) => openai.post('/new/thing', { body: { model: MODEL } })],
];

describe.each(MAJORS)('%s', (_, Class) => {
  test.each(PAID)('%s: refused, and nothing is sent', async (_name, run) => {
    const { openai, server } = await governedBench(Class, { json: {} });
    const thrown = await run(openai).catch((error: unknown) => error);
    expect(thrown).toMatchObject({ name: 'MandateBlockedError', code: 'UNGOVERNED_CALL' });
    expect(server.requests).toEqual([]);
  });

  test('the caller can let a path pass without a decision', async () => {
    const { openai, server, decisions } = await governedBench(
      Class,
      { json: { created: 1, data: [] } },
      { wrap: { ungoverned: ['/images/*'] } },
    );
    await openai.images.generate({ model: 'gpt-image-1', prompt: 'a cat' });
    expect([server.requests.length, decisions.length]).toEqual([1, 0]);
  });

  test('free calls pass without a decision', async () => {
    const { openai, server, decisions } = await governedBench(Class, { json: { id: 'file_1', data: [] } });
    await openai.files.create({ purpose: 'assistants', file: new File(['x'], 'a.txt') });
    await openai.moderations.create({ input: 'Hi' });
    await openai.responses.retrieve('resp_1');
    await openai.models.list();
    expect([server.requests.length, decisions.length]).toEqual([4, 0]);
    expect(server.requests[0]?.headers['content-type']).toContain('multipart/form-data');
  });

  test('a query does not change how a path is decided', async () => {
    const { openai, decisions } = await governedBench(Class);
    await openai.post('/responses?beta=true', { body: { model: MODEL, input: 'Hi' } });
    expect(decisions).toHaveLength(1);
  });

  test('a request that would avoid the decision is not sent', async () => {
    const { openai, server } = await governedBench(Class);
    const inside = openai as unknown as { fetch: typeof fetch; baseURL: string };
    const thrown = await inside
      .fetch(`${inside.baseURL}/chat/completions`, { method: 'POST', body: '{}' })
      .catch((error: unknown) => error);
    expect(findMandateError(thrown)?.code).toBe('UNGOVERNED_CALL');
    expect(server.requests).toEqual([]);
  });

  test('the client that was given stays as it was, and a client is wrapped once', async () => {
    const { openai, mandate } = await governedBench(Class);
    const given = new Class({ apiKey: 'sk-test' });
    const before = Reflect.ownKeys(given);
    const wrapped = wrapOpenAI(given, mandate);
    expect(Reflect.ownKeys(given)).toEqual(before);
    expect(wrapped).not.toBe(given);
    expect(() => wrapOpenAI(openai, mandate)).toThrow('This client is under a mandate already.');
    expect(() => wrapOpenAI(openai.withOptions({}), mandate)).toThrow('under a mandate already');
    expect(() => wrapOpenAI({} as never, mandate)).toThrow('This is not a client of openai 6 or 7.');
  });
});
