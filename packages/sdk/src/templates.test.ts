import { describe, expect, test } from 'vitest';
import { Mandate, readMandate, templates } from './index.ts';
import type { MandateDocument } from './types.ts';

const NOW_MS = Date.parse('2026-03-01T12:00:00Z');
const named = { allowedTools: ['read'] };

describe.each<[string, MandateDocument]>([
  ['restricted', templates.restricted()],
  ['development', templates.development()],
  ['production', templates.production(named)],
  ['temporary', templates.temporary(named, NOW_MS)],
])('the template %s', (_name, document) => {
  test('is a mandate, and states tools, models, budgets and rates', () => {
    const { policies } = readMandate(document, 'bot');
    expect(policies).toMatchObject([
      {
        allowedTools: expect.anything(),
        allowedModels: expect.anything(),
        maxCostTotalMicros: expect.any(Number),
        maxCostPerCallMicros: expect.any(Number),
        rate: expect.anything(),
      },
    ]);
  });
});

test('a template without tools allows none', async () => {
  const tools = new Mandate({ agentId: 'bot', mandate: templates.restricted() }).createExecutor();
  await expect(tools.run('read', {}, () => 1)).rejects.toMatchObject({ code: 'TOOL_NOT_ALLOWED' });
  const open = new Mandate({ agentId: 'bot', mandate: templates.restricted(named) }).createExecutor();
  expect(await open.run('read', {}, () => 1)).toBe(1);
});

test('a temporary mandate expires an hour later', () => {
  expect(templates.temporary(named, NOW_MS).expiresAt).toBe('2026-03-01T13:00:00.000Z');
  expect(templates.temporary({ ...named, expiresAt: '2026-03-02T00:00:00Z' }).expiresAt).toBe(
    '2026-03-02T00:00:00Z',
  );
});

test('an override changes one limit, and an override without a value changes nothing', () => {
  const document = templates.development({ maxCostTotal: 3, rateLimit: undefined } as never);
  expect(document).toMatchObject({ maxCostTotal: 3, rateLimit: { maxCalls: 120 } });
});
