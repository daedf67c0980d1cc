/**
 * A program that tests start as a separate process. It migrates the database argv[3] at the address argv[2] when it
 * reads a line from stdin.
 */
import { once } from 'node:events';
import { MIGRATIONS_DIRECTORY, migrate, openServerAudit } from '../index.ts';

const [, , url = '', database = ''] = process.argv;
const { origin, username, password } = new URL(url);
const audit = await openServerAudit({
  url: origin,
  username: username === '' ? 'default' : username,
  password: decodeURIComponent(password),
  database,
});
process.stdout.write('ready\n');
await once(process.stdin, 'data');
process.stdout.write(`${JSON.stringify(await migrate(audit, MIGRATIONS_DIRECTORY))}\n`);
await audit.close();
