/**
 * Tests that a wider policy version is always reported. If a version has no report, it must never allow what the
 * earlier version refuses.
 */

import { widening } from '@mandate/control/lint';
import { policyDocument } from '@mandate/schemas';
import { hits, runs } from '@mandate/testing';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { deciderInABox, decisionOf } from '../decider-in-a-box.ts';
import { arbitraryAsk, arbitraryMandate, withoutIdleLimits } from './arbitrary-requests.ts';

vi.setConfig({ testTimeout: 30_000 });

type Fields = typeof arbitraryMandate extends fc.Arbitrary<infer F> ? F : never;

const policyOf = (fields: object) => policyDocument.parse({ version: 1, id: 'p', ...fields });

/** Pairs of versions that differ in one or two fields. If more fields differed, nearly every pair would be wider. */
const pairs = fc
  .tuple(arbitraryMandate, arbitraryMandate, fc.array(fc.nat(99), { minLength: 1, maxLength: 2 }))
  .map(([before, other, takes]): [Fields, Fields] => {
    const names = Object.keys({ ...before, ...other }) as (keyof Fields)[];
    const taken = new Set(takes.map((number) => names[number % names.length]));
    const after = Object.fromEntries(
      names.flatMap((name) => {
        const from = taken.has(name) ? other : before;
        return from[name] === undefined ? [] : [[name, from[name]]];
      }),
    );
    return [before, withoutIdleLimits(after)];
  });

/**
 * Decides all requests except the last under the mandate `before`, and the last request under the mandate `last`.
 * Returns the decision about the last request.
 */
async function decideLast(before: object, last: object, asks: readonly object[]) {
  const box = deciderInABox([before]);
  for (const ask of asks.slice(0, -1)) await box.answer([box.append(ask)]);
  box.enforce([last]);
  const [answer] = await box.answer([box.append(asks.at(-1))]);
  return decisionOf(answer).verdict;
}

const ROLES = 'toolPolicies.pay.roles: ';

function rolesOf(roles: readonly string[] | undefined): object {
  return { toolPolicies: { pay: { ...(roles !== undefined && { roles }) } } };
}

function rateOf(scope?: 'agent' | 'principal', maxCalls = 2): object {
  return { rateLimit: { maxCalls, windowMs: 10, ...(scope !== undefined && { scope }) } };
}

test('a version without a report allows nothing that was refused', async () => {
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(
      pairs,
      fc.array(arbitraryAsk, { minLength: 1, maxLength: 6 }),
      async ([before, after], asks) => {
        if (widening(policyOf(before), policyOf(after)).length > 0) return;
        compared += 1;
        const lax = await decideLast(before, before, asks);
        const strict = await decideLast(before, after, asks);
        if (lax !== 'ALLOW') expect(strict).not.toBe('ALLOW');
      },
    ),
    { numRuns: runs(150) },
  );
  expect(compared).toBeGreaterThan(hits(25));
});

