import { expect, test } from 'vitest';
import { controlOf, found, NOW_MS } from './lint.fixture.ts';
import { type LintedDocument, lintAround, lintControl } from './lint-control.ts';

const P = { id: 'p' };

test('finds nothing in correct documents', () => {
  expect(
    found({ policies: [{ ...P, allowedTools: ['read_*'] }], rules: [{ id: 'r', policy: 'p' }] }),
  ).toEqual([]);
});

test.each(['gone', 'p@2'])('finds a rule that names the missing policy %s', (policy) => {
  expect(
    found({
      policies: [P],
      rules: [
        { id: 'r', policy: 'p' },
        { id: 's', policy },
      ],
    }),
  ).toEqual([{ code: 'POLICY_MISSING', rules: ['s'], policies: [policy] }]);
});

test('finds a rule that names an archived policy', () => {
  expect(found({ policies: [P], rules: [{ id: 'r', policy: 'p' }], archived: ['p'] })).toEqual([
    { code: 'POLICY_MISSING', rules: ['r'], policies: ['p'] },
  ]);
});

test('names two of three policies that together allow no tool', () => {
  const policies = [
    { id: 'reads', allowedTools: ['read_*'] },
    { id: 'all', allowedTools: ['*'] },
    { id: 'mails', allowedTools: ['send_mail'] },
  ];
  const rules = policies.map(({ id }) => ({ id: `for-${id}`, policy: id }));
  expect(found({ policies, rules })).toEqual([
    { code: 'NOTHING_IN_COMMON', rules: ['for-reads', 'for-mails'], policies: ['reads', 'mails'] },
  ]);
});

test('accepts policies without a common tool if no agent gets both at once', () => {
  const policies = [
    { id: 'reads', allowedTools: ['read_*'] },
    { id: 'mails', allowedTools: ['send_mail'] },
  ];
  const rules = [
    { id: 'r', policy: 'reads', groups: ['readers'] },
    { id: 's', policy: 'mails', when: { field: 'agent.labels.team', op: '==', value: 'mail' } },
  ];
  const reader = { id: 'a', groups: ['readers'], labels: { team: 'books' } };
  const mailer = { id: 'b', labels: { team: 'mail' } };
  expect(found({ agents: [reader, mailer], policies, rules })).toEqual([]);
  expect(found({ agents: [{ ...reader, labels: { team: 'mail' } }], policies, rules })).toMatchObject([
    { code: 'NOTHING_IN_COMMON' },
  ]);
});

test.each<[string, object, object, boolean]>([
  ['what one allows the other denies', { allowedTools: ['read_file'] }, { deniedTools: ['read_*'] }, true],
  ['one says that it denies all', { allowedTools: ['read_*'] }, { deniedTools: ['*'] }, false],
  ['one says that it allows none', { allowedTools: ['read_*'] }, { allowedTools: [] }, false],
  ['one denies some', { allowedTools: ['read_*'] }, { deniedTools: ['read_', 'read_f*'] }, false],
  ['what one allows the other does not know', { allowedTools: ['read_*'] }, { tools: ['send'] }, true],
  ['models', { allowedModels: ['gpt-*'] }, { allowedModels: ['claude-*'] }, true],
  ['models of the same kind', { allowedModels: ['gpt-*'] }, { deniedModels: ['gpt-3*'] }, false],
  ['one model in two spellings', { allowedModels: ['gpt-4o'] }, { allowedModels: ['openai/GPT-4o'] }, false],
  ['providers', { allowedProviders: ['azure'] }, { allowedProviders: ['bedrock'] }, true],
  ['one provider by two names', { allowedProviders: ['aws'] }, { allowedProviders: ['bedrock'] }, false],
  ['a provider that is denied', { allowedProviders: ['openai'] }, { deniedProviders: ['open*'] }, true],
])('finds policies that together allow nothing, and accepts other policies: %s', (_, one, other, isTold) => {
  const policies = [
    { ...P, ...one },
    { id: 'q', ...other },
  ];
  const rules = policies.map(({ id }) => ({ id: `for-${id}`, policy: id }));
  const empty = found({ policies, rules }).filter(({ code }) => code === 'NOTHING_IN_COMMON');
  expect(empty).toEqual(
    isTold ? [{ code: 'NOTHING_IN_COMMON', rules: ['for-p', 'for-q'], policies: ['p', 'q'] }] : [],
  );
});

