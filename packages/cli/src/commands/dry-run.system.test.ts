/** Tests `--dry-run` of the commands that change agents, policies and grants, with a control service. */
import { controlRecord } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { controlService } from './control-service.fixture.ts';

const reads = (allowedTools: string[]) => ({
  event: 'policy.published',
  policy: { version: 1, id: 'reads', allowedTools },
});
const CHANGES = [
  reads(['*']),
  reads(['read_*']),
  { event: 'rule.put', rule: { version: 1, id: 'all-read', policy: 'reads', agents: ['bot'] } },
  { event: 'agent.put', agent: { id: 'bot' } },
];

test('commands say what would change with --dry-run, and change nothing', async () => {
  const { followed, mandate } = await controlService('acme', 'author');
  for (const [at, what] of CHANGES.entries()) {
    const change = { id: `chg-${at}`, tenant: 'acme', by: 'ann', reason: '', at: new Date().toISOString() };
    expect(await followed.change(controlRecord.parse({ ...what, change }))).toMatchObject({ ok: true });
  }
  const rollback = ['policies', 'rollback', 'reads', '1'];
  expect((await mandate(...rollback, '--dry-run')).stdout).toMatch(
    /^dry run: nothing was changed\nwould record policy.published, as version 3\n {4}! wider: .*\nconcerns 1 agent: bot\n/,
  );
  const commands: [args: string[], event: string][] = [
    [rollback, 'policy.published'],
    [['agents', 'register', 'bot-2'], 'agent.put'],
    [['agents', 'keys', 'issue', 'bot'], 'key.issued'],
    [['grants', 'issue', 'bot'], 'grant.issued'],
  ];
  for (const [args, event] of commands) {
    const { exitCode, stdout } = await mandate(...args, '--dry-run', '--json');
    expect([args, exitCode, JSON.parse(stdout)]).toMatchObject([args, 0, { dryRun: true, event }]);
  }
  expect(followed.revision()).toBe(CHANGES.length);
  expect(await mandate('agents', 'keys', 'issue', 'nobody', '--dry-run')).toMatchObject({
    ...{ exitCode: 2, stdout: '' },
    stderr: expect.stringContaining('AGENT_NOT_FOUND'),
  });
});

test('keys of a data folder have no dry run', async () => {
  const { mandate } = await controlService('acme', 'admin');
  expect(await mandate('keys', 'issue', '--name', 'ann', '--role', 'viewer', '--dry-run')).toMatchObject({
    ...{ exitCode: 2, stdout: '' },
    stderr: expect.stringContaining('only a plane has dry runs'),
  });
});
