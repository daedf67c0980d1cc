/** Tests `mandate preview` with a control service that has an agent, policies and rules. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { controlRecord } from '@mandate/schemas';
import { temporaryFolder } from '@mandate/testing';
import { expect, test } from 'vitest';
import { controlService } from './control-service.fixture.ts';

const isProduction = { field: 'context.environment', op: '==', value: 'prod' };
const PAY = { cost: 2, rateLimit: { maxCalls: 5, windowMs: 60_000 }, requiresConfirmation: true };
const CHANGES = [
  { event: 'agent.put', agent: { id: 'bot' } },
  { event: 'policy.published', policy: { version: 1, id: 'reads', allowedTools: ['read_*'] } },
  {
    event: 'policy.published',
    policy: { version: 1, id: 'pays', maxCostTotal: 10, toolPolicies: { pay: PAY } },
  },
  { event: 'rule.put', rule: { version: 1, id: 'production', policy: 'pays', when: isProduction } },
  { event: 'rule.put', rule: { version: 1, id: 'watched', policy: 'reads', mode: 'shadow' } },
];

async function previews(more: readonly object[] = []) {
  const { followed, mandate } = await controlService('acme', 'audit');
  for (const [at, what] of [...CHANGES, ...more].entries()) {
    const change = { id: `chg-${at}`, tenant: 'acme', by: 'ann', reason: '', at: new Date().toISOString() };
    expect(await followed.change(controlRecord.parse({ ...what, change }))).toMatchObject({ ok: true });
  }
  return (tool: string | null, ...args: string[]) =>
    mandate('preview', 'bot', ...(tool === null ? [] : ['--tool', tool]), ...args);
}

test('explains why no rule matches, what limits an allowed call, and what shadow rules would decide', async () => {
  const preview = await previews();
  const refused = await preview('pay');
  expect(refused.exitCode).toBe(3);
  expect(refused.stdout.split('\n')).toEqual([
    'bot pay: BLOCK MANDATE_NOT_FOUND',
    '  No rule matches this action of the agent "bot".',
    expect.stringContaining('near'),
    'were the shadow rules in force: BLOCK TOOL_NOT_ALLOWED',
    'RULE        MODE     OF  POLICY',
    'watched     shadow       reads@1',
    'production  enforce      does not match: context.environment is missing',
    '',
  ]);
  const asked = await preview('pay', '--context', '{"environment":"prod"}', '--args', '{"amount":1}');
  expect(asked).toMatchObject({ exitCode: 0, stderr: '' });
  expect(asked.stdout.split('\n')).toEqual([
    'bot pay: DEFER',
    '  reserves $2.00',
    '  pay calls: 5 in 1 min (pays@1 by the rule "production")',
    '  agent budget "total": $10.00 (pays@1 by the rule "production")',
    '  a person is asked (pays@1 by the rule "production")',
    'were the shadow rules in force: BLOCK TOOL_NOT_ALLOWED',
    'RULE        MODE     OF  POLICY',
    "production  enforce      pays@1, by context.environment: the caller's claim, unless a key pins it",
    'watched     shadow       reads@1',
    '',
  ]);
});

test('shows for each limit the other limits on the same counter, and the number of rules that gave it', async () => {
  const purse = { maxCostTotal: 12.5, toolPolicies: { pay: { requiresConfirmation: true } } };
  const preview = await previews([
    { event: 'policy.published', policy: { version: 1, id: 'purse', ...purse } },
    { event: 'rule.put', rule: { version: 1, id: 'all-pay', policy: 'pays' } },
    { event: 'rule.put', rule: { version: 1, id: 'purse', policy: 'purse' } },
  ]);
  const { stdout } = await preview('pay', '--context', '{"environment":"prod"}');
  expect(stdout.split('\n').slice(2, 6)).toEqual([
    '  pay calls: 5 in 1 min (pays@1 by the rule "all-pay" and 1 more)',
    '  agent budget "total": $10.00 (pays@1 by the rule "all-pay" and 1 more); besides $12.50 (purse@1)',
    '  calls without an outcome: 20 (purse@1 by the rule "purse")',
    '  a person is asked (pays@1 by the rule "all-pay" and 1 more); besides (purse@1)',
  ]);
});

test('takes documents from files, and prints the answer of the API as JSON', async () => {
  const preview = await previews();
  const file = join(temporaryFolder(), 'thought-of.yaml');
  writeFileSync(
    file,
    'kind: rule\nversion: 1\nid: production\npolicy: pays\n---\nkind: policy\nversion: 1\nid: pays\n',
  );
  const { exitCode, stdout } = await preview('pay', '-f', file);
  expect([exitCode, stdout.split('\n')[0]]).toEqual([0, 'bot pay: ALLOW, as far as its limits go']);
  const { stdout: json } = await preview('pay', '-f', file, '--cost', '0.000005', '--json');
  expect(JSON.parse(json)).toMatchObject({
    ...{ refusal: null, reserveMicros: 5, near: [] },
    matchedRules: [
      { rule: 'production', policy: 'pays@2' },
      { rule: 'watched', policy: 'reads@1' },
    ],
  });
});

test('shows the rules of a possible grant if no tool is given, or why there would be no grant', async () => {
  const when = { field: 'action.tool', op: 'starts_with', value: 'read_' };
  const preview = await previews([
    { event: 'rule.put', rule: { version: 1, id: 'open', policy: 'reads', when } },
  ]);
  const prod = ['--context', '{"environment":"prod"}'];
  const given = await preview(null, ...prod);
  expect(given).toMatchObject({ exitCode: 0, stderr: '' });
  expect(given.stdout.split('\n')).toEqual([
    expect.stringMatching(/^bot: a grant until 2\S+Z$/),
    'RULE        MODE     OF  POLICY',
    'production  enforce      pays@1',
    'open        enforce      reads@1, for actions that meet its condition',
    '',
  ]);
  const file = join(temporaryFolder(), 'thought-of.yaml');
  writeFileSync(file, 'kind: rule\nversion: 1\nid: open\npolicy: reads\nmode: shadow\n');
  const refused = await preview(null, '--context', '{"environment":"test"}', '-f', file);
  expect(refused.exitCode).toBe(3);
  expect(refused.stdout.split('\n')).toEqual([
    'bot: no grant: NO_RULE_MATCHES',
    '  no rule matches the agent in this context',
    expect.stringContaining('near'),
    'RULE        MODE     OF  POLICY',
    'production  enforce      does not match: context.environment is "test", and not == "prod"',
    '',
  ]);
  const { stdout } = await preview(null, ...prod, '--json');
  expect(JSON.parse(stdout)).toMatchObject({ grant: { rules: ['production'] }, refusal: null });
  expect(await preview(null, '--cost', '5')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('--tool'),
  });
});

const governance = {
  roles: ['user'],
  memory_policies: {
    read: { user_isolation: true, intent_mapping: { chat: ['episodic'] }, max_results: { episodic: 2 } },
  },
  intents: [{ id: 'chat', triggers: { fallback: true } }],
  guardrails: { output: { blocked_content: [{ pii_detection: { types: ['email'] } }] } },
  categories: { notes: { categories: { standup: { policies: { defaultTtl: 7 } } } } },
};
const TUTOR = [
  { event: 'policy.published', policy: { version: 1, id: 'tutor', governance } },
  { event: 'rule.put', rule: { version: 1, id: 'teaches', policy: 'tutor' } },
];

test('previews an action of any kind', async () => {
  const preview = await previews(TUTOR);
  const person = ['--principal', 'mia', '--role', 'user'];
  const asked = (action: object) => preview(null, '--action', JSON.stringify(action), ...person);
  const read = await asked({ type: 'memory_read' });
  expect(read).toMatchObject({ exitCode: 0, stderr: '' });
  expect(read.stdout).toContain('bot memory_read: ALLOW');
  expect(read.stdout).toContain('obliges to stores: [{"store":"episodic","maxResults":2}]');
  expect(read.stdout).toContain('obliges to filter: {"field":"user_id","is":"principal.id"}');
  const answer = await asked({ type: 'output', text: 'Write to mia@example.com.' });
  expect(answer.stdout).toContain('bot output: ALLOW');
  expect(answer.stdout).toContain('obliges to redactions:');
  const save = await asked({ type: 'memory_write', event: 'interaction_complete', text: { user: 'Hello' } });
  expect(save.stdout).toContain('obliges to saves: []');
  const refused = await asked({ type: 'memory_operation', operation: 'prune', store: 'others' });
  expect(refused).toMatchObject({ exitCode: 3 });
  expect(refused.stdout).toContain('STORE_NOT_ALLOWED');
  for (const args of [
    ['--action', '{"type":"prune"}', '--prompt', 'hello'],
    ['--category', '/standup'],
  ])
    expect((await preview(null, ...args)).exitCode).toBe(2);
});

test('shows what may be done in a category of memories, and which category says so', async () => {
  const preview = await previews(TUTOR);
  const shown = await preview(null, '--store', 'notes', '--category', '/standup/pinned');
  expect(shown).toMatchObject({ exitCode: 0, stderr: '' });
  expect(shown.stdout.split('\n')).toEqual([
    'notes /standup/pinned (tutor@1)',
    'FIELD                VALUE     SAID BY',
    'defaultTtl           7         /standup',
    'maxContentLength     no limit  the default',
    'create               true      the default',
    'update               true      the default',
    'delete               true      the default',
    'subcategoryCreation  true      the default',
    '',
  ]);
  const { stdout } = await preview(null, '--store', 'others');
  expect(stdout).toBe('no policy of the agent knows this store: every operation is refused\n');
});
