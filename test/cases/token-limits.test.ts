/** Tests that the table of outcomes in docs/mandates.md, "Limits on tokens", agrees with the code. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCase } from './run-case.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/mandates.md'), 'utf8');
const [, section = ''] = /\n## Limits on tokens\n(.*?)\n## /s.exec(page) ?? [];
const rows = [...section.matchAll(/^\| `(\{.*\})` \| (\d+) \| (\d+) \|/gm)].flatMap(
  ([, outcome = '', bySuccess, byAttempt]) => [
    [outcome, 'SUCCESS_BASED', Number(bySuccess)] as const,
    [outcome, 'ATTEMPT_BASED', Number(byAttempt)] as const,
  ],
);

describe('docs/mandates.md', () => {
  test.each(rows)(
    'settles a call of 1,100 tokens with %s under %s to %i tokens',
    async (outcome, type, chargedTokens) => {
      await runCase({
        name: outcome,
        mandates: [{ maxTokensTotal: 5_000, defaultChargingPolicy: { type } }],
        steps: [
          { ask: { id: 'a', type: 'llm_call' }, expect: { reservation: { tokens: { tokens: 1_100 } } } },
          { report: { actionId: 'a', ...JSON.parse(outcome) }, expect: { tokens: { chargedTokens } } },
        ],
      });
    },
  );

  test('has six outcomes', () => {
    expect(rows).toHaveLength(12);
  });
});
