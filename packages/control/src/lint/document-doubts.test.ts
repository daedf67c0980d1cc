import { loadMandates } from '@mandate/policy/documents';
import { listDoubts } from '@mandate/policy/parts';
import { mandateDocument, policyDocument, ruleDocument } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { loadControl } from '../load-control.ts';
import { controlOf, NOW_MS } from './lint.fixture.ts';
import { lintAround, lintControl } from './lint-control.ts';

const HEAD = 'version: 1\nid: m\nagents: ["*"]\n';

function warnings(text: string): string[] {
  const loaded = loadMandates(text);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
  return loaded.warnings.map(({ line, column, path, message }) => `${line}:${column} ${path}: ${message}`);
}

test('has no warnings for a good document', () => {
  expect(
    warnings(
      `${HEAD}tools: [send_mail, read]\nallowedTools: ["*"]\ntoolPolicies: { send_mail: { cost: 1 } }\n`,
    ),
  ).toEqual([]);
});

test.each([
  ['agents: ["bot-?"]', '3:10 agents.0: "?" matches only itself, not any character. Did you mean "bot-*"?'],
  ['deniedTools: [read, "^rm$"]', '4:21 deniedTools.1: "^" matches only itself'],
  ['allowedModels: ["gpt-4%"]', '4:17 allowedModels.0: "%" matches only itself'],
  ['deniedTools: ["mail.*"]', '4:15 deniedTools.0: ".*" matches only names that continue with a dot'],
  ['deniedTools: [rm, read, rm]', '4:25 deniedTools.2: "rm" is already in this list, as entry 1'],
  ['tools: [rm, rm]', '4:13 tools.1: "rm" is already in this list, as entry 1'],
])('%s', (field, warned) => {
  const head = field.startsWith('agents') ? HEAD.replace('agents: ["*"]', field) : `${HEAD}${field}\n`;
  const [first = '', ...more] = warnings(head);
  expect(first).toContain(warned);
  expect(more).toEqual([]);
});

test.each([
  [
    'maxActualCost: 1\ntoolPolicies: { pay: { cost: 2 } }',
    '5:1 maxActualCost: a call of "pay" costs $2, but at most $1 of an actual cost is charged: the rest of each true report is quarantined',
  ],
  [
    'maxActualCost: 9\ntoolPolicies: { pay: { cost: 2, maxActualCost: 1 } }',
    '6:33 toolPolicies.pay.maxActualCost: a call of "pay" costs $2',
  ],
])('warns about a cap of actual costs that is below a price: %s', (fields, warned) => {
  const [first = '', ...more] = warnings(`${HEAD}tools: [pay]\n${fields}\n`);
  expect(first).toContain(warned);
  expect(more).toEqual([]);
});

test('accepts a cap of actual costs that is equal to the price or above it', () => {
  const fields = 'tools: [pay]\nmaxActualCost: 1\ntoolPolicies: { pay: { cost: 2, maxActualCost: 2 } }\n';
  expect(warnings(HEAD + fields)).toEqual([]);
});

test('checks the patterns of every field that takes patterns', () => {
  const lists = [policyDocument, mandateDocument, ruleDocument].flatMap(({ shape }) =>
    Object.entries(shape).flatMap(([field, type]) => {
      const takes = (text: string) => type.safeParse([text]).success;
      return takes('a*') && takes('a?') && !takes('a b') ? [field] : [];
    }),
  );
  expect(lists).toEqual(expect.arrayContaining(['agents', 'allowedTools', 'deniedModels', 'delegableTools']));
  for (const field of lists)
    expect(listDoubts({ [field]: ['a?'] }), field).toMatchObject([{ code: 'PATTERN_DOUBTFUL' }]);
});

test('accepts a pattern that ends with ".*" if names contain dots', () => {
  expect(warnings(`${HEAD}allowedTools: [mail.send]\ndeniedTools: ["mail.*"]\n`)).toEqual([]);
});