test('compares rules only if they can apply at the same time', () => {
  const policies = [
    { id: 'reads', allowedTools: ['read_*'] },
    { id: 'mails', allowedTools: ['send_mail'] },
    { id: 'pays', allowedTools: ['pay'] },
  ];
  const inContext = (value: string) => ({ when: { field: 'action.args.environment', op: '==', value } });
  const ruleOf = (policy: string, fields: object) => ({ id: `r-${policy}`, policy, ...fields });
  const apart = [ruleOf('reads', inContext('prod')), ruleOf('mails', inContext('dev'))];
  expect(found({ policies: policies.slice(0, 2), rules: apart })).toEqual([]);
  const dated = [
    ruleOf('reads', { endsAt: '2027-01-01T00:00:00Z' }),
    ruleOf('mails', { startsAt: '2027-01-01T00:00:00Z' }),
  ];
  expect(found({ policies: policies.slice(0, 2), rules: dated })).toEqual([]);
  expect(found({ policies, rules: [...apart, ruleOf('pays', {})] })).toMatchObject([
    { code: 'NOTHING_IN_COMMON', policies: ['mails', 'pays'] },
  ]);
});

test('finds a rule that cannot be read', () => {
  const when = { field: 'action.tool', op: 'matches', value: '(' };
  const rules = [
    { id: 'r', policy: 'p' },
    { id: 's', policy: 'p', when, endsAt: '2026-02-01T00:00:00Z' },
  ];
  expect(found({ policies: [P], rules })).toEqual([{ code: 'RULE_UNREADABLE', rules: ['s'], policies: [] }]);
});

test('reports only one thing about a rule that has ended: its end', () => {
  const policies = [
    { id: 'reads', allowedTools: ['read_*'] },
    { id: 'mails', allowedTools: ['send_mail'] },
  ];
  const over = { endsAt: '2026-02-01T00:00:00Z' };
  const rules = [
    { id: 'r', policy: 'reads' },
    { id: 's', policy: 'mails', ...over },
    { id: 't', policy: 'gone', ...over },
  ];
  expect(found({ policies, rules }).map(({ code }) => code)).toEqual(['RULE_ENDED', 'RULE_ENDED']);
});

test('ignores shadow rules when it compares what policies allow', () => {
  const policies = [
    { id: 'reads', allowedTools: ['read_*'] },
    { id: 'mails', allowedTools: ['send_mail'] },
  ];
  const rules = [
    { id: 'r', policy: 'reads' },
    { id: 's', policy: 'mails', mode: 'shadow' },
  ];
  expect(found({ policies, rules })).toEqual([]);
});

test('finds rules without effect and an unused policy', () => {
  const rules = [
    { id: 'over', policy: 'p', endsAt: '2026-02-01T00:00:00Z' },
    { id: 'nobody', policy: 'p', agents: ['b*'] },
    { id: 'later', policy: 'p', startsAt: '2027-01-01T00:00:00Z' },
  ];
  expect(found({ policies: [P, { id: 'unused' }], rules })).toEqual([
    { code: 'RULE_ENDED', rules: ['over'], policies: [] },
    { code: 'RULE_MATCHES_NOBODY', rules: ['nobody'], policies: [] },
    { code: 'POLICY_UNUSED', rules: [], policies: ['unused'] },
  ]);
});

test('finds a pattern that matches no declared tool', () => {
  const policy = {
    ...P,
    tools: ['read_file', 'send'],
    allowedTools: ['read_*', 'sned'],
    deniedTools: ['*_admin'],
  };
  expect(found({ policies: [policy], rules: [{ id: 'r', policy: 'p' }] })).toEqual([
    { code: 'PATTERN_MATCHES_NOTHING', rules: [], policies: ['p'] },
    { code: 'PATTERN_MATCHES_NOTHING', rules: [], policies: ['p'] },
  ]);
});

test('finds a pattern that matches no tool of the tenant or of a policy that always applies with its policy', () => {
  const known = { id: 'known', tools: ['read_file', 'send'] };
  const policies = [{ ...P, allowedTools: ['read_*', 'sned'] }, known];
  const everywhere = [
    { id: 'r', policy: 'p', agents: ['a'] },
    { id: 's', policy: 'known' },
  ];
  const told = { code: 'PATTERN_MATCHES_NOTHING', rules: [], policies: ['p', 'known'] };
  expect(found({ policies, rules: everywhere })).toEqual([told]);
  const elsewhere = [...everywhere, { id: 't', policy: 'p', agents: ['b'] }];
  const agents = [{ id: 'a' }, { id: 'b' }];
  expect(found({ agents, policies, rules: elsewhere })).toEqual([told]);
  const apart = elsewhere.map((rule) => ({ agents: ['a'], ...rule }));
  expect(found({ agents, policies, rules: apart })).toEqual([]);
  const shadow = everywhere.map((rule) => (rule.id === 's' ? { ...rule, mode: 'shadow' } : rule));
  expect(found({ policies, rules: shadow })).toEqual([]);
  const rules = [{ id: 'r', policy: 'p' }];
  expect(found({ policies: policies.slice(0, 1), rules, tenantLimits: { tools: ['read_file'] } })).toEqual([
    { ...told, policies: ['p', 'tenant t@1'] },
  ]);
});

