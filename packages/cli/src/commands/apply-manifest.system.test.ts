/** Tests `mandate apply` and `mandate diff` of a folder with a manifest, with a control service. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@mandate/testing';
import { expect, test } from 'vitest';
import { controlService } from './control-service.fixture.ts';
import { manifestFolder } from './manifest-folder.fixture.ts';

test('applies a manifest, finds no difference then, and shows what an overlay changes', async () => {
  const { followed, mandate } = await controlService('default', 'author');
  const folder = manifestFolder();
  writeFileSync(join(folder, 'agents.yaml'), '{ kind: agent, id: bot }');
  const applied = await mandate('apply', '-f', folder);
  expect(applied.exitCode).toBe(0);
  expect(applied.stderr).toContain('(TOOL_WITHOUT_PERMISSION)');
  const { agents, policies, rules } = followed.tenant('default');
  expect([...agents.keys()].sort()).toEqual(['bot', 'tutor', 'tutor.curator']);
  expect([...policies.keys()].sort()).toEqual(['tutor-policy', 'tutor.curator']);
  expect([...rules.keys()].sort()).toEqual(['tutor-policy', 'tutor.curator']);
  expect(await mandate('diff', '-f', folder)).toMatchObject({ exitCode: 0, stdout: 'nothing differs\n' });

  const diff = await mandate('diff', '-f', folder, '--env', 'production', '--json');
  expect(diff.exitCode).toBe(3);
  expect(JSON.parse(diff.stdout)).toMatchObject({
    kind: 'policy',
    id: 'tutor-policy',
    does: 'change',
    widens: [expect.stringContaining('guest')],
  });
  expect(diff.stderr).toContain('(OVERLAY_WIDENS)');
  const produced = await mandate('apply', '-f', folder, '--env', 'production');
  expect(produced.exitCode).toBe(0);
  const { versions = [] } = followed.tenant('default').policies.get('tutor-policy') ?? {};
  expect(versions.map(({ document }) => document.toolPolicies?.make_cards?.roles)).toEqual([
    ['user'],
    ['guest', 'user'],
  ]);
});

test('previews a specialist and a prompt of a manifest that the plane does not have', async () => {
  const { mandate } = await controlService('default', 'author');
  const folder = manifestFolder();
  const preview = (...args: string[]) => mandate('preview', ...args, '-f', folder);
  const call = await preview('tutor.curator', '--tool', 'make_cards', '--role', 'user');
  expect(call).toMatchObject({ exitCode: 0, stderr: '' });
  expect(call.stdout).toContain('tutor.curator make_cards: ALLOW, as far as its limits go\n');
  expect(call.stdout).toContain(
    'make_cards calls: 5 in 1 h (tutor-policy@1 of tutor by the rule "tutor-policy of tutor")',
  );
  const refused = await preview('tutor.curator', '--tool', 'make_cards', '--role', 'guest');
  expect([refused.exitCode, refused.stdout]).toEqual([3, expect.stringContaining('BLOCK ROLE_NOT_ALLOWED')]);
  const wider = await preview(
    'tutor.curator',
    '--tool',
    'make_cards',
    '--role',
    'guest',
    '--env',
    'production',
  );
  expect(wider.exitCode).toBe(0);
  const prompt = await preview('tutor', '--prompt', 'make cards', '--role', 'user');
  expect(prompt.exitCode).toBe(0);
  expect(prompt.stdout).toContain('  obliges to tools: ["make_cards"]\n');
  expect((await preview('tutor', '--prompt', 'x', '--tool', 'y')).exitCode).toBe(2);
});

test('pulls into a folder with a manifest, and does not change the manifest', async () => {
  const { mandate } = await controlService('default', 'author');
  const folder = manifestFolder();
  await mandate('apply', '-f', folder);
  const other = join(temporaryFolder(), 'bot.yaml');
  writeFileSync(other, '{ kind: agent, id: bot }');
  await mandate('apply', '-f', other);
  const pulled = await mandate('pull', '--out', folder);
  expect(pulled).toMatchObject({ exitCode: 0, stderr: '' });
  expect(readFileSync(join(folder, 'agents', 'bot.yaml'), 'utf8')).toContain('id: bot');
  expect(await mandate('diff', '-f', folder)).toMatchObject({ exitCode: 0 });

  const before = readFileSync(join(folder, 'policy.yaml'), 'utf8');
  await mandate('apply', '-f', folder, '--env', 'production');
  const differs = await mandate('pull', '--out', folder);
  expect(differs.stderr).toContain(
    `the policy "tutor-policy" of the plane differs from ${join(folder, 'policy.yaml')}`,
  );
  expect(readFileSync(join(folder, 'policy.yaml'), 'utf8')).toBe(before);
  expect((await mandate('pull', '--out', folder, '--env', 'production')).stderr).toBe('');
});

test('changes nothing if a manifest has an error', async () => {
  const { followed, mandate } = await controlService('default', 'author');
  const folder = manifestFolder({ 'policy.yaml': (text) => text.replace('[user]', '[usr]') });
  expect(await mandate('apply', '-f', folder)).toMatchObject({
    exitCode: 2,
    stdout: '',
    stderr: expect.stringContaining('(ROLE_UNKNOWN)'),
  });
  expect(followed.tenant('default').agents.size).toBe(0);
});
