/** Tests that the examples of docs/llm-calls.md agree with the code. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { callNames } from '@mandate/policy/parts';
import { dollarsToMicros } from '@mandate/schemas';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import manifest from '../../packages/policy/package.json' with { type: 'json' };
import { runCase } from './run-case.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/llm-calls.md'), 'utf8');
const mandate = parse(/```yaml\n(version:[^`]*)```/.exec(page)?.[1] ?? '');
const calls = [...page.matchAll(/^\| `(\{.*\})` \| ([A-Z_]+) \| (?:\$([\d.]+))? *\|/gm)];
const names = [
  ...page.matchAll(/^\| `([^`{]+)`(?: with `provider: (\w+)`)? \| (?:`([^`]+)`|none) \| `([^`]+)` \|/gm),
];

describe('docs/llm-calls.md', () => {
  test.each(calls.map(([, action = '', code = '', dollars]) => [action, code, dollars] as const))(
    'decides %s with %s',
    async (action, code, dollars) => {
      const chargedMicros = dollars === undefined ? 0 : dollarsToMicros(Number(dollars));
      const ask = { id: 'a', agentId: 'assistant-1', type: 'llm_call', ...JSON.parse(action) };
      const without = ['provider', 'maxOutputTokens'].filter((field) => !(field in JSON.parse(action)));
      await runCase({
        name: action,
        mandates: [mandate],
        steps: [{ ask, without, expect: { code, chargedMicros } }],
      });
    },
  );

  test.each(
    names.map(([, given = '', stated, provider, model]) => [given, stated, provider, model] as const),
  )('normalizes the name %s', (given, stated, provider, model) => {
    expect(callNames(stated, given)).toMatchObject({ provider: provider ?? null, model });
  });

  test('names the version of the price list that package.json pins', () => {
    expect(page).toContain(`version ${manifest.dependencies['@pydantic/genai-prices']},`);
  });

  test('has ten examples of calls and six of names', () => {
    expect([calls.length, names.length]).toEqual([10, 6]);
  });
});
