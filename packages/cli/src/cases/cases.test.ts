import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '@mandate/testing';
import { expect, it, test } from 'vitest';
import { runCommand } from '../run-command.fixture.ts';

const CONTROL = `
kind: policy
version: 1
id: mail
allowedTools: ['read_*']
maxCostTotal: 1.00
budgets: [{ id: team, scope: tenant, max: 2.00, windowMs: 60000 }]
toolPolicies: { read_mail: { cost: 0.40 } }
---
{ kind: rule, version: 1, id: support-mail, policy: mail, groups: [support] }
`;
const AGENTS = `agents: [{ id: bot, groups: [support] }]`;

/** Writes a folder with these files, and returns the folder and a function that runs `mandate test` on it. */
function folderOf(files: Readonly<Record<string, string>>) {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries({ 'control.yaml': CONTROL, ...files })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const run = (...args: string[]) => runCommand(['test', folder, ...args]);
  return { folder, run };
}

/** Runs one case with these steps, and returns the results of its steps. */
async function told(steps: string, more = '') {
  const text = `version: 1\n${AGENTS}\ncases:\n  - name: it\n    agent: bot\n${more}    steps:\n${steps}`;
  const { run } = folderOf({ 'it.test.yaml': text });
  const { exitCode, stdout, stderr } = await run('--json');
  expect(stderr).toBe('');
  const { ok, steps: played } = JSON.parse(stdout);
  expect(exitCode).toBe(ok ? 0 : 1);
  return played as { seen: string; differences: { what: string; expected: string; seen: string }[] }[];
}

it('runs the cases of the demo', async () => {
  const { exitCode, stdout } = await runCommand(['test', join(import.meta.dirname, '../../../demo/src')]);
  expect(stdout).not.toContain('FAIL');
  expect(stdout).toMatch(/\n\d+ cases: \d+ passed\n$/);
  expect(exitCode).toBe(0);
});

it.each([
  ['now: 2026-02-30T00:00:00Z', 'has no day 30: the last day of 2026-02 is 28'],
  ['now: 9999-12-31T00:00:00Z', 'must be in the years 1970 to 2261'],
  ['steps: [{ at: 9007199254740991, ask: { tool: look } }]', 'must be at most 3155760000000'],
])('refuses a case at an impossible time: %s', async (line, said) => {
  const { run } = folderOf({
    'a.test.yaml': `version: 1\n${AGENTS}\ncases:\n  - name: x\n    agent: bot\n    ${line}\n`,
  });
  const { exitCode, stderr, stdout } = await run();
  expect(exitCode).not.toBe(0);
  expect(stderr + stdout).toContain(said);
});

it('reports expected and actual values, the line of the step, and the policy and rule of the limit', async () => {
  const { folder, run } = folderOf({
    'mail.test.yaml': `version: 1
${AGENTS}
cases:
  - name: reads
    agent: bot
    steps: [{ ask: { tool: read_mail }, expect: ALLOW }]
  - name: sends
    agent: bot
    steps:
      - { ask: { tool: read_mail }, expect: ALLOW }
      - ask: { tool: send_mail }
        expect: { verdict: ALLOW, charged: 0.1, policy: other }
`,
  });
  const file = join(folder, 'mail.test.yaml');
  const { exitCode, stdout } = await run();
  expect(exitCode).toBe(1);
  expect(stdout).toBe(
    [
      `ok    reads  ${file}:4`,
      `FAIL  sends  ${file}:7`,
      '     1  ask read_mail by bot: ALLOW $0.40',
      `     2  ask send_mail by bot: BLOCK TOOL_NOT_ALLOWED  ${file}:11`,
      '        - verdict: ALLOW',
      '        + verdict: BLOCK',
      '        - charged: $0.10',
      '        + charged: $0.00',
      '        - policy: other',
      '        + policy: mail@1',
      '          No pattern of allowedTools matches the tool "send_mail". This comes from the policy "mail@1", which the rule "support-mail" gives.',
      '          held to mail@1, by support-mail',
      '2 cases: 1 passed, 1 failed',
      '',
    ].join('\n'),
  );
});

