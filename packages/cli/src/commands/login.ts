import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { DEFAULT_URL } from '@mandate/client';
import type { Command } from 'commander';
import { ApiProblem } from '../api-failure.ts';
import type { CommandContext, RunCommand } from '../command-context.ts';
import { clientOf } from '../connection.ts';
import { type ExitCode, WrongUse } from '../exit-codes.ts';
import { readText } from '../input/open-input.ts';
import { showAnswer, write } from '../output/write.ts';
import { givenAddresses } from '../profiles/find-connection.ts';
import { DEFAULT_PROFILE, readProfiles, writeProfiles } from '../profiles/profile-file.ts';

export function loginCommand(command: Command, run: RunCommand): void {
  command
    .description(
      'Keeps the address and the API key of a plane as a profile, for all later commands. Asks for the key, or reads it from stdin. ' +
        'The key is checked with the plane first, and is never printed.',
    )
    .addHelpText(
      'after',
      `
The profile is kept in mandate/profiles.json of your config folder
(XDG_CONFIG_HOME or ~/.config), which only you can read. MANDATE_URL and
MANDATE_API_KEY have priority over a profile, unless --profile names it.

Examples:
  mandate login
  mandate login --profile prod --url https://plane.example.com
  mandate login --profile ci < key.txt
  mandate agents list --profile prod`,
    )
    .action(() => run(login));
}

async function login(context: CommandContext): Promise<ExitCode> {
  const { globals, env, signal, stderr } = context;
  const name = globals.profile ?? (env.MANDATE_PROFILE || DEFAULT_PROFILE);
  const profiles = readProfiles(env);
  const given = givenAddresses(globals, env);
  // Without --url and MANDATE_URL, a login replaces only the key of a profile, which keeps its addresses.
  const before = given.url === undefined ? profiles[name] : undefined;
  const { key: _, ...kept } = before ?? { url: DEFAULT_URL, key: '' };
  const addresses = { ...kept, ...given, url: given.url ?? kept.url };
  const key = (globals.key ?? (await readKey(addresses.url, context))).trim();
  await mustKnowKey({ ...addresses, key }, signal);
  const path = writeProfiles(env, { ...profiles, [name]: { ...addresses, key } });
  if (env.MANDATE_API_KEY)
    await write(
      stderr,
      'mandate: note: MANDATE_API_KEY is set, and has priority over the profile, unless --profile names it\n',
    );
  return showAnswer(
    context,
    { profile: name, ...addresses, path },
    () => `logged in to ${addresses.url} as profile ${name}, kept in ${path}\n`,
  );
}

/**
 * Throws if the plane does not know the key. A key that lacks the scope of the requested route is accepted, because
 * the plane knows it.
 */
async function mustKnowKey(connection: Parameters<typeof clientOf>[0], signal: AbortSignal): Promise<void> {
  try {
    await clientOf(connection, signal).get('/v1/ledger');
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 403) return;
    if (!(error instanceof ApiProblem && error.status === 401)) throw error;
    throw new WrongUse(
      `the plane at ${connection.url} does not know this key`,
      'Nothing was kept. Copy the whole key, from sk- on.',
    );
  }
}

/** Reads the key. On a terminal, the typed characters are not shown. */
async function readKey(url: string, context: CommandContext): Promise<string> {
  const { stdin, stderr, signal } = context;
  if (!('isTTY' in stdin) || stdin.isTTY !== true) return readText('-', context);
  await write(stderr, `API key for ${url} (not shown): `);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: nowhere, terminal: true });
  try {
    return await lines.question('', { signal });
  } finally {
    lines.close();
    await write(stderr, '\n');
  }
}
