/** Keys of people, through the API of a plane: from anywhere, for holders of a key with the scope `admin`. */

import { rowsOf } from '@mandate/client';
import type { Role } from '@mandate/schemas';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { CommandFailure, type ExitCode } from '../exit-codes.ts';
import { printable } from '../output/printable.ts';
import { showRows } from '../output/show-rows.ts';
import { write, writeJsonLine } from '../output/write.ts';
import { type ConnectionOptions, connect, withControl } from './connection.ts';
import { type Expiry, expiresInMs, expiryText, expiryWarnings } from './key-expiry.ts';

export type ThroughApi = Pick<ConnectionOptions, 'url' | 'controlUrl' | 'key' | 'json'>;

type RoleKey = { id: string; name: string; role: Role; createdAt: string; expiresAt: string | null };
type Page = { keys: readonly RoleKey[]; next: string | null };

export function withApi(command: Command): Command {
  return withControl(
    command
      .option('--url <url>', 'address of a plane: then keys of roles, through its API, not in a data folder')
      .option('--key <key>', 'API key of an admin for that; better in MANDATE_API_KEY'),
  );
}

/** An address alone tells: one in the environment is there for other commands, and does not move where keys are made. */
export function isThroughApi({ url, controlUrl }: ThroughApi): boolean {
  return url !== undefined || controlUrl !== undefined;
}

/** @param local what was given that only a data folder knows */
export async function issueThroughApi(
  options: ThroughApi & Expiry & { name: string; role?: Role },
  local: readonly string[],
  context: CommandContext,
): Promise<ExitCode> {
  const { name, role, json } = options;
  const [wrong] = local;
  if (wrong !== undefined || role === undefined)
    throw new CommandFailure(
      2,
      wrong === undefined ? 'its role is not said' : `--${wrong} is of a data folder, not of a plane's API`,
      'A key of the API has a --role, in the tenant of the key that asks for it.',
    );
  const { stdout, stderr } = context;
  const issued = await connect(options, context).post<RoleKey & { key: string }>('/v1/keys', {
    ...{ name, role, expiresInMs: expiresInMs(options) },
  });
  if (json) await writeJsonLine(stdout, issued);
  else {
    await write(stdout, `${issued.key}\n`);
    await write(stderr, `its id is ${issued.id}: \`mandate keys revoke ${issued.id} --url …\` ends it\n`);
    if (issued.expiresAt) await write(stderr, `it expires at ${issued.expiresAt}\n`);
  }
  return 0;
}

export async function listThroughApi(options: ThroughApi, context: CommandContext): Promise<ExitCode> {
  const listed = rowsOf(connect(options, context), {
    path: '/v1/keys',
    cursor: 'cursor',
    pageSize: 1_000,
    rows: ({ keys }: Page) => keys,
  });
  const soon: RoleKey[] = [];
  const nowMs = Date.now();
  await showRows(context.stdout, noting(listed, soon), {
    json: options.json === true,
    columns: [
      { title: 'ID', of: ({ id }) => id },
      { title: 'NAME', of: ({ name }) => name },
      { title: 'ROLE', of: ({ role }) => role },
      { title: 'CREATED', of: ({ createdAt }) => createdAt },
      { title: 'EXPIRES', of: (key) => expiryText(key, nowMs) },
    ],
    empty: 'nobody was issued a key through the API',
  });
  await write(context.stderr, expiryWarnings(soon, nowMs));
  return 0;
}

/** Rows as they come, and again below the list. */
async function* noting<Row>(rows: AsyncIterable<Row>, noted: Row[]): AsyncGenerator<Row> {
  for await (const row of rows) {
    noted.push(row);
    yield row;
  }
}

export async function revokeThroughApi(
  options: ThroughApi,
  id: string,
  context: CommandContext,
): Promise<ExitCode> {
  const revoked = await connect(options, context).delete<object>(`/v1/keys/${encodeURIComponent(id)}`);
  if (options.json) await writeJsonLine(context.stdout, { id, ...revoked });
  else await write(context.stdout, `revoked ${printable(id)}\n`);
  return 0;
}
