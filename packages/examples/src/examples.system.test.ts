import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { EXAMPLES } from './examples.ts';

const MAIN = join(import.meta.dirname, 'main.ts');

/** Runs an example in a process of its own, which must print no warning. Returns what it printed. */
async function printedBy(...args: string[]): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [MAIN, ...args], {
    timeout: 60_000,
  });
  expect(stderr).toBe('');
  return stdout;
}

/** For each example, what a reader must find in its output. */
const PRINTS: Readonly<Record<string, readonly (string | RegExp)[]>> = {
  'openai-basic': [/^Paris\./, 'COST_LIMIT_EXCEEDED', 'MODEL_NOT_ALLOWED', /spent \d+ micro-dollars/],
  'anthropic-basic': [/^Paris\./, 'MODEL_NOT_ALLOWED', 'spent 9600 micro-dollars'],
  'ai-sdk': [
    'the model read: MandateBlockedError: TOOL_NOT_ALLOWED',
    'the model said: I may not delete files.',
  ],
  'ai-sdk-approval': ['APPROVAL_REQUIRED', 'the model said: Ann has her money.', 'spent 40 dollars'],
  langchain: ['the model read: TOOL_NOT_ALLOWED', 'the model said: I may not delete files.'],
  'langchain-approval': ["type: 'mandate_approval'", 'the model read: paid ann', 'spent 40 dollars'],
  'openai-agents': ['the model read: TOOL_NOT_ALLOWED', 'the model said: I may not delete files.'],
  'claude-agent': ['deny', 'TOOL_NOT_ALLOWED'],
  'direct-tools': ['paid bob', 'COST_LIMIT_EXCEEDED', 'TOOL_NOT_ALLOWED', 'spent 8 dollars', 'AGENT_KILLED'],
  'human-approval': ['APPROVAL_REQUIRED', 'paid ann', 'DUPLICATE_ACTION', 'spent 40 dollars'],
  tutor: [
    "known: [ 'My name is Mia.' ]",
    'note: TTL_EXCEEDS_MAXIMUM',
    'create_cards: beginner cards about food',
    'reset_plan: TOOL_NOT_FOR_INTENT',
    "saved by permanent [ 'facts' ]",
    'Write to [redacted:email].',
    'delete: OPERATION_NOT_PERMITTED',
  ],
  'sub-agents': ['buyer: paid bob', 'buyer: COST_LIMIT_EXCEEDED', 'buyer: TOOL_NOT_ALLOWED'],
};

describe.concurrent('the example', () => {
  test.each(Object.keys(EXAMPLES))('%s runs offline and shows what it promises', async (name) => {
    const printed = await printedBy(name);
    for (const part of PRINTS[name] ?? ['an entry of this test']) expect(printed).toMatch(part);
    expect(printed).not.toContain('deleted /srv/data.csv');
  });
});

test('without a name, the command lists the examples', async () => {
  const help = await printedBy();
  for (const name of Object.keys(EXAMPLES)) expect(help).toContain(`  ${name} `);
});

test('the page docs/agents.md shows lines of the examples', () => {
  const root = join(import.meta.dirname, '../../..');
  const page = readFileSync(join(root, 'docs/agents.md'), 'utf8');
  const blocks = [...page.matchAll(/<!-- (packages\/examples\/src\/[\w-]+\.ts) -->\n```ts\n(.*?)```/gs)];
  expect(blocks.length).toBeGreaterThanOrEqual(6);
  expect(blocks.length).toBe(page.split('<!-- packages/examples/src/').length - 1);
  for (const [, path, block] of blocks) {
    const source = readFileSync(join(root, path as string), 'utf8');
    for (const line of (block as string).split('\n')) expect(source).toContain(line.trim());
  }
});
