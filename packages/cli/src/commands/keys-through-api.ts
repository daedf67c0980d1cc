/** Manages the keys of people through the API of a plane. This needs a key with the scope `admin`. */

import type { Role } from '@mandate/schemas';
import type { CommandContext } from '../command-context.ts';
import { connect } from '../connection.ts';
import { type ExitCode, WrongUse } from '../exit-codes.ts';
import { type DryRun, showDryRun } from '../output/dry-run.ts';
import { printable } from '../output/printable.ts';
import { type PageOptions, showList } from '../output/show-list.ts';
import { showAnswer, write } from '../output/write.ts';
import { type Expiry, expiresInMs, expiryText, expiryWarnings, issuedText } from './key-expiry.ts';

type RoleKey = { id: string; name: string; role: Role; createdAt: string; expiresAt: string | null };

/** True if an option names a plane. The environment and the default profile do not change where keys are issued. */
export function isThroughApi({ globals }: CommandContext): boolean {
  return (globals.url ?? globals.controlUrl ?? globals.profile) !== undefined;
}

export async function issueThroughApi(
  options: DryRun & Expiry & { name: string; role?: Role },
  context: CommandContext,
): Promise<ExitCode> {
  const { name, role, dryRun } = options;
  if (role === undefined)
    throw new WrongUse(
      'the key has no role',
      'Give --role. The tenant is that of the key that you ask with.',
    );
  const body = { name, role, expiresInMs: expiresInMs(options) };
  const issued = await connect(context).post<RoleKey & { key: string }>('/v1/keys', body, {
    query: { dryRun },
  });
  if (dryRun) return showDryRun(context, issued);
  const { profile } = context.globals;
  const where = profile === undefined ? ' --url …' : ` --profile ${profile}`;
  return showAnswer(context, issued, () => `${issued.key}\n`, issuedText(issued, where));
}

export async function listThroughApi(page: PageOptions, context: CommandContext): Promise<ExitCode> {
  const nowMs = Date.now();
  const listed: RoleKey[] = [];
  await showList<RoleKey>(context, { path: '/v1/keys', rows: 'keys' }, page, {
    seen: (keys) => listed.push(...keys),
    columns: () => [
      { title: 'ID', of: ({ id }) => id, keep: true },
      { title: 'NAME', of: ({ name }) => name, cut: true },
      { title: 'ROLE', of: ({ role }) => role },
      { title: 'CREATED', of: ({ createdAt }) => createdAt, extra: true },
      { title: 'EXPIRES', of: (key) => expiryText(key, nowMs) },
    ],
    empty: 'no key was issued through the API',
  });
  await write(context.stderr, expiryWarnings(listed, nowMs));
  return 0;
}

export async function revokeThroughApi(
  id: string,
  { dryRun }: DryRun,
  context: CommandContext,
): Promise<ExitCode> {
  const revoked = await connect(context).delete<object>(`/v1/keys/${encodeURIComponent(id)}`, {
    query: { dryRun },
  });
  if (dryRun) return showDryRun(context, revoked);
  return showAnswer(context, { id, ...revoked }, () => `revoked ${printable(id)}\n`);
}
