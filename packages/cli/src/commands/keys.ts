import { existsSync } from 'node:fs';
import { dataFolder, makeDataFolder } from '@mandate/runtime';
import {
  API_SCOPES,
  type ApiKeyRecord,
  type ApiScope,
  DEFAULTS,
  patternDoubt,
  pinnedFields,
  ROLE_NAMES,
  ROLES,
  type Role,
  roleLastsMs,
} from '@mandate/schemas';
import { type FileKeyStore, fileKeyStore, issueApiKey } from '@mandate/server';
import { type Command, Option } from 'commander';
import type { CommandContext, RunCommand } from '../command-context.ts';
import { WrongUse } from '../exit-codes.ts';
import { namePattern, someText, tenantName } from '../input/option-values.ts';
import { type DryRun, withDryRun } from '../output/dry-run.ts';
import { printable } from '../output/printable.ts';
import { moreText, type PageOptions, showRows, withPage } from '../output/show-list.ts';
import type { Column } from '../output/table.ts';
import { MAY_BE_MEANT, warningsText } from '../output/warnings-text.ts';
import { showAnswer, write } from '../output/write.ts';
import { findConnection } from '../profiles/find-connection.ts';
import { readProfiles } from '../profiles/profile-file.ts';
import { type FolderOptions, folderOf, withData } from './folder.ts';
import {
  type Expiry,
  expiresInMs,
  expiryText,
  expiryWarnings,
  issuedText,
  withExpiry,
} from './key-expiry.ts';
import { type PinOptions, pinsOf, withPins } from './key-pins.ts';
import { issueThroughApi, isThroughApi, listThroughApi, revokeThroughApi } from './keys-through-api.ts';

type Asked = { role?: Role; scopes?: ApiScope[]; auditor?: true };
type IssueOptions = DryRun &
  FolderOptions &
  Asked &
  PinOptions &
  Expiry & { name: string; agents?: readonly string[]; tenant?: string };

/** A key in the key store, without its hash. */
type ShownKey = Omit<ApiKeyRecord, 'hash'>;

/** These commands need no key for a data folder: a user who can write to the folder owns the plane. */
export function keysCommand(command: Command, run: RunCommand): void {
  command.description(
    'Manages API keys. Without --url: the keys in the data folder of a plane on this machine. With --url, --control-url or --profile: ' +
      'the keys of people in a tenant, through the API of a plane. `mandate agents keys` manages the keys of one agent.',
  );
  issueCommand(command, run);
  listCommand(command, run);
  revokeCommand(command, run);
}

function issueCommand(keys: Command, run: RunCommand): void {
  const issue = withDryRun(withData(keys.command('issue')))
    .description('Issues an API key and prints it once. Only the hash of the key is kept.')
    .requiredOption('--name <name>', 'what the key is for', someText)
    .addOption(new Option('--role <role>', 'what the key may do in its tenant').choices(ROLE_NAMES))
    .addOption(new Option('--scopes <scope...>', 'instead of --role: each scope').choices(API_SCOPES))
    .option('--auditor', 'the same as --role viewer')
    .option('--agents <glob...>', "the agents that the key publishes for; '*' is all agents", namePattern)
    .option('--tenant <tenant>', `the tenant of the key (default ${DEFAULTS.tenant})`, tenantName);
  withExpiry(withPins(issue))
    .addHelpText(
      'after',
      `
Examples:
  mandate keys issue --name ci --scopes publish report --agents 'ci-*'
  mandate keys issue --name ci --scopes publish --agents ci-prod \\
    --pin context.environment=prod --expires 30d
  mandate keys issue --name oncall --role operator
  mandate keys issue --name ann --role viewer --url https://plane.example.com`,
    )
    .action((options: IssueOptions) =>
      run(async (context) => {
        if (isThroughApi(context)) return issueThroughApi(options, context);
        const { stderr } = context;
        const { name, tenant = DEFAULTS.tenant } = options;
        const scopes = scopesOf(options);
        const agents = agentsOf(options, scopes);
        const pins = pinsOf(options);
        if (pins !== undefined && !scopes.includes('publish'))
          throw new WrongUse('--pin needs the scope publish', 'Only actions have the pinned fields.');
        const path = folderOf(options, context);
        const isNew = !existsSync(path);
        if (isNew && options.data === undefined) mustNotMeanAnotherPlane(path, context);
        const folder = makeDataFolder(path);
        const { key, record } = issueApiKey({
          name,
          agents,
          tenant,
          scopes,
          pins,
          lastsMs: lastsMsOf(options),
        });
        await fileKeyStore(folder.keys).add(record);
        const doubts = agents
          .flatMap((one) => patternDoubt(one, agents) ?? [])
          .map((doubt) => `--agents: ${doubt}`);
        await write(stderr, warningsText(doubts, MAY_BE_MEANT));
        if (options.agents?.includes('*')) await write(stderr, warningsText(SPEAKS_FOR_ALL, NAME_AGENTS));
        if (scopes.includes('publish') && scopes.includes('operate'))
          await write(stderr, warningsText(APPROVES_ITSELF, TWO_KEYS));
        const where = options.data === undefined ? '' : ` --data ${options.data}`;
        const elsewhere =
          'A running plane knows the key only if this is its data folder. Otherwise use --url.';
        const warning = isNew ? warningsText([`the data folder ${folder.path} is new`], elsewhere) : '';
        const note = issuedText(record, where) + warning;
        return showAnswer(context, { key, ...shownOf(record) }, () => `${key}\n`, note);
      }),
    );
}

