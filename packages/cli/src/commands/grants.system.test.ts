/** Tests `mandate grants` with a control service that has an agent, a policy and a rule. */
import { controlRecord } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { controlService } from './control-service.fixture.ts';

const CHANGES = [
  { event: 'agent.put', agent: { id: 'bot' } },
  { event: 'policy.published', policy: { version: 1, id: 'reads', allowedTools: ['read_*'] } },
  { event: 'rule.put', rule: { version: 1, id: 'all-read', policy: 'reads', mode: 'observe' } },
];

async function commands() {
  const { followed, mandate } = await controlService('acme', 'author');
  for (const [at, what] of CHANGES.entries()) {
    const change = { id: `chg-${at}`, tenant: 'acme', by: 'ann', reason: '', at: new Date().toISOString() };
    expect(await followed.change(controlRecord.parse({ ...what, change }))).toMatchObject({ ok: true });
  }
  return (...args: string[]) => mandate('grants', ...args);
}

test('issues a grant, lists and shows the grant, and revokes it', async () => {
  const grants = await commands();
  const context = ['--context', '{"environment":"prod"}'];
  const issued = await grants('issue', 'bot', ...context, '--for', '10m', '--reason', 'a test');
  expect(issued).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^mnd_[0-9a-z]{30}\n$/) });
  expect(issued.stderr).toMatch(/^made of 1 rule; ends 2\S+Z\n$/);
  const id = issued.stdout.trim();

  expect((await grants('list')).stdout).toMatch(
    new RegExp(`^ID .*\n${id} +bot +2\\S+Z +{"environment":"prod"} +all-read\n$`),
  );
  expect((await grants('list', '--agent', 'nobody')).stdout).toBe('no grant\n');
  expect((await grants('show', id)).stdout).toMatch(
    new RegExp(`^${id} of bot\nissued .*\nends .*\ncontext {.*}\nrules\n  all-read: reads@1, observe\n$`),
  );

  const revoked = { exitCode: 0, stdout: `revoked ${id} of bot\n`, stderr: '' };
  expect(await grants('revoke', id, '--reason', 'done')).toEqual(revoked);
  expect((await grants('list')).stdout).toBe('no grant\n');
  expect((await grants('list', '--state', 'revoked')).stdout).toMatch(/ revoked 2\S+Z /);
  expect((await grants('show', id)).stdout).toMatch(/\nrevoked 2/);
});

test('prints the answers of the API as JSON, and names what does not exist', async () => {
  const grants = await commands();
  const [id, other] = [await grants('issue', 'bot', '--json'), await grants('issue', 'bot', '--json')].map(
    ({ stdout }) => JSON.parse(stdout).grant.id,
  );
  const listed = (await grants('list', '--json')).stdout.trim().split('\n');
  expect(listed.map((line) => JSON.parse(line).grant.id).sort()).toEqual([id, other].sort());
  for (const command of ['show', 'revoke']) {
    const { stdout } = await grants(command, id, '--json');
    expect(JSON.parse(stdout)).toMatchObject({ grant: { id }, appliedPolicies: [{ name: 'reads@1' }] });
    const missing = { exitCode: 2, stdout: '', stderr: expect.stringContaining('GRANT_NOT_FOUND') };
    expect(await grants(command, 'mnd_none')).toMatchObject(missing);
  }
  const unknown = { exitCode: 2, stdout: '', stderr: expect.stringContaining('AGENT_NOT_FOUND') };
  expect(await grants('issue', 'nobody')).toMatchObject(unknown);
  expect(await grants('list', '--state', 'dead')).toMatchObject({ exitCode: 2 });
});