test('finds a missing parent, a parent that no rule matches, and tools that are delegated', () => {
  const policies = [{ id: 'p', allowedTools: ['read', 'ask'], delegableTools: ['deploy', 'ask'] }];
  const rules = [{ id: 'r', policy: 'p', agents: ['a', 'b', 'alone'] }];
  const agents = [
    { id: 'a' },
    { id: 'b', parent: 'a' },
    { id: 'other' },
    { id: 'c', parent: 'other' },
    { id: 'alone' },
  ];
  expect(found({ agents, policies, rules })).toEqual([
    { code: 'TOOLS_HANDED_ON', rules: ['r'], policies: ['p'] },
    { code: 'PARENT_HOLDS_NOTHING', rules: [], policies: [] },
  ]);
  expect(found({ agents, policies, rules, retired: ['a'] })).toEqual([
    { code: 'PARENT_MISSING', rules: [], policies: [] },
    { code: 'PARENT_HOLDS_NOTHING', rules: [], policies: [] },
  ]);
});

test('warns about delegableTools in a policy that allows every tool', () => {
  expect(
    found({ policies: [{ ...P, delegableTools: ['deploy'] }], rules: [{ id: 'r', policy: 'p' }] }),
  ).toEqual([{ code: 'NOTHING_TO_HAND_ON', rules: [], policies: ['p'] }]);
});

test('finds that a sub-agent and its parent have no allowed tool in common, unless the tool is delegated', () => {
  const rules = ['lead', 'worker'].map((id) => ({ id, policy: `of-${id}`, agents: [id] }));
  const agents = [{ id: 'lead' }, { id: 'worker', parent: 'lead' }];
  const lead = { id: 'of-lead', allowedTools: ['ask'] };
  const worker = { id: 'of-worker', allowedTools: ['deploy'] };
  expect(found({ agents, policies: [lead, worker], rules })).toEqual([
    { code: 'NOTHING_IN_COMMON', rules: ['worker', 'lead'], policies: ['of-worker', 'of-lead of lead'] },
  ]);
  const generous = { ...lead, delegableTools: ['dep*'] };
  expect(found({ agents, policies: [generous, worker], rules })).toEqual([
    { code: 'TOOLS_HANDED_ON', rules: ['lead'], policies: ['of-lead'] },
  ]);
});

test('finds a policy without any tool that the tenant limits allow', () => {
  const documents = { policies: [{ ...P, allowedTools: ['pay'] }], rules: [{ id: 'r', policy: 'p' }] };
  expect(found({ ...documents, tenantLimits: { allowedTools: ['read_*'] } })).toEqual([
    { code: 'NOTHING_IN_COMMON', rules: ['r'], policies: ['p', 'tenant t@1'] },
  ]);
  expect(found({ ...documents, tenantLimits: { allowedTools: ['p*'] } })).toEqual([]);
});

const AMISS = {
  agents: [{ id: 'a' }, { id: 'b' }],
  policies: [
    { id: 'reads', allowedTools: ['read_*'] },
    { id: 'pays', allowedTools: ['pay'], tools: ['buy'] },
    { id: 'unused' },
  ],
  rules: [
    { id: 'all-read', policy: 'reads' },
    { id: 'a-pays', policy: 'pays', agents: ['a'] },
    { id: 'b-reads', policy: 'reads', agents: ['b'] },
    { id: 'nobody', policy: 'gone', agents: ['c'] },
  ],
};

test.each<[LintedDocument, string[]]>([
  [{ kind: 'rule', id: 'a-pays' }, ['NOTHING_IN_COMMON']],
  [{ kind: 'rule', id: 'b-reads' }, ['RULE_ADDS_NOTHING']],
  [{ kind: 'rule', id: 'all-read' }, ['NOTHING_IN_COMMON', 'RULE_ADDS_NOTHING']],
  [{ kind: 'rule', id: 'nobody' }, ['POLICY_MISSING', 'RULE_MATCHES_NOBODY']],
  [{ kind: 'policy', id: 'pays' }, ['NOTHING_IN_COMMON', 'PATTERN_MATCHES_NOTHING']],
  [{ kind: 'policy', id: 'unused' }, ['POLICY_UNUSED']],
])('reports only the findings about %o, if asked about this document', (around, codes) => {
  expect(lintAround(controlOf(AMISS), NOW_MS, around).map(({ code }) => code)).toEqual(codes);
});

