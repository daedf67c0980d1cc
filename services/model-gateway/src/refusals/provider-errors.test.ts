import { HttpProblem } from '@mandate/server';
import { expect, test } from 'vitest';
import { errorBody, errorEvent, retryHeaders } from './provider-errors.ts';

const refused = new HttpProblem(403, 'MODEL_NOT_ALLOWED', 'The model is not allowed', {
  remedy: 'Use another.',
});
const limited = (retryAfterMs: number | null) =>
  new HttpProblem(429, 'RATE_LIMIT_EXCEEDED', 'Too many.', { remedy: 'Wait.', extension: { retryAfterMs } });

test("writes a refusal in the shape of the provider's errors, with code, reason and remedy in the message", () => {
  const message = 'MODEL_NOT_ALLOWED: The model is not allowed. Use another.';
  const mandate = { code: 'MODEL_NOT_ALLOWED', remedy: 'Use another.' };
  expect(errorBody('openai', refused, 'req-1')).toEqual({
    error: { message, type: 'permission_error', param: null, code: 'MODEL_NOT_ALLOWED', mandate },
  });
  expect(errorBody('anthropic', refused, 'req-1')).toEqual({
    ...{ type: 'error', request_id: 'req-1' },
    error: { type: 'permission_error', message, mandate },
  });
});

test('ends a stream with the error event of its protocol', () => {
  const dataIn = (event: string) => JSON.parse(event.slice(event.indexOf('data: ') + 6));
  const chat = errorEvent('openai', '/chat/completions', refused);
  const responses = errorEvent('openai', '/responses', refused);
  const anthropic = errorEvent('anthropic', '/v1/messages', refused);
  for (const event of [chat, responses, anthropic]) expect(event.endsWith('\n\n')).toBe(true);
  expect(dataIn(chat)).toMatchObject({ error: { code: 'MODEL_NOT_ALLOWED' } });
  expect(responses.startsWith('event: error\n')).toBe(true);
  expect(dataIn(responses)).toMatchObject({ type: 'error', code: 'MODEL_NOT_ALLOWED' });
  expect(anthropic.startsWith('event: error\n')).toBe(true);
  expect(dataIn(anthropic)).toMatchObject({ type: 'error', error: { type: 'permission_error' } });
});

test('tells an SDK to retry only if a retry can succeed soon', () => {
  expect(retryHeaders(refused)).toEqual({ 'x-should-retry': 'false' });
  expect(retryHeaders(limited(1_234.5))).toEqual({ 'retry-after': '2', 'retry-after-ms': '1235' });
  expect(retryHeaders(limited(3_600_000))).toMatchObject({
    'x-should-retry': 'false',
    'retry-after': '3600',
  });
  expect(retryHeaders(limited(null))).toEqual({ 'x-should-retry': 'false' });
  const busy = new HttpProblem(503, 'OVERLOADED', 'Busy.', { remedy: 'Wait.' });
  expect(retryHeaders(busy)).toEqual({});
});