test.each<[string, object, object, string[]]>([
  ['nothing', { maxCostTotal: 5 }, { maxCostTotal: 5 }, []],
  ['a higher limit', { maxCostTotal: 5 }, { maxCostTotal: 50 }, ['maxCostTotal: 5 → 50']],
  ['a limit is removed', { maxCostPerCall: 1 }, {}, ['maxCostPerCall: 1 → no limit']],
  [
    'a pattern within one that was allowed',
    { allowedTools: ['read_*', 'ls'] },
    { allowedTools: ['read_f*'] },
    [],
  ],
  [
    'a pattern around one that was allowed',
    { allowedTools: ['read_f*'] },
    { allowedTools: ['read_*'] },
    ['allowedTools: + read_*'],
  ],
  [
    'a pattern around a name',
    { allowedTools: ['read_'] },
    { allowedTools: ['read_*'] },
    ['allowedTools: + read_*'],
  ],
  [
    'a delegable tool beside an allowed one',
    { allowedTools: ['ls'] },
    { allowedTools: ['ls'], delegableTools: ['rm', 'ls'] },
    ['delegableTools: + rm'],
  ],
  [
    'a delegable tool is no longer denied',
    { allowedTools: ['ls'], delegableTools: ['rm'], deniedTools: ['rm', 'cp'] },
    { allowedTools: ['ls'], delegableTools: ['rm'] },
    ['deniedTools: - rm'],
  ],
  ['any tool', { allowedTools: ['ls'] }, {}, ['allowedTools: + *']],
  [
    'an allowed tool that is still denied',
    { allowedTools: ['ls'], deniedTools: ['rm'] },
    { allowedTools: ['ls', 'rm'], deniedTools: ['r*'] },
    [],
  ],
  ['a tool is no longer denied', { deniedTools: ['rm'] }, {}, ['deniedTools: - rm']],
  [
    'a tool that is neither denied nor allowed',
    { allowedTools: ['ls'], deniedTools: ['rm'] },
    { allowedTools: ['ls'] },
    [],
  ],
  ['a lower cap on actual costs', { maxActualCost: 5 }, { maxActualCost: 4 }, ['maxActualCost: 5 → 4']],
  ['a higher cap on actual costs', { maxActualCost: 5 }, { maxActualCost: 6 }, []],
  ['a cap in place of the default', {}, { maxActualCost: 6 }, ['maxActualCost: the default → 6']],
  [
    'reports may give back more, by the default',
    { maxReleases: { calls: 10, percent: 0 } },
    {},
    ['maxReleases: 10 calls and 0 % → 10 calls and 20 %'],
  ],
  [
    'reports may give back everything',
    {},
    { maxReleases: 'unlimited' },
    ['maxReleases: 10 calls and 20 % → unlimited'],
  ],
  [
    'reports may give back less',
    { maxReleases: 'unlimited' },
    { maxReleases: { calls: 99, percent: 9 } },
    [],
  ],
  ['a role that may use a tool', rolesOf(['user']), rolesOf(['user', 'admin']), [`${ROLES}admin added`]],
  ['a tool that was for nobody', rolesOf([]), rolesOf(['user']), [`${ROLES}user added`]],
  ['a tool for everybody', rolesOf(['user']), rolesOf(undefined), [`${ROLES}everybody may use it`]],
  ['a tool without its fields', rolesOf([]), {}, [`${ROLES}everybody may use it`]],
  ['fewer roles', rolesOf(['user', 'admin']), rolesOf(['admin']), []],
  ['roles in another order', rolesOf(['user', 'admin']), rolesOf(['admin', 'user']), []],
  ['roles in place of everybody', {}, rolesOf(['user']), []],
  ['the scope that is the default', rateOf(), rateOf('agent'), []],
  ['fewer calls for each person', rateOf('principal', 3), rateOf('principal', 2), []],
  [
    'calls of each person in place of each agent',
    rateOf(),
    rateOf('principal'),
    ['rateLimit: 2 in 10 ms → 2 in 10 ms for each person, which has counted no call yet'],
  ],
  [
    'calls of each agent in place of each person',
    rateOf('principal'),
    rateOf(),
    ['rateLimit: 2 in 10 ms for each person → 2 in 10 ms, which has counted no call yet'],
  ],
  [
    'a call without an estimate',
    { requireEstimate: true },
    { requireEstimate: false },
    ['requireEstimate: no estimate is required any more'],
  ],
  [
    'a call that has a price and needs no estimate',
    { requireEstimate: true },
    { requireEstimate: true, toolPolicies: { pay: { cost: 9 } } },
    ['toolPolicies.pay.cost: no estimate is required any more'],
  ],
  [
    'a price below the default estimate',
    { defaultEstimate: 2 },
    { defaultEstimate: 2, toolPolicies: { pay: { cost: 1 } } },
    ['toolPolicies.pay.cost: 2 → 1'],
  ],
  ['a lower estimate', { defaultEstimate: 2 }, { defaultEstimate: 1 }, ['defaultEstimate: 2 → 1']],
  ['more open calls', { maxOpen: 5 }, { maxOpen: 6 }, ['maxOpen: 5 → 6']],
  ['fewer open calls', { maxOpen: 5 }, { maxOpen: 4 }, []],
  ['unlimited open calls', { maxOpen: 5 }, { maxOpen: 'unlimited' }, ['maxOpen: 5 → unlimited']],
  ['as many open calls as by default', { maxOpen: 5 }, {}, ['maxOpen: 5 → the default']],
  ['more open calls than by default', {}, { maxOpen: 21 }, ['maxOpen: the default → 21']],
  ['the default limit of open calls, stated', {}, { maxOpen: 20 }, []],
  ['more waiting questions', { maxWaiting: 5 }, { maxWaiting: 6 }, ['maxWaiting: 5 → 6']],
  ['fewer waiting questions', { maxWaiting: 5 }, { maxWaiting: 4 }, []],
  [
    'the default limit of waiting questions, stated',
    { maxWaiting: 5, toolPolicies: { pay: { requiresConfirmation: true } } },
    { toolPolicies: { pay: { requiresConfirmation: true } } },
    ['maxWaiting: 5 → 50'],
  ],
  [
    'no person is asked any more',
    { toolPolicies: { pay: { requiresConfirmation: true } } },
    { toolPolicies: { pay: {} } },
    ['toolPolicies.pay.requiresConfirmation: no person is asked any more'],
  ],
  ['watching', {}, { mode: 'observe' }, ['it only observes']],
  [
    'a model in another spelling, and a version of it',
    { allowedModels: ['gpt-4o', 'claude-opus-4.1'] },
    { allowedModels: ['GPT-4o', 'claude-opus-4-1'] },
    [],
  ],
  [
    'a model from any provider',
    { allowedModels: ['azure/gpt-4o'] },
    { allowedModels: ['gpt-4o'] },
    ['allowedModels: + gpt-4o'],
  ],
  [
    'a model is no longer denied, under any of its names',
    { allowedModels: ['mallory/*'], deniedModels: ['gpt-4o'] },
    { allowedModels: ['mallory/*'] },
    ['deniedModels: - gpt-4o'],
  ],
  [
    'a provider under another of its names',
    { allowedProviders: ['bedrock'] },
    { allowedProviders: ['aws', 'azure'] },
    ['allowedProviders: + azure'],
  ],
  ['any provider', { deniedProviders: ['deepseek'] }, {}, ['deniedProviders: - deepseek']],
  [
    'lower prices of models, or new ones',
    {
      modelPrices: {
        a: { inputPerMillion: 3, outputPerMillion: 15 },
        b: { inputPerMillion: 1, outputPerMillion: 1 },
      },
    },
    {
      modelPrices: {
        a: { inputPerMillion: 2, outputPerMillion: 20, perCall: 1 },
        c: { inputPerMillion: 0, outputPerMillion: 0 },
      },
    },
    [
      'modelPrices.a: 3 in, 15 out → 2 in, 20 out and 1 a call',
      'modelPrices.b: 1 in, 1 out → as listed',
      'modelPrices.c: as listed → 0 in, 0 out',
    ],
  ],
  [
    'a higher price of a model',
    { modelPrices: { a: { inputPerMillion: 3, outputPerMillion: 15 } } },
    { modelPrices: { a: { inputPerMillion: 3, outputPerMillion: 16 } } },
    [],
  ],
  [
    'default tokens for a call without token counts',
    { defaultTokens: { inputTokens: 100 } },
    { defaultTokens: { inputTokens: 10, maxOutputTokens: 5 } },
    ['defaultTokens.inputTokens: 100 → 10', 'defaultTokens.maxOutputTokens: none → 5'],
  ],
  [
    'more tokens',
    { defaultTokens: { inputTokens: 100, maxOutputTokens: 5 } },
    { defaultTokens: { inputTokens: 101, maxOutputTokens: 5 } },
    [],
  ],
  [
    'a budget with another counter',
    { budgets: [{ id: 'b', scope: 'agent', max: 5, windowMs: 1_000 }] },
    { budgets: [{ id: 'b', scope: 'tenant', max: 5 }] },
    ['budget b: 5 of each agent in 1 s → 5 of each tenant, which starts at 0'],
  ],
  ['more tokens in all', { maxTokensTotal: 500 }, { maxTokensTotal: 600 }, ['maxTokensTotal: 500 → 600']],
  [
    'more tokens in a window',
    { tokensPerWindow: [{ id: 'minute', scope: 'agent', maxTokens: 500, windowMs: 60_000 }] },
    { tokensPerWindow: [{ id: 'minute', scope: 'agent', maxTokens: 600, windowMs: 60_000 }] },
    ['tokensPerWindow minute: 500 → 600'],
  ],
  [
    'fewer tokens',
    { maxTokensTotal: 500 },
    {
      maxTokensTotal: 400,
      tokensPerWindow: [{ id: 'minute', scope: 'agent', maxTokens: 50, windowMs: 60_000 }],
    },
    [],
  ],
  [
    'a limit on tokens with another counter',
    { tokensPerWindow: [{ id: 'w', scope: 'agent', maxTokens: 500, windowMs: 60_000 }] },
    { tokensPerWindow: [{ id: 'w', scope: 'agent', maxTokens: 500, windowMs: 30_000 }] },
    ['tokensPerWindow w: 500 of each agent in 1 min → 500 of each agent in 30 s, which starts at 0'],
  ],
  [
    'more tool calls',
    {
      maxToolCallsTotal: 5,
      toolCallsPerWindow: [{ id: 'w', scope: 'agent', maxToolCalls: 5, windowMs: 60_000 }],
    },
    {
      maxToolCallsTotal: 6,
      toolCallsPerWindow: [{ id: 'w', scope: 'agent', maxToolCalls: 7, windowMs: 60_000 }],
    },
    ['maxToolCallsTotal: 5 → 6', 'toolCallsPerWindow w: 5 → 7'],
  ],
  [
    'a rate with another counter',
    { rateLimit: { maxCalls: 9, windowMs: 1_000 } },
    { rateLimit: { maxCalls: 5, windowMs: 2_000 } },
    ['rateLimit: 9 in 1 s → 5 in 2 s, which has counted no call yet'],
  ],
  [
    'no call',
    { rateLimit: { maxCalls: 9, windowMs: 1_000 } },
    { rateLimit: { maxCalls: 0, windowMs: 2_000 } },
    [],
  ],
  [
    'a shorter lease',
    { toolPolicies: { pay: { cost: 1 } } },
    { toolPolicies: { pay: { cost: 1, executionLeaseMs: 1_000 } } },
    ['toolPolicies.pay.executionLeaseMs: 300000 → 1000: a call without an outcome may be retried sooner'],
  ],
  [
    'a tool that may not be called any more',
    { allowedTools: ['ls', 'pay'], toolPolicies: { pay: { cost: 1, requiresConfirmation: true } } },
    { allowedTools: ['ls'] },
    [],
  ],
  [
    'attempts become charged, and the same charging policy in another form',
    { toolPolicies: { pay: {}, send: {} } },
    {
      toolPolicies: {
        pay: { chargingPolicy: { type: 'ATTEMPT_BASED' } },
        send: { chargingPolicy: { type: 'SUCCESS_BASED' } },
      },
    },
    [],
  ],
  [
    'attempts are no longer charged',
    { defaultChargingPolicy: { type: 'ATTEMPT_BASED' }, toolPolicies: { pay: {} } },
    { toolPolicies: { pay: { chargingPolicy: { type: 'SUCCESS_BASED' } } } },
    [
      'defaultChargingPolicy: another, which may let more through',
      'toolPolicies.pay.chargingPolicy: another, which may let more through',
    ],
  ],
  [
    'another validator',
    { toolPolicies: { send: { argumentValidation: { validators: ['noSystemPaths'] } } } },
    { toolPolicies: { send: { argumentValidation: { validators: ['noSecrets', 'noSystemPaths'] } } } },
    [],
  ],
  [
    'narrower folders and domains, and a dialect stated explicitly',
    {
      toolPolicies: {
        send: {
          argumentValidation: {
            validators: [
              { paths: { within: ['/srv', '/tmp'] } },
              { emailDomains: ['a.org', '*.b.org'] },
              { readOnlySql: { dialect: 'sqlite' } },
            ],
          },
        },
      },
    },
    {
      toolPolicies: {
        send: {
          argumentValidation: {
            validators: [
              { readOnlySql: { dialect: 'sqlite' } },
              { paths: { within: ['/srv/data'] } },
              { emailDomains: ['a.org', 'x.b.org', '*.y.b.org'] },
            ],
          },
        },
      },
    },
    [],
  ],
  [
    'another domain, and its subdomains',
    {
      toolPolicies: {
        read: { argumentValidation: { validators: [{ emailDomains: ['a.org'] }] } },
        send: {
          argumentValidation: { validators: [{ emailDomains: { domains: ['a.org'], fields: ['to'] } }] },
        },
      },
    },
    {
      toolPolicies: {
        read: { argumentValidation: { validators: [{ emailDomains: ['*.a.org'] }] } },
        send: {
          argumentValidation: { validators: [{ emailDomains: { domains: ['a.org'], fields: ['cc'] } }] },
        },
      },
    },
    [
      'toolPolicies.read.argumentValidation: another, which may let more through',
      'toolPolicies.send.argumentValidation: another, which may let more through',
    ],
  ],
  [
    'another folder',
    {
      toolPolicies: {
        send: { argumentValidation: { validators: [{ paths: { within: ['/srv/data'], fields: ['a'] } }] } },
        read: { argumentValidation: { validators: [{ paths: { within: ['/srv/data'], fields: ['a'] } }] } },
      },
    },
    {
      toolPolicies: {
        send: { argumentValidation: { validators: [{ paths: { within: ['/srv'], fields: ['a'] } }] } },
        read: { argumentValidation: { validators: [{ paths: { within: ['/srv/data'], fields: ['b'] } }] } },
      },
    },
    [
      'toolPolicies.read.argumentValidation: another, which may let more through',
      'toolPolicies.send.argumentValidation: another, which may let more through',
    ],
  ],
  [
    'a validator is removed',
    { toolPolicies: { send: { argumentValidation: { validators: ['noSystemPaths'] } } } },
    { toolPolicies: { send: {} } },
    ['toolPolicies.send.argumentValidation: another, which may let more through'],
  ],
])('%s', (_, before, after, told) => {
  expect(widening(policyOf(before), policyOf(after))).toEqual(told);
});

test('long lists of patterns with the same beginning are reported as wider if comparing them would take too long', () => {
  const ofLetter = (letter: string) =>
    Array.from({ length: 1_000 }, (_, at) => `${'a'.repeat(60)}*${letter}${at}`);
  const [before, others] = [ofLetter('b'), ofLetter('c')];
  const within = `${before[0]}*b0`;
  const told = (allowedTools: string[]) =>
    widening(policyOf({ allowedTools: before }), policyOf({ allowedTools }));
  expect(told([...before, within])).toEqual([]);
  expect(told([...others, ...before, within])).toEqual(
    [...others, within].map((glob) => `allowedTools: + ${glob}`),
  );
  const names = Array.from({ length: 500 }, (_, at) => `${'a'.repeat(60)}b${at}`);
  const noMore = widening(
    policyOf({ allowedTools: before, deniedTools: names }),
    policyOf({ allowedTools: before }),
  );
  expect(noMore).toEqual(names.map((name) => `deniedTools: - ${name}`));
});
