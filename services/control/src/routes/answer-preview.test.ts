import { foldControl } from '@mandate/control';
import { NO_PRIVACY } from '@mandate/privacy';
import { controlRecord } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { answerPreview } from './answer-preview.ts';

const atMs = Date.parse('2026-03-01T12:00:00Z');
const properties = { token: { type: 'string', pattern: '^tok_' } };
const toolPolicies = { send: { argumentValidation: { schema: { type: 'object', properties } } } };

function current() {
  const fold = foldControl();
  const documents = [
    { event: 'agent.put', agent: { id: 'bot' } },
    { event: 'policy.published', policy: { version: 1, id: 'p', toolPolicies } },
    {
      event: 'rule.put',
      rule: { version: 1, id: 'r', policy: 'p', when: { field: 'context.secret', op: '==', value: 'known' } },
    },
    { event: 'rule.put', rule: { version: 1, id: 'always', policy: 'p' } },
  ];
  for (const [index, document] of documents.entries()) {
    const change = {
      id: `c-${index}`,
      tenant: 'acme',
      by: 'ann',
      reason: '',
      at: '2026-03-01T11:00:00.000Z',
    };
    fold.apply(controlRecord.parse({ change, ...document }), index + 1);
  }
  return fold.tenant('acme');
}

function preview(args: object, redact?: string[]) {
  const action = { id: 'x', agentId: 'bot', type: 'tool_call', tool: 'send', args };
  const body = new TextEncoder().encode(
    JSON.stringify({ action: { ...action, context: { secret: 'known' } } }),
  );
  const redaction = { redact, hash: [], document: NO_PRIVACY };
  const answer = answerPreview(current(), { tenant: 'acme', atMs, body, query: {}, redaction });
  if (!('checks' in answer)) throw new Error('not the preview of an action');
  return { refusal: answer.refusal, rules: answer.matchedRules.map(({ rule }) => rule) };
}

test('shows what a gateway would publish: rules and argument checks see the redacted action', () => {
  expect(preview({ token: 'tok_1' })).toEqual({
    refusal: expect.objectContaining({
      code: 'ARGUMENT_VALIDATION_FAILED',
      reason: expect.stringContaining('Redaction replaced /token before the decision'),
    }),
    rules: ['always'],
  });
  expect(preview({ token: 'tok_1' }, [])).toEqual({ refusal: null, rules: ['always', 'r'] });
});
