/** Tests `mandate apply` and `mandate diff` of a folder with a manifest, with a control service. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
