/**
 * Tests how the command applies a folder of files with agents, policies and rules to a running plane, and how it
 * compares the files with the plane.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitUntil } from '@mandate/testing';
import { expect, it } from 'vitest';
import { planeForCommands } from './plane-for-commands.ts';
import { jsonLines } from './run-mandate.ts';

const { folder, data, mandate, plane } = planeForCommands();

const AGENTS = `
kind: agent
id: gitops-worker
parent: gitops-lead
groups: [gitops]
---
kind: agent
id: gitops-lead
groups: [gitops]
`;
const POLICY = `
kind: policy
version: 1
id: gitops-reads
allowedTools: ['read_*']
`;
const RULE = `
kind: rule
version: 1
id: gitops-rule
policy: gitops-reads
groups: [gitops]
`;

function files(): { path: string; write(name: string, text: string): void } {
  const path = join(folder, 'control');
  rmSync(path, { recursive: true, force: true });
  mkdirSync(join(path, 'below'), { recursive: true });
  const write = (name: string, text: string) => writeFileSync(join(path, name), text);
  write('agents.yaml', AGENTS);
  write('below/policy.yml', POLICY);
  write('below/rule.yaml', RULE);
  write('below/README.md', 'not read');
  return { path, write };
}

it('apply shows the differences and applies them; then nothing differs, and an action obeys the new policy', async () => {
  const { path, write } = files();
  const dry = await mandate(['apply', '-f', path, '--dry-run']);
  expect(dry).toMatchObject({ exitCode: 0, stderr: '' });
  expect(dry.stdout).toBe(
    [
      '+ agent gitops-lead',
      '    + id: gitops-lead',
      '    + groups:',
      '    +   - gitops',
      '    + labels: {}',
      '+ agent gitops-worker',
      '    + id: gitops-worker',
      '    + groups:',
      '    +   - gitops',
      '    + labels: {}',
      '    + parent: gitops-lead',
      '+ policy gitops-reads',
      '    + version: 1',
      '    + id: gitops-reads',
      '    + allowedTools:',
      '    +   - read_*',
      '+ rule gitops-rule',
      '    + version: 1',
      '    + id: gitops-rule',
      '    + priority: 0',
      '    + policy: gitops-reads',
      '    + mode: enforce',
      '    + groups:',
      '    +   - gitops',
      '    ! wider: it is new: it gives its policy to agents that no other rule matches',
      '4 differences: 4 to add',
      '',
    ].join('\n'),
  );
  expect((await mandate(['diff', '-f', path])).exitCode).toBe(3);
  expect((await mandate(['apply', '-f', path, '--reason', 'a test'])).exitCode).toBe(0);
  expect(await mandate(['diff', '-f', path])).toMatchObject({ exitCode: 0, stdout: 'nothing differs\n' });

  const ask = ['publish', '--agent', 'gitops-worker', '--tool'];
  expect((await mandate([...ask, 'read_file'])).stdout).toContain('ALLOW');
  expect((await mandate([...ask, 'search'])).stdout).toContain('TOOL_NOT_ALLOWED');

  // The plane stores -0 as 0, so -0 is no difference.
  write('below/policy.yml', `${POLICY.replace("'read_*'", "'read_*', search")}maxCostPerCall: -0\n`);
  const { stdout } = await mandate(['apply', '-f', path]);
  expect(stdout).toContain(
    '~ policy gitops-reads\n    + maxCostPerCall: 0\n      allowedTools:\n    +   - search\n    ! wider: allowedTools: + search\n1 difference: 1 to change\n',
  );
  expect((await mandate(['diff', '-f', path])).exitCode).toBe(0);
  expect((await mandate([...ask, 'search'])).stdout).toContain('ALLOW');

  rmSync(join(path, 'below'), { recursive: true });
  expect((await mandate(['diff', '-f', path])).exitCode).toBe(0);
  const pruned = await mandate(['apply', '-f', path, '--prune', '--json']);
  expect(pruned.exitCode).toBe(0);
  expect(jsonLines(pruned.stdout)).toMatchObject([
    { kind: 'rule', id: 'gitops-rule', does: 'remove' },
    { kind: 'policy', id: 'gitops-reads', does: 'remove' },
  ]);
  expect((await mandate([...ask, 'read_file'])).stdout).toContain('MANDATE_NOT_FOUND');

  // A policy was archived on the plane. Applying its file makes a new version of the policy.
  const again = files();
  expect((await mandate(['apply', '-f', again.path])).stdout).toContain('2 to add');
  expect((await mandate(['diff', '-f', again.path])).exitCode).toBe(0);
  expect((await mandate([...ask, 'read_file'])).stdout).toContain('ALLOW');
});

it('the audit shows who changed what, when and why, and also refused changes', async () => {
  const late = await fetch(`${plane().url}/v1/policies/gitops-reads`, {
    method: 'PUT',
    headers: {
      authorization: `Bearer ${plane().keys.operator}`,
      'content-type': 'application/json',
      'if-match': '"1"',
    },
    body: JSON.stringify({ version: 1, id: 'gitops-reads' }),
  });
  expect(late.status).toBe(409);
  const ask = ['control-events', 'list', '--subject', 'gitops-reads', '--json'];
  const changed = await waitUntil('the changes on record', async () => {
    const rows = jsonLines((await mandate(ask)).stdout);
    return rows.length === 5 ? rows : undefined;
  });
  expect(changed).toMatchObject([
    { event: 'policy.published', policyVersion: null, refusal: 'REVISION_CONFLICT' },
    { event: 'policy.published', policyVersion: 3 },
    { event: 'policy.archived', policyVersion: null },
    { event: 'policy.published', policyVersion: 2, reason: '' },
    {
      ...{ event: 'policy.published', policyVersion: 1, refusal: null },
      ...{ by: expect.stringContaining('operator'), reason: 'a test' },
    },
  ]);
  const headers = { authorization: `Bearer ${plane().keys.operator}` };
  const [refused] = changed as { id: string }[];
  const whole = await fetch(`${plane().url}/v1/audit/control-events/${refused?.id}`, { headers });
  expect(await whole.json()).toMatchObject({
    refusal: 'REVISION_CONFLICT',
    record: { event: 'policy.published', policy: { id: 'gitops-reads' }, change: { expects: 1 } },
  });
  const gone = await fetch(`${plane().url}/v1/audit/control-events/chg_1`, { headers });
  expect(gone.status).toBe(404);
  const table = await mandate([...ask.slice(0, -1), '--event', 'policy.archived', '--csv']);
  expect(table.stdout).toMatch(/^id,event,.*subject.*\n.*policy\.archived,.*gitops-reads.*\n$/);
  const reconciled = await mandate(['reconcile', '--data', data]);
  expect(reconciled).toMatchObject({ exitCode: 0 });
});

it('pull writes the documents of the plane and no others; then nothing differs, whatever the ids', async () => {
  const { path, write } = files();
  write(
    'strange.yaml',
    `kind: agent
id: Ünïcode/🤖
labels: { 'yes': 'no', '0x10': '~', '-': 1e-7, quoted: "a: 'b' # c" }
`,
  );
  expect((await mandate(['apply', '-f', path])).exitCode).toBe(0);
  const out = join(folder, 'pulled');
  const pulled = await mandate(['pull', '--out', out]);
  expect(pulled).toMatchObject({ exitCode: 0, stderr: '' });
  expect(pulled.stdout).toContain('+ policy gitops-reads\n');
  expect(pulled.stdout).not.toContain('wider');
  expect(pulled.stdout.endsWith(`\n5 files written below ${out}\n`)).toBe(true);
  expect(readFileSync(join(out, 'policies/gitops-reads.yaml'), 'utf8')).toBe(
    'kind: policy\nversion: 1\nid: gitops-reads\nallowedTools:\n  - read_*\n',
  );
  expect(await mandate(['diff', '-f', out, '--prune'])).toMatchObject({
    exitCode: 0,
    stdout: 'nothing differs\n',
  });

  // pull does not change a file that has the same meaning as its document. It writes the file of a changed document
  // again, and deletes the file of a removed document.
  const kept = join(out, 'rules/gitops-rule.yaml');
  writeFileSync(kept, `# why\n${RULE}`);
  write('below/policy.yml', POLICY.replace("'read_*'", 'search'));
  rmSync(join(path, 'strange.yaml'));
  expect((await mandate(['apply', '-f', path, '--prune'])).exitCode).toBe(0);
  const dry = await mandate(['pull', '--out', out, '--dry-run', '--json']);
  const again = await mandate(['pull', '--out', out, '--json']);
  expect(again.stdout).toBe(dry.stdout);
  expect(jsonLines(again.stdout)).toMatchObject([
    { kind: 'policy', id: 'gitops-reads', does: 'change' },
    { kind: 'agent', id: 'Ünïcode/🤖', does: 'remove' },
  ]);
  expect(readFileSync(kept, 'utf8')).toBe(`# why\n${RULE}`);
  expect(await mandate(['pull', '--out', out])).toMatchObject({ exitCode: 0, stdout: 'nothing differs\n' });

  // This file contains several documents, so a person wrote it. pull must not overwrite it.
  expect(await mandate(['pull', '--out', path])).toMatchObject({ exitCode: 2, stdout: '' });
});

it('apply warns of a rule that names a missing policy version; pull warns that it writes only the last version', async () => {
  const { path, write } = files();
  write('pinned.yaml', 'kind: policy\nversion: 1\nid: pinned\n');
  write('names.yaml', 'kind: rule\nversion: 1\nid: pins\npolicy: pinned@2\nmode: shadow\n');
  const names = 'mandate: warning: the rule "pins" names pinned@2, and';
  const dry = await mandate(['apply', '-f', path, '--dry-run']);
  expect(dry).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining(`${names} that policy has one version\n`),
  });
  expect((await mandate(['apply', '-f', path])).stderr).toBe(dry.stderr);
  expect((await mandate(['diff', '-f', path])).stderr).toBe(dry.stderr);

  write('pinned.yaml', 'kind: policy\nversion: 1\nid: pinned\nallowedTools: [x]\n');
  expect(await mandate(['apply', '-f', path])).toMatchObject({ exitCode: 0, stderr: '' });
  const pulled = await mandate(['pull', '--out', join(folder, 'pulled-pinned')]);
  expect(pulled).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining('names pinned@2, but only the last of 2 versions is written\n'),
  });
  for (const name of ['pinned.yaml', 'names.yaml']) rmSync(join(path, name));
  expect(await mandate(['apply', '-f', path, '--prune'])).toMatchObject({ exitCode: 0, stderr: '' });
});

it('apply names every fault of every file, and then changes nothing', async () => {
  const { path, write } = files();
  write('bad.yaml', `kind: rule\nversion: 1\nid: x\npolicy: p\ncolour: red\n---\nkind: nothing\n`);
  write('twice.yaml', POLICY);
  const { exitCode, stderr } = await mandate(['apply', '-f', path]);
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/bad\.yaml:5:1 colour: /);
  expect(stderr).toMatch(/bad\.yaml:7:1 kind: /);
  expect(stderr).toMatch(/twice\.yaml: the policy "gitops-reads" is already in .*below\/policy\.yml/);
  expect((await mandate(['apply', '-f', join(folder, 'nowhere')])).exitCode).toBe(2);
  const empty = join(folder, 'empty');
  mkdirSync(empty, { recursive: true });
  expect((await mandate(['apply', '-f', empty, '--prune'])).exitCode).toBe(2);
});

it('lint lists the faults of files and of the plane', async () => {
  const { path, write } = files();
  expect(await mandate(['lint', '-f', path])).toMatchObject({
    exitCode: 0,
    stdout: '0 errors, 0 warnings\n',
  });
  write(
    'gone.yaml',
    RULE.replace('policy: gitops-reads', 'policy: gone').replace('gitops-rule', 'to-nothing'),
  );
  const found = await mandate(['lint', '-f', path]);
  expect(found.exitCode).toBe(3);
  expect(found.stdout).toMatch(/^error POLICY_MISSING: .*"to-nothing".*\n {2}Publish/);
  expect((await mandate(['lint', '--json'])).exitCode).toBe(0);
});

it('apply says beforehand what would be refused or would block, then which change was refused, and what is still wrong', async () => {
  const { path, write } = files();
  write('orphan.yaml', 'kind: agent\nid: doer\nparent: nobody\n');
  write('typo.yaml', RULE.replace('gitops-reads', 'gitops-raeds').replace('gitops-rule', 'typo'));
  const warned =
    /the agent "doer" names the parent "nobody", and no such .*\n.*\n.*the rule "typo" names gitops-raeds, and there is no such policy\n/;
  const blocks = 'mandate: 1 rule without a policy would block agents; nothing was changed\n';
  for (const how of [['--dry-run'], []]) {
    const stopped = await mandate(['apply', '-f', path, ...how]);
    expect([stopped.exitCode, stopped.stderr]).toEqual([1, expect.stringMatching(warned)]);
    expect(stopped.stderr).toContain(blocks);
  }
  const dry = await mandate(['apply', '-f', path, '--force', '--dry-run']);
  expect([dry.exitCode, dry.stderr.includes(blocks)]).toEqual([0, false]);
  const refused = await mandate(['apply', '-f', path, '--force']);
  expect([refused.exitCode, refused.stderr.replace(dry.stderr, '')]).toEqual([
    1,
    'mandate: the agent "doer": its parent is not registered (PARENT_UNKNOWN); 0 changes made, 2 not\n' +
      '  Register the parent first.\n',
  ]);
  rmSync(join(path, 'orphan.yaml'));
  const made = await mandate(['apply', '-f', path, '--force', '--json']);
  expect(made.exitCode).toBe(0);
  expect(jsonLines(made.stdout)).toMatchObject([{ kind: 'rule', id: 'typo', widens: [] }]);
  expect(made.stderr).toMatch(
    /\nerror POLICY_MISSING: The rule "typo" .*\n.*\n(?:.*\n)*mandate: warning: lint finds 1 error, /,
  );

  // The plane keeps an agent although its parent was retired. Another plane would refuse such an agent.
  rmSync(join(path, 'typo.yaml'));
  const [worker = ''] = AGENTS.split('---\n');
  write('agents.yaml', worker);
  const orphaned = 'the agent "gitops-worker" names the parent "gitops-lead", and';
  expect((await mandate(['apply', '-f', path, '--prune'])).stderr).toContain(
    `${orphaned} that agent is removed, because no file contains it\n`,
  );
  const out = join(folder, 'pulled-orphan');
  const pulled = await mandate(['pull', '--out', out, '--dry-run']);
  expect(pulled.stderr).toContain(`${orphaned} no such agent is registered\n`);
  expect(pulled.stdout.endsWith('\n3 differences: 3 to add; nothing was written\n')).toBe(true);
});
