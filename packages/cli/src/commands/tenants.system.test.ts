/** Tests `mandate tenants` with a control service. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { controlService } from './control-service.fixture.ts';

async function commands() {
  const { folder, mandate } = await controlService('own', 'operate:all');
  const limits = join(folder, 'limits.yaml');
  writeFileSync(limits, 'deniedTools: [shell]\nbudgets: [{ id: contract, scope: tenant, max: 100 }]\n');
  return { limits, folder, tenants: (...args: string[]) => mandate('tenants', ...args) };
}

test('opens a tenant with a key for its first admin, changes the tenant, closes it and opens it again', async () => {
  const { tenants, limits } = await commands();
  expect((await tenants('list')).stdout).toBe('no tenant was opened\n');
  const opened = await tenants('open', 'acme', '--agents', '5', '--limits', limits, '--name', 'Acme');
  expect(opened).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^sk-mdt_\w+\n$/) });
  expect(opened.stderr).toContain('its first admin');
  expect(await tenants('open', 'acme')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/open already/),
  });

  expect(await tenants('set', 'acme', '--rules', '7')).toMatchObject({ stdout: 'changed acme\n' });
  const listed = (await tenants('list')).stdout;
  expect(listed).toMatch(/\nacme +open +agents 5, rules 7 +budgets, deniedTools +Acme\n$/);
  const without = await tenants('set', 'acme', '--remove-limits', '--json');
  expect(JSON.parse(without.stdout).tenant).toEqual({
    ...{ version: 1, id: 'acme', name: 'Acme' },
    quotas: { agents: 5, rules: 7 },
  });
  expect((await tenants('show', 'acme')).stdout).toMatch(
    /^id: acme\n.*state: open\nholds:\n {2}agents: 0\n/s,
  );

  expect(await tenants('close', 'acme', '--reason', 'done')).toMatchObject({ stdout: 'closed acme\n' });
  expect((await tenants('list')).stdout).toMatch(/ closed 2\S+Z /);
  expect(await tenants('close', 'acme')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/acme is closed already/),
  });
  // The tenant is closed, so its quotas cannot change. Otherwise this change would open the tenant again.
  expect(await tenants('set', 'acme', '--rules', '9')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/is closed/),
  });
  expect(await tenants('open', 'acme')).toMatchObject({
    exitCode: 0,
    stdout: 'opened acme again\n    ! wider: it was closed: nothing was allowed in it\n',
  });
  expect(JSON.parse((await tenants('show', 'acme', '--json')).stdout)).toMatchObject({
    closedAt: null,
    tenant: { quotas: { agents: 5, rules: 7 } },
  });
});

test('takes quotas from a file, keeps quotas that the file does not name, and reports a wrong quota with its line', async () => {
  const { tenants, folder } = await commands();
  const file = join(folder, 'quotas.yaml');
  const limited = async () => {
    const { stdout } = await tenants('show', 'acme', '--json');
    return JSON.parse(stdout).tenant.quotas;
  };
  await tenants('open', 'acme', '--agents', '5');
  writeFileSync(file, 'rememberedIds: 1000\npublish: { records: { perSecond: 500, perDay: 9000000 } }\n');
  expect(await tenants('set', 'acme', '--quotas', file)).toMatchObject({ exitCode: 0 });
  const publish = { records: { perSecond: 500, perDay: 9_000_000 } };
  expect(await limited()).toEqual({ agents: 5, rememberedIds: 1_000, publish });
  writeFileSync(file, 'rememberedIds: 2000\n');
  await tenants('set', 'acme', '--quotas', file, '--rules', '7');
  expect(await limited()).toEqual({ agents: 5, rules: 7, rememberedIds: 2_000, publish });
  writeFileSync(file, 'publish: { records: { perSecond: -1, perHour: 3 } }\n');
  const refused = await tenants('set', 'acme', '--quotas', file);
  expect(refused).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/quotas.yaml:1:\d+ .*perSecond/),
  });
  expect(refused.stderr).toContain('perHour');
});

test('reports errors in tenant limits, and tenants that do not exist', async () => {
  const { tenants, folder } = await commands();
  const bad = join(folder, 'bad.yaml');
  writeFileSync(bad, 'mode: observe\n');
  const refused = await tenants('open', 'acme', '--limits', bad);
  expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('bad.yaml:1:1 mode') });
  for (const args of [['show'], ['set', '--rules', '1'], ['close']])
    expect(await tenants(args[0] ?? '', 'nobody', ...args.slice(1))).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('TENANT_NOT_FOUND'),
    });
  expect(await tenants('close', 'own')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/OWN_TENANT/),
  });
});