test.each([
  ['a verdict', '{ verdict: ALLOW }', 'verdict', 'BLOCK'],
  ['a code', 'ALLOWED', 'code', 'TOOL_NOT_ALLOWED'],
  ['an observed code', '{ observed: TOOL_DENIED }', 'observed', 'none'],
  ['what is in shadow', '{ shadow: TOOL_DENIED }', 'shadow', 'none'],
  ['a policy', '{ policy: mail@2 }', 'policy', 'mail@1'],
  ['a rule', '{ rule: other }', 'rule', 'support-mail'],
  ['a charge', '{ charged: 0.000001 }', 'charged', '$0.00'],
  ['what was spent', '{ spent: { total: 0.1 } }', 'spent of total', '$0.00'],
  ['what is left', '{ left: { tenant/team: 1.9 } }', 'left of tenant/team', '$2.00'],
  ['a budget', '{ left: { nope: 1 } }', 'left of nope', 'is no budget here; known: total, tenant/team/60000'],
  ['how many calls are left', '{ callsLeft: 1 }', 'callsLeft', 'none'],
  ['a wait', '{ retryAfterMs: 5 }', 'retryAfterMs', 'none'],
])('reports a difference in %s', async (_what, expected, what, seen) => {
  const [step] = await told(`      - { ask: { tool: send_mail }, expect: ${expected} }\n`);
  expect(step?.differences).toMatchObject([{ what, seen }]);
});

it('reports no difference if everything is as expected', async () => {
  const steps = await told(`
      - ask: { tool: send_mail }
        expect: { verdict: BLOCK, code: TOOL_NOT_ALLOWED, policy: mail, rule: support-mail, charged: 0 }
      - { ask: { tool: read_mail }, expect: { code: ALLOWED, charged: 0.4, spent: { total: 0.4 } } }
`);
  expect(steps.flatMap(({ differences }) => differences)).toEqual([]);
});

it('updates the remaining budget after spending, time, outcomes and answers', async () => {
  const steps = await told(
    `
      - { ask: { tool: read_mail }, expect: { left: { total: 0.1, team: 0.5 } } }
      - { ask: { tool: read_mail }, expect: { code: COST_LIMIT_EXCEEDED, left: { total: 0.1 } } }
      - { report: { actionId: step-1, status: failure, actualCostMicros: 100000 }, expect: { code: SETTLED, charged: 0.1, left: { total: 0.4 } } }
      - { at: 60060, ask: { tool: read_mail }, expect: { verdict: ALLOW, left: { total: 0, team: 1.6 } } }
`,
    '    spent: [{ budget: total, amount: 0.5 }, { budget: team, amount: 1.1 }]\n',
  );
  expect(steps.flatMap(({ differences }) => differences)).toEqual([]);
});

it('reports the first unexpected result of an action that is repeated', async () => {
  const [step] = await told('      - { ask: { tool: read_mail }, times: 5, expect: ALLOW }\n');
  expect(step).toMatchObject({ title: 'ask read_mail by bot, 3 of 5', seen: 'BLOCK COST_LIMIT_EXCEEDED' });
});

it('applies a mandates file to agents that no file registers', async () => {
  const { run } = folderOf({
    'below/mandates.yaml': 'version: 1\nid: m\nagents: ["*"]\nbudgets: [{ id: b, scope: agent, max: 1 }]\n',
    'below/m.test.yaml': `version: 1
mandates: mandates.yaml
files: [../control.yaml]
${AGENTS}
cases:
  - name: by the register
    steps:
      - { ask: { agentId: bot, tool: send_mail }, expect: { policy: mail } }
      - { ask: { agentId: stranger, tool: send_mail }, expect: ALLOW }
      - { ask: { agentId: stranger, tool: t, estimatedCostMicros: 1000001 }, expect: { policy: m, left: { b: 1 } } }
`,
  });
  expect(await run()).toMatchObject({ exitCode: 0, stderr: '' });
});

it('knows the budgets of an answer that a policy filters', async () => {
  const filtering = '{ guardrails: { output: { blocked_content: [{ pii_detection: true }] } } }';
  const { run } = folderOf({
    'mandates.yaml': `version: 1\nid: m\nagents: ["*"]\nmaxCostTotal: 1\ngovernance: ${filtering}\n`,
    'm.test.yaml': `version: 1
mandates: mandates.yaml
cases:
  - name: an answer with an address
    agent: writer
    steps:
      - { ask: { type: output, text: 'To ann@example.org.' }, expect: { code: ALLOWED, left: { total: 1 } } }
`,
  });
  expect(await run()).toMatchObject({ exitCode: 0, stderr: '' });
});

it('blocks with MANDATE_NOT_FOUND if a rule names a version of a policy that does not exist', async () => {
  const { run } = folderOf({
    'more.yaml': '{ kind: rule, version: 1, id: old, policy: mail@7, groups: [support] }',
    'it.test.yaml': `version: 1
${AGENTS}
cases:
  - name: it
    agent: bot
    steps: [{ ask: { tool: read_mail }, expect: { code: MANDATE_NOT_FOUND, policy: mail@7, rule: support-mail } }]
`,
  });
  const { steps } = JSON.parse((await run('--json')).stdout);
  expect(steps[0].differences).toEqual([{ what: 'rule', expected: 'support-mail', seen: 'old' }]);
});

