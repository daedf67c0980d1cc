/** Tests `mandate audit prune` on the tables of a data folder. */
import { MIGRATIONS_DIRECTORY, migrate, openEmbeddedAudit } from '@mandate/audit';
import { dataFolder } from '@mandate/runtime';
import { temporaryFolder } from '@mandate/testing';
import { expect, test } from 'vitest';
import { runCommand } from '../run-command.fixture.ts';

const OLD = '2020-01-15T00:00:00.000Z';

async function folderWith(tenants: readonly string[]): Promise<string> {
  const data = temporaryFolder();
  const audit = await openEmbeddedAudit({ path: dataFolder(data).audit });
  await migrate(audit, MIGRATIONS_DIRECTORY);
  const ids = tenants.map((tenant) => ({ tenant, id: `${tenant}-1` }));
  await audit.insert(
    'decisions',
    ids.map((one) => ({ ...one, appended_at: OLD, decided_at: OLD })),
  );
  await audit.insert(
    'control_events',
    ids.map((one) => ({ ...one, event: 'agent.killed', happened_at: OLD })),
  );
  await audit.close();
  return data;
}

const read = (stdout: string) =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

test('removes the old months of one tenant, and then the months of the other tenants', async () => {
  const data = await folderWith(['acme', 'globex']);
  const prune = async (...args: string[]) => {
    const all = ['audit', 'prune', '--data', data, '--keep-months', '24', ...args];
    const { exitCode, stdout } = await runCommand(all);
    expect(exitCode).toBe(0);
    return stdout;
  };
  const ofAcme = [
    { table: 'control_events', month: '202001', rows: 1, tenant: 'acme' },
    { table: 'decisions', month: '202001', rows: 1, tenant: 'acme' },
  ];
  expect(read(await prune('--tenant', 'acme', '--dry-run', '--json'))).toEqual(
    ofAcme.map((one) => ({ ...one, dropped: false })),
  );
  expect(read(await prune('--tenant', 'acme', '--json'))).toEqual(
    ofAcme.map((one) => ({ ...one, dropped: true })),
  );
  expect(await prune('--tenant', 'acme')).toBe('nothing is that old\n');

  expect(await prune('--dry-run')).toMatch(/2020-01 +decisions +1\n1 row would be dropped\n$/);
  expect(await prune()).toMatch(/1 row dropped\n$/);
  expect(read(await prune('--tenant', 'globex', '--json'))).toMatchObject([{ table: 'control_events' }]);
});
