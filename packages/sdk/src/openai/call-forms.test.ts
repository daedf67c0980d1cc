/** Each form of a call is decided once, and returns what it returns without a mandate. */
import { describe, expect, test } from 'vitest';
import { findMandateError } from '../errors.ts';
import { CALL_FORMS } from './call-forms.fixture.ts';
import { governedBench, MAJORS, plainBench } from './clients.fixture.ts';

describe.each(MAJORS)('%s', (_, Class) => {
  test.each(CALL_FORMS)('$name: one decision for each call, and the same result', async (form) => {
    const { run, replies = [{}], calls: expected = 1 } = form;
    const plain = await plainBench(Class, replies);
    const governed = await governedBench(Class, replies);
    expect(await run(governed.openai)).toEqual(await run(plain.openai));
    expect(governed.decisions).toHaveLength(expected);
    const billed = { status: 'success', usage: expect.anything() };
    expect(governed.outcomes).toEqual(Array(expected).fill(billed));
    expect(governed.server.requests).toHaveLength(expected);
    expect(await governed.mandate.getCallCount()).toBe(expected);
  });

  test.each(CALL_FORMS)('$name: two retries of the client belong to the same decision', async (form) => {
    const { run, replies = [{}], calls: expected = 1 } = form;
    const [first = {}, ...others] = replies;
    const failing = { ...first, failures: { status: 500, times: 2, retryAfterMs: 1 } };
    const { openai, server, decisions } = await governedBench(Class, [failing, ...others]);
    await run(openai);
    expect(decisions).toHaveLength(expected);
    expect(server.requests.map(({ status }) => status).slice(0, 3)).toEqual([500, 500, 200]);
  });

  test.each(CALL_FORMS)('$name: a refusal reaches the caller, and nothing is sent', async (form) => {
    const document = { allowedModels: ['other'] };
    const { openai, server } = await governedBench(Class, form.replies ?? {}, { document });
    const thrown = await form.run(openai).catch((error: unknown) => error);
    expect(findMandateError(thrown)?.code).toBe('MODEL_NOT_ALLOWED');
    const isOwn = !form.name.includes('helper') && !form.name.includes('runTools');
    if (isOwn) expect(thrown).toMatchObject({ name: 'MandateBlockedError' });
    expect(server.requests).toEqual([]);
  });
});