test('examines an agent and its children if the agent is changed, and the tools that a rule delegates if the rule is changed', () => {
  const documents = {
    agents: [
      { id: 'lead' },
      { id: 'worker', parent: 'lead' },
      { id: 'idle' },
      { id: 'below', parent: 'idle' },
    ],
    policies: [
      { id: 'plans', allowedTools: ['ask'], delegableTools: ['deploy'] },
      { id: 'reads', allowedTools: ['read'] },
    ],
    rules: [
      { id: 'r', policy: 'plans', agents: ['lead'] },
      { id: 's', policy: 'reads', agents: ['worker', 'below'] },
    ],
  };
  const codes = (around: LintedDocument) =>
    lintAround(controlOf(documents), NOW_MS, around).map(({ code }) => code);
  expect(codes({ kind: 'agent', id: 'lead' })).toEqual(['NOTHING_IN_COMMON', 'TOOLS_HANDED_ON']);
  expect(codes({ kind: 'agent', id: 'below' })).toEqual(['PARENT_HOLDS_NOTHING']);
  expect(codes({ kind: 'agent', id: 'nobody' })).toEqual([]);
  expect(codes({ kind: 'rule', id: 'r' })).toEqual(['TOOLS_HANDED_ON']);
  expect(codes({ kind: 'policy', id: 'plans' })).toEqual(['TOOLS_HANDED_ON']);
  expect(codes({ kind: 'policy', id: 'reads' })).toEqual(['NOTHING_IN_COMMON']);
});

test('examines only a part of the documents for a change, because its author waits for the answer', () => {
  const many = (count: number, of: string) => Array.from({ length: count }, (_, at) => `${of}${at}`);
  const tools = many(1_000, 'tool');
  const patterns = { ...P, tools, allowedTools: ['tool*', ...many(3_000, 'other')] };
  const rule = { id: 'r', policy: 'p' };
  const told = lintAround(controlOf({ policies: [patterns], rules: [rule] }), NOW_MS, {
    kind: 'policy',
    id: 'p',
  });
  expect(told.every(({ code }) => code === 'PATTERN_MATCHES_NOTHING')).toBe(true);
  expect(told.length).toBeGreaterThan(1_000);
  expect(told.length).toBeLessThan(2_001);
});

test('reports that a search was skipped because it would take too long', () => {
  const long = Array.from({ length: 300 }, (_, at) => `other_${at}_`);
  const control = controlOf({
    agents: [{ id: 'lead' }, { id: 'a', parent: 'lead' }],
    policies: [
      { ...P, tools: ['tool'], allowedTools: long },
      { id: 'q', allowedTools: ['*_1', '*_now'] },
    ],
    rules: ['p', 'q'].map((policy) => ({ id: `of-${policy}`, policy })),
  });
  const linted = (steps?: number) => lintControl(control, NOW_MS, steps === undefined ? {} : { steps });
  expect(linted(0)).toEqual({
    findings: [],
    skipped: [
      { code: 'NOTHING_IN_COMMON', of: 'agents', count: 6 },
      { code: 'PARENT_HOLDS_NOTHING', of: 'parents', count: 1 },
      { code: 'TOOLS_HANDED_ON', of: 'parents', count: 1 },
      { code: 'RULE_MATCHES_NOBODY', of: 'rules', count: 2 },
      { code: 'RULE_ADDS_NOTHING', of: 'rules', count: 2 },
      { code: 'LIMIT_WITHOUT_EFFECT', of: 'rules', count: 2 },
      { code: 'TOOL_NEVER_AFFORDED', of: 'rules', count: 2 },
      { code: 'PATTERN_MATCHES_NOTHING', of: 'patterns', count: 300 },
      { code: 'LIMIT_WITHOUT_EFFECT', of: 'policies', count: 2 },
      { code: 'TOOL_NEVER_AFFORDED', of: 'policies', count: 2 },
      { code: 'PATTERN_DOUBTFUL', of: 'policies', count: 2 },
      { code: 'PATTERN_DOUBTFUL', of: 'rules', count: 2 },
      { code: 'NAMES_ALIKE', of: 'policies', count: 1 },
      { code: 'NAMES_ALIKE', of: 'agents', count: 1 },
    ],
  });
  // The comparison of these long patterns exceeds the limit, so it is skipped.
  const { findings, skipped } = linted();
  expect(skipped).toEqual([{ code: 'NOTHING_IN_COMMON', of: 'agents', count: 2 }]);
  expect(findings.length).toBeGreaterThan(299);
  const small = controlOf({ policies: [P], rules: [{ id: 'r', policy: 'p' }] });
  expect(lintControl(small, NOW_MS).skipped).toEqual([]);
});
