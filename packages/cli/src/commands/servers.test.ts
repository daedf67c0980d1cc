import { join } from 'node:path';
import { temporaryFolder } from '@mandate/testing';
import { expect, test } from 'vitest';
import { runCommand } from '../run-command.fixture.ts';

const SERVERS = { MANDATE_KAFKA_BROKERS: '127.0.0.1:1', MANDATE_CLICKHOUSE_URL: 'http://127.0.0.1:1' };
const env = { ...SERVERS, MANDATE_API_KEY: 'sk-mdt_x' };

test.each([
  ['audit prune --keep-months 1', 'there is no audit at'],
  ['snapshot', 'there is no log at'],
  ['reconcile', 'there is no log at'],
])('`mandate %s --data` reads the folder, even if the environment names servers', async (line, said) => {
  const folder = join(temporaryFolder(), 'nothing');
  const { exitCode, stderr } = await runCommand([...line.split(' '), '--data', folder], { env });
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(`${said} ${folder}`) });
});
