/** Tests `mandate agents list`, `policies` and `rules` with a control service. */
import { controlRecord } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { controlService } from './control-service.fixture.ts';

const reads = (allowedTools: string[]) => ({
  event: 'policy.published',
  policy: { version: 1, id: 'reads', allowedTools },
});
const CHANGES = [
  reads(['read_*']),
  reads(['*']),
  { event: 'rule.put', rule: { version: 1, id: 'all-read', policy: 'reads', groups: ['support'] } },
];

async function commands() {
  const { followed, mandate } = await controlService('acme', 'author');
  for (const [at, what] of CHANGES.entries()) {
    const change = { id: `chg-${at}`, tenant: 'acme', by: 'ann', reason: '', at: new Date().toISOString() };
    expect(await followed.change(controlRecord.parse({ ...what, change }))).toMatchObject({ ok: true });
  }
  return mandate;
}

test('lists and shows policies, and publishes an earlier version again', async () => {
  const mandate = await commands();
  expect((await mandate('policies', 'list')).stdout).toMatch(
    /^POLICY .*\nreads +2 {2}in use +allowedTools\n$/,
  );
  expect((await mandate('policies', 'show', 'reads@1')).stdout).toBe(
    '# version 1\nkind: policy\nversion: 1\nid: reads\nallowedTools:\n  - read_*\n',
  );
  expect(await mandate('policies', 'rollback', 'reads', '1', '--reason', 'too much')).toEqual({
    ...{ exitCode: 0, stderr: '' },
    stdout: 'published reads@1 again, as version 3\n',
  });
  const versions = (await mandate('policies', 'versions', 'reads')).stdout;
  expect(versions.match(/^reads@\d/gm)).toEqual(['reads@3', 'reads@2', 'reads@1']);
  expect(await mandate('policies', 'rollback', 'reads', '9')).toMatchObject({
    ...{ exitCode: 2, stdout: '' },
    stderr: expect.stringContaining('POLICY_NOT_FOUND'),
  });
});

test('says that a list has more rows, and continues the list from a cursor', async () => {
  const mandate = await commands();
  const first = await mandate('policies', 'versions', 'reads', '--limit', '1', '--json');
  expect(JSON.parse(first.stdout)).toMatchObject({ version: 2 });
  const [, cursor = ''] =
    /^mandate: note: 1 of more than 1 shown; for more: --limit 10, or --cursor (\S+)\n$/.exec(first.stderr) ??
    [];
  const second = await mandate('policies', 'versions', 'reads', '--limit', '1', '--cursor', cursor, '--json');
  expect(JSON.parse(second.stdout)).toMatchObject({ version: 1 });
  expect(second.stderr).toBe('');
  expect((await mandate('policies', 'versions', 'reads', '--limit', '2')).stderr).toBe('');
});

test('lists and shows rules', async () => {
  const mandate = await commands();
  expect((await mandate('rules', 'list')).stdout).toMatch(
    /^RULE .*\nall-read +reads +enforce +group support +always\n$/,
  );
  expect((await mandate('rules', 'show', 'all-read')).stdout).toMatch(
    /^kind: rule\nversion: 1\nid: all-read\n/,
  );
  expect((await mandate('rules', 'show', 'none')).stderr).toContain('RULE_NOT_FOUND');
});

test('registers an agent with a key, and issues, lists and revokes keys of the agent', async () => {
  const mandate = await commands();
  const registered = await mandate(
    'agents',
    'register',
    'bot',
    '--groups',
    'support',
    '--labels',
    'tier=gold',
  );
  expect(registered).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^sk-mdt_\w+\n$/) });
  expect(registered.stderr).toMatch(/^registered bot; its key has the id \w+, and is shown only now\n/);
  const issued = await mandate('agents', 'keys', 'issue', 'bot', '--expires', '30d', '--json');
  const { id } = JSON.parse(issued.stdout).key;
  const listed = (await mandate('agents', 'keys', 'list', 'bot')).stdout;
  expect(listed).toMatch(new RegExp(`\n${id} +2\\S+Z \\(in \\d+ d\\)`));
  expect(listed).not.toContain('sk-mdt_');
  expect((await mandate('agents', 'keys', 'revoke', 'bot', id)).stdout).toBe(`revoked ${id} of bot\n`);
  expect((await mandate('agents', 'keys', 'list', 'bot')).stdout).not.toContain(id);
  expect((await mandate('agents', 'register', 'bot')).exitCode).toBe(1);
  expect((await mandate('agents', 'keys', 'list', 'nobody')).stderr).toContain('AGENT_NOT_FOUND');
});