it('distinguishes the budgets of an ancestor from the budgets of the agent', async () => {
  const { run } = folderOf({
    'register.yaml': `kind: policy
version: 1
id: half
maxCostTotal: 0.5
---
kind: rule
version: 1
id: all
policy: half
`,
    'a.test.yaml': `version: 1
agents: [{ id: lead }, { id: bot, parent: lead }]
cases:
  - name: it
    agent: bot
    spent: [{ budget: total, agentId: lead, amount: 0.4 }]
    steps:
      - ask: { tool: look, estimatedCostMicros: 100000 }
        expect: { verdict: ALLOW, left: { total: 0.4, total of lead: 0 } }
      - { ask: { tool: look, estimatedCostMicros: 100000 }, expect: { code: COST_LIMIT_EXCEEDED, policy: half@1 of lead, rule: all of lead } }
      - { ask: { tool: look, estimatedCostMicros: 100000 }, expect: { policy: half, rule: all } }
`,
  });
  expect(await run()).toMatchObject({ stderr: '', stdout: expect.stringContaining('1 passed') });
});

it('refuses to register an agent twice', async () => {
  const { run } = folderOf({
    'agents.yaml': 'kind: agent\nid: bot\n',
    'it.test.yaml': `version: 1
agents: [{ id: other }, { id: bot, groups: [support] }, { id: other }]
cases: [{ name: it, agent: bot, steps: [{ ask: { tool: t } }] }]
`,
  });
  const { exitCode, stderr } = await run();
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/it.test.yaml:2:25 agents.1: the agent "bot" is registered already/);
  expect(stderr).toMatch(/agents.2: the agent "other" is registered already/);
});

it('names every fault by file, line and path', async () => {
  const { folder, run } = folderOf({
    'bad.test.yaml': `version: 1
agents: [{ id: bot, parent: nobody }]
cases:
  - name: it
    spent: [{ budget: purse, amount: 1 }, { budget: total, amount: 1 }]
    steps:
      - { ask: { tool: t }, expct: ALLOW }
`,
    'worse.test.yaml': `version: 1
agents: [{ id: bot, parent: nobody }]
cases:
  - name: it
    spent: [{ budget: purse, amount: 1 }, { budget: total, amount: 1 }]
    steps:
      - { ask: { tool: t } }
      - { at: 5, kill: { scope: all } }
      - { at: 4, revive: { scope: all } }
      - { approve: step-9 }
`,
    'worst.test.yaml': `version: 1
cases:
  - name: it
    agent: bot
    steps:
      - { ask: { tool: t }, expect: ALOW }
      - { ask: { tool: t, colour: red } }
      - { ask: { tool: t }, report: {} }
      - { kill: {}, expect: ALLOW, times: 2 }
`,
  });
  const { exitCode, stdout, stderr } = await run();
  expect([exitCode, stdout]).toEqual([2, '']);
  const faults = stderr.split('\n').flatMap((line) => line.split(`${folder}/`)[1] ?? []);
  expect(faults).toEqual([
    expect.stringMatching(
      /^bad.test.yaml:7:29 cases.0.steps.0.expct: is not a known field: write "expect"; known here: at, ask,/,
    ),
    expect.stringMatching(
      /^worse.test.yaml:2:10 agents.0: the agent "bot" is refused: neither .* register its parent "nobody" \(PARENT_UNKNOWN\)$/,
    ),
    expect.stringMatching(
      /^worse.test.yaml:5:15 cases.0.spent.0.budget: is no budget here; known: total, tenant/,
    ),
    expect.stringMatching(/^worse.test.yaml:5:43 cases.0.spent.1: says no agentId/),
    expect.stringMatching(/^worse.test.yaml:7:11 cases.0.steps.0.ask: says no agentId/),
    expect.stringMatching(/^worse.test.yaml:9:11 cases.0.steps.2.at: is before the step above/),
    expect.stringMatching(/^worse.test.yaml:10:11 cases.0.steps.3.approve: is the id of no action/),
    expect.stringMatching(/^worst.test.yaml:6:29 cases.0.steps.0.expect: must be one of "ALLOW"/),
    expect.stringMatching(/^worst.test.yaml:7:27 cases.0.steps.1.ask.colour: is not a known field/),
    expect.stringMatching(/^worst.test.yaml:8:9 cases.0.steps.2: must have exactly one of ask, report/),
    expect.stringMatching(/^worst.test.yaml:9:21 cases.0.steps.3.expect: belongs to ask or report/),
    expect.stringMatching(/^worst.test.yaml:9:36 cases.0.steps.3.times: belongs to ask$/),
  ]);
});

