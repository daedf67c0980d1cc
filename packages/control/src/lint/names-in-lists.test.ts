import {
  callNames,
  compileModels,
  compileProviders,
  type ListedNames,
  type NameList,
} from '@mandate/policy/parts';
import { runs } from '@mandate/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { commonName } from './common-name.ts';
import type { Names } from './empty-together.ts';
import { lintBudgetOf } from './lint-budget.ts';
import { modelNames, providerNames } from './names-in-lists.ts';

const MODEL_PATTERNS = [
  ...[
    '*',
    'gpt-4*',
    'gpt-4o',
    'GPT-4o-2024-08-06',
    'gpt-4.1',
    'gpt-4-1',
    'gpt-5-*',
    'gpt-5-6*',
    'gpt-5.6-sol',
  ],
  ...[
    'openai/*',
    'azure/gpt-4o',
    'claude-*',
    'claude-3-*',
    'claude-3.5-sonnet',
    'claude-4-*',
    'claude-opus*',
  ],
  ...[
    '*-mini',
    '*-latest',
    '*-2024-08-06',
    '*5',
    'gpt-4o-l*',
    'gpt-4o-2024*',
    'us.anthropic.*',
    'kimi-k2*',
    'kimi-k2.6',
  ],
];
const MODELS = [
  ...[
    'gpt-4o',
    'azure/gpt-4o-2024-08-06',
    'gpt-4.1',
    'gpt-4-1',
    'gpt-5-6-sol',
    'openai/gpt-5.6-sol',
    'gpt-5.5',
  ],
  ...['gpt-4o-latest', 'gpt-4o-mini-2024-07-18', 'claude-3-5-sonnet', 'anthropic/claude-3.5-sonnet@20240620'],
  ...['claude-4.1-opus', 'us.anthropic.claude-opus-4-1-20250805-v1:0', 'accounts/fireworks/models/kimi-k2p6'],
];
const PROVIDER_PATTERNS = [
  '*',
  'azure',
  'Azure_OpenAI',
  'google',
  'vertex*',
  'gcp.*',
  'open*',
  'our-proxy',
  'a*',
];
const PROVIDERS = ['azure', 'azure_ai', 'google', 'gcp.vertex_ai', 'openai', 'our-proxy', 'openrouter'];

const lists = (patterns: readonly string[]) =>
  fc.array(
    fc.record({
      allowed: fc.subarray([...patterns], { minLength: 1, maxLength: 3 }),
      denied: fc.subarray([...patterns.filter((pattern) => pattern !== '*')], { maxLength: 2 }),
    }),
    { minLength: 2, maxLength: 3 },
  );

function isAllowed(
  all: readonly Names[],
  names: ListedNames,
  compile: (list: readonly string[]) => NameList,
) {
  return all.every(
    ({ allowed, denied }) =>
      compile(allowed).match(names.allowed) !== null && compile(denied).match(names.denied) === null,
  );
}

function nameIn(all: readonly Names[]): string | null | undefined {
  return commonName(
    all.map(({ allowed }) => allowed),
    lintBudgetOf(1_000_000),
    all.flatMap(({ denied }) => denied),
  );
}

test.each([
  {
    kind: 'model',
    pool: lists(MODEL_PATTERNS),
    names: MODELS.map((model) => callNames(undefined, model).models),
    compile: compileModels,
    languages: modelNames,
  },
  {
    kind: 'provider',
    pool: lists(PROVIDER_PATTERNS),
    names: PROVIDERS.flatMap((provider) => callNames(provider, 'x').providers),
    compile: compileProviders,
    languages: providerNames,
  },
])('finds a common name for lists that allow a $kind together', ({ pool, names, compile, languages }) => {
  let [common, empty] = [0, 0];
  fc.assert(
    fc.property(pool, fc.constantFrom(...names), (all, one) => {
      const found = nameIn(all.map(({ allowed, denied }) => languages(allowed, denied)));
      if (isAllowed(all, one, compile)) {
        common += 1;
        expect(found).not.toBeNull();
      } else if (found === null) empty += 1;
    }),
    { numRuns: runs(2_000) },
  );
  expect(Math.min(common, empty), 'both came about').toBeGreaterThan(20);
});

test.each([
  [['gpt-4o'], [], ['gpt-4o-mini'], []],
  [['gpt-4o'], [], ['openai/*'], ['gpt-4o']],
  [['gpt-4*'], ['gpt-*'], ['*'], []],
  [['claude-*'], [], ['gpt-*'], []],
])('%j without %j and %j without %j allow no model', (one, without, other, withoutOther) => {
  expect(nameIn([modelNames(one, without), modelNames(other, withoutOther)])).toBeNull();
});