/** A key in a new folder would not help a person who wants a key for the plane of the login. */
function mustNotMeanAnotherPlane(path: string, { globals, env }: CommandContext): void {
  const { key, url } = findConnection(globals, env, () => readProfiles(env));
  if (key === '') return;
  throw new WrongUse(
    `there is no data folder ${path}, and the login is for ${url}`,
    `Give --url ${url} to issue the key through the API of this plane, or --data for a data folder.`,
  );
}

const SPEAKS_FOR_ALL = [
  'this key speaks for every agent of its tenant, so its holder can spend what all of them may spend',
];
const NAME_AGENTS = "Name the agents that it is for: --agents researcher 'ci-*'.";

const APPROVES_ITSELF = [
  'this key publishes and operates, so its holder can approve its own questions and revive its own agents',
];
const TWO_KEYS = 'Issue two keys, and give the agent only the one that publishes.';

/** Returns the agents of a key. A publishing key must name its agents. A key with a role is for the whole tenant. */
function agentsOf({ agents, role }: IssueOptions, scopes: readonly ApiScope[]): readonly string[] {
  const speaks = scopes.includes('publish') || scopes.includes('report') || scopes.includes('record');
  if (agents === undefined && speaks && role === undefined)
    throw new WrongUse(
      'the agents of the key are missing',
      `${NAME_AGENTS} '*' is every agent of the tenant.`,
    );
  return agents ?? ['*'];
}

function lastsMsOf({ role, auditor, ...options }: IssueOptions): number | null {
  const ofRole = role ?? (auditor ? 'viewer' : undefined);
  const asked = expiresInMs(options);
  if (asked !== undefined) return asked;
  return ofRole === undefined ? null : roleLastsMs(ofRole);
}

function scopesOf({ role, scopes, auditor }: Asked): readonly ApiScope[] {
  const asked = [role && ROLES[role], scopes, auditor && ROLES.viewer].filter((one) => one !== undefined);
  const [only] = asked;
  if (only !== undefined && asked.length === 1) return only;
  throw new WrongUse(
    only === undefined
      ? 'the key has no role and no scopes'
      : 'the key has more than one role, or scopes too',
    `Give one of --role (${ROLE_NAMES.join(', ')}), --auditor and --scopes (${API_SCOPES.join(', ')}).`,
  );
}

function listCommand(keys: Command, run: RunCommand): void {
  withPage(withData(keys.command('list')))
    .description('Lists the keys, without their secrets.')
    .addHelpText(
      'after',
      '\nExamples:\n  mandate keys list\n  mandate keys list --url https://plane.example.com',
    )
    .action((options: FolderOptions & PageOptions) =>
      run(async (context) => {
        if (isThroughApi(context)) return listThroughApi(options, context);
        const records = (await openStore(options, context).list()).map(shownOf);
        const nowMs = Date.now();
        await showRows(context, records.slice(0, options.limit), {
          columns: () => columnsAt(nowMs),
          empty: 'there is no key',
        });
        if (records.length > options.limit) await write(context.stderr, moreText(options.limit));
        await write(context.stderr, expiryWarnings(records, nowMs));
        return 0;
      }),
    );
}

function revokeCommand(keys: Command, run: RunCommand): void {
  withDryRun(withData(keys.command('revoke')))
    .description('Ends a key. The key stops working within a second.')
    .argument('<id>', 'the id of the key, as `keys list` shows it')
    .addHelpText('after', '\nExample:\n  mandate keys revoke key_…')
    .action((id: string, options: DryRun & FolderOptions) =>
      run(async (context) => {
        if (isThroughApi(context)) return revokeThroughApi(id, options, context);
        const record = await openStore(options, context).revoke(id);
        if (record === null) throw new WrongUse(`no key has the id ${id}`, '`mandate keys list` lists them.');
        return showAnswer(context, shownOf(record), () => `revoked ${printable(record.name)} (${id})\n`);
      }),
    );
}

const columnsAt = (nowMs: number): readonly Column<ShownKey>[] => [
  { title: 'ID', of: ({ id }) => id, keep: true },
  { title: 'NAME', of: ({ name }) => name, cut: true },
  { title: 'TENANT', of: ({ tenant }) => tenant, cut: true },
  { title: 'SCOPES', of: ({ scopes }) => scopes.join(','), cut: true },
  { title: 'AGENTS', of: ({ agents }) => agents.join(','), cut: true },
  { title: 'PINS', of: ({ pins }) => pinnedFields(pins).join(','), cut: true, extra: true },
  { title: 'EXPIRES', of: (key) => expiryText(key, nowMs), extra: true },
  { title: 'REVOKED', of: ({ revokedAt }) => revokedAt ?? '', extra: true },
];

function shownOf({ hash, ...shown }: ApiKeyRecord): ShownKey {
  return shown;
}

/** Opens the keys of a folder that exists, because a misspelt folder would look like a folder without keys. */
function openStore(options: FolderOptions, context: CommandContext): FileKeyStore {
  const folder = dataFolder(folderOf(options, context));
  if (existsSync(folder.keys)) return fileKeyStore(folder.keys);
  throw new WrongUse(
    `there are no API keys in ${folder.path}`,
    'Name the data folder of the plane with --data. `mandate up` and `mandate keys issue` make the first keys. To see the keys of people of ' +
      'a running plane, name it with --url or --profile.',
  );
}
