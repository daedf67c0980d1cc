/** Tests that the tables of outcomes in docs/mandates.md, "Limits on tokens" and "Limits on tool calls", are true. */
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

const [, ofToolCalls = ''] = /\n## Limits on tool calls\n(.*?)\n## /s.exec(page) ?? [];
const toolCallRows = [...ofToolCalls.matchAll(/^\| `(\{.*\})` \| (\d+) \|/gm)].map(
  ([, outcome = '', charged]) => [outcome, Number(charged)] as const,
);

describe('docs/mandates.md', () => {
  test.each(rows)(
    'settles a call of 1,100 tokens with %s under %s to %i tokens',
    async (outcome, type, charged) => {
      await runCase({
        name: outcome,
        mandates: [{ maxTokensTotal: 5_000, defaultChargingPolicy: { type } }],
        steps: [
          {
            ask: { id: 'a', type: 'llm_call' },
            expect: { reservation: { units: { tokens: { reserved: 1_100 } } } },
          },
          { report: { actionId: 'a', ...JSON.parse(outcome) }, expect: { units: { tokens: { charged } } } },
        ],
      });
    },
  );

  test.each(
    toolCallRows.flatMap(([outcome, charged]) => [
      [outcome, 'SUCCESS_BASED', charged] as const,
      [outcome, 'ATTEMPT_BASED', charged] as const,
    ]),
  )('settles an LLM call with %s under %s to %i tool calls', async (outcome, type, charged) => {
    await runCase({
      name: outcome,
      mandates: [{ maxToolCallsTotal: 50, defaultChargingPolicy: { type } }],
      steps: [
        {
          ask: { id: 'a', type: 'llm_call' },
          expect: { reservation: { units: { toolCalls: { reserved: 1 } } } },
        },
        { report: { actionId: 'a', ...JSON.parse(outcome) }, expect: { units: { toolCalls: { charged } } } },
      ],
    });
  });

  test('has six outcomes of each', () => {
    expect(rows).toHaveLength(12);
    expect(toolCallRows).toHaveLength(6);
  });
});