test('gives one warning for all tools that have a limit but are named nowhere else', () => {
  const policies = 'toolPolicies: { send_maill: { cost: 1 }, read: { cost: 1 } }\n';
  expect(warnings(`${HEAD}${policies}`)).toEqual([
    '4:17 toolPolicies.send_maill: nothing else names "send_maill", "read": a limit with a misspelt name has no effect',
  ]);
  expect(warnings(`${HEAD}deniedTools: [read]\n${policies}`)).toEqual([
    expect.stringContaining('nothing else names "send_maill": a limit'),
  ]);
  const other = `---\n${HEAD.replace('id: m', 'id: n')}tools: [send_mail, read]\n`;
  expect(warnings(`${HEAD}${policies}${other}`)).toEqual([
    expect.stringContaining('did you mean "send_mail" by "send_maill"?'),
  ]);
});

test('warns about tool names that look alike, but only if the policy declares its tools', () => {
  const denied = 'deniedTools: [wi\u0440e]\n';
  expect(warnings(`${HEAD}allowedTools: [wipe]\n${denied}`)).toEqual([]);
  expect(warnings(`${HEAD}tools: [wipe, read]\n${denied}`)).toEqual([
    '5:15 deniedTools.0: "wipe" (tools) and "wi\u0440e" (deniedTools) look alike but are different tools',
  ]);
});

test('also warns about a file of agents, policies and rules, with the line and column of each warning', () => {
  const loaded = loadControl(
    [
      '{ kind: agent, id: a, groups: [g, g] }',
      '{ kind: policy, version: 1, id: p, tools: [pay] }',
      '{ kind: policy, version: 1, id: q, toolPolicies: { pey: { cost: 1 } } }',
      '{ kind: rule, version: 1, id: r, policy: p, agents: ["[ab]*"] }',
    ].join('\n---\n'),
  );
  const places = loaded.ok && loaded.warnings().map(({ line, path }) => `${line} ${path}`);
  expect(places).toEqual(['1 groups.1', '5 toolPolicies.pey', '7 agents.0']);
});

test('reports doubtful documents when all documents of a plane are checked, and when one document is changed', () => {
  const control = controlOf({
    agents: [{ id: 'bot' }, { id: 'Bot' }],
    tenantLimits: { deniedTools: ['rm?'] },
    policies: [
      { id: 'p', tools: ['pay'], deniedTools: ['p\u0430y'] },
      { id: 'q', toolPolicies: { pey: { cost: 1 } }, allowedModels: ['gpt-?'] },
    ],
    rules: [
      { id: 'r', policy: 'p', agents: ['bot**'] },
      { id: 's', policy: 'q' },
    ],
  });
  const codes = ['PATTERN_DOUBTFUL', 'TOOL_NAMES_UNCONFIRMED', 'NAMES_ALIKE'];
  const told = lintControl(control, NOW_MS).findings.filter(({ code }) => codes.includes(code));
  expect(told.map(({ code, rules, policies, message }) => [code, rules, policies, message])).toEqual([
    ['PATTERN_DOUBTFUL', [], ['q'], expect.stringContaining('The policy "q", allowedModels.0: "?" matches')],
    ['TOOL_NAMES_UNCONFIRMED', [], ['q'], expect.stringContaining('did you mean "pay" by "pey"?')],
    ['PATTERN_DOUBTFUL', [], [], expect.stringContaining('The tenant limits, deniedTools.0: "?"')],
    ['PATTERN_DOUBTFUL', ['r'], [], expect.stringContaining('The rule "r", agents.0: "**" is the same')],
    [
      'NAMES_ALIKE',
      [],
      ['p'],
      'The tools: "pay" (tools of "p") and "p\u0430y" (deniedTools of "p") look alike but are different tools.',
    ],
    ['NAMES_ALIKE', [], [], 'The agents "bot" and "Bot" look alike but are different agents.'],
  ]);
  const around = (kind: 'policy' | 'rule', id: string) =>
    lintAround(control, NOW_MS, { kind, id }).map(({ code }) => code);
  expect(around('policy', 'p')).toContain('NAMES_ALIKE');
  expect(around('policy', 'q')).toEqual(
    expect.arrayContaining(['PATTERN_DOUBTFUL', 'TOOL_NAMES_UNCONFIRMED']),
  );
  expect(around('rule', 'r')).toContain('PATTERN_DOUBTFUL');
});