it('fails if a step answers an action that does not wait for approval', async () => {
  const played = await told(`      - { ask: { id: a, tool: read_mail }, expect: ALLOW }
      - { approve: a }
`);
  expect(played[1]).toMatchObject({
    seen: 'APPROVAL_NOT_WAITING',
    differences: [
      { expected: 'one that waits for a person', seen: 'the action was already decided: ALLOW (ALLOWED)' },
    ],
  });
});

it('fails if no case was run', async () => {
  const { run } = folderOf({
    'it.test.yaml': `version: 1\n${AGENTS}\ncases: [{ name: it, steps: [{ kill: { scope: all } }] }]\n`,
  });
  expect(await run('--filter', 'it')).toMatchObject({ exitCode: 0 });
  expect(await run('--filter', 'other')).toMatchObject({ exitCode: 2, stdout: '' });
  expect(await folderOf({}).run()).toMatchObject({ exitCode: 2, stdout: '' });
});

it('writes valid JUnit XML for any characters in names', async () => {
  const { folder, run } = folderOf({
    'it.test.yaml': `version: 1
${AGENTS}
cases:
  - { name: 'a & <b>', agent: bot, steps: [{ ask: { tool: read_mail }, expect: ALLOW }] }
  - { name: "c]]>\\u0001\\ud800", agent: bot, steps: [{ ask: { tool: '<send>"' }, expect: ALLOW }] }
`,
  });
  const report = join(folder, 'report.xml');
  expect((await run('--junit', report)).exitCode).toBe(1);
  const file = join(folder, 'it.test.yaml');
  const xml = readFileSync(report, 'utf8').replaceAll(/time="\d+\.\d{3}"/g, 'time="T"');
  const counts = 'tests="2" failures="1" errors="0" skipped="0" time="T"';
  expect(xml).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="mandate test" ${counts}>
  <testsuite name="${file}" ${counts}>
    <testcase classname="${file}" name="a &amp; &lt;b&gt;" file="${file}" line="4" time="T"/>
    <testcase classname="${file}" name="c]]&gt;\ufffd\ufffd" file="${file}" line="5" time="T">
      <failure message="ask &lt;send&gt;&quot; by bot: verdict: expected ALLOW, seen BLOCK">${file}:5 ask &lt;send&gt;&quot; by bot&#10;verdict: expected ALLOW, seen BLOCK&#10;No pattern of allowedTools matches the tool &quot;&lt;send&gt;&quot;&quot;. This comes from the policy &quot;mail@1&quot;, which the rule &quot;support-mail&quot; gives.&#10;held to mail@1, by support-mail</failure>
    </testcase>
  </testsuite>
</testsuites>
`);
});

it('redacts what a plane and a privacy document redact, and applies an approval only to the action as it was sent', async () => {
  const privacy = join(temporaryFolder(), 'privacy.yaml');
  writeFileSync(privacy, 'version: 1\npatterns: [{ pattern: email, do: redact }]\n');
  const { run } = folderOf({
    'control.yaml': `
kind: policy
version: 1
id: mail
toolPolicies:
  send:
    argumentValidation:
      schema:
        type: object
        properties: { token: { type: string, pattern: ^tok_ }, to: { type: string, pattern: com$ } }
  pay: { requiresConfirmation: true }
---
{ kind: rule, version: 1, id: support-mail, policy: mail }
`,
    'redacted.test.yaml': `version: 1
${AGENTS}
privacy: ${privacy}
cases:
  - name: what is redacted
    agent: bot
    steps:
      - { ask: { tool: send, args: { token: tok_1 } }, expect: ARGUMENT_VALIDATION_FAILED }
      - { ask: { tool: send, args: { to: a@b.com } }, expect: ARGUMENT_VALIDATION_FAILED }
      - { ask: { id: p, tool: pay, args: { password: x } }, expect: DEFER }
      - { approve: p }
      - { ask: { id: p, tool: pay, args: { password: y } }, expect: DUPLICATE_ACTION }
      - { ask: { id: p, tool: pay, args: { password: x } }, expect: ALLOW }
`,
  });
  const { exitCode, stdout } = await run();
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringContaining('1 case: 1 passed') });
});
