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
import { CommandFailure } from '../exit-codes.ts';
import { namePattern, someText, tenantName } from '../input/option-values.ts';
import { printable } from '../output/printable.ts';
import { table } from '../output/table.ts';
import { MAY_BE_MEANT, warningsText } from '../output/warnings-text.ts';
import { write, writeJsonLine } from '../output/write.ts';
import { type FolderOptions, folderOf, withFolder } from './folder.ts';
import { type Expiry, expiresInMs, expiryText, expiryWarnings, withExpiry } from './key-expiry.ts';
import { type PinOptions, pinsOf, withPins } from './key-pins.ts';
import {
  issueThroughApi,
  isThroughApi,
  listThroughApi,
  revokeThroughApi,
  type ThroughApi,
  withApi,
} from './keys-through-api.ts';

type KeysOptions = FolderOptions & ThroughApi;
type Asked = { role?: Role; scopes?: ApiScope[]; auditor?: true };
type IssueOptions = KeysOptions &
  Asked &
  PinOptions &
  Expiry & { name: string; agents?: readonly string[]; tenant?: string };

/** What is kept of a key, without its hash. */
type ShownKey = Omit<ApiKeyRecord, 'hash'>;

/** On the data folder itself it needs no key: a user who may write there owns the plane. */
export function keysCommand(command: Command, run: RunCommand): void {
  command.description(
    'Manages API keys: those in the data folder of a plane on this machine, which a running plane notices within a second; ' +
      'with --url, those of the people of a tenant, through the API of any plane.',
  );
  issueCommand(command, run);
  listCommand(command, run);
  revokeCommand(command, run);
}

function issueCommand(keys: Command, run: RunCommand): void {
  inFolderOrApi(
    withExpiry(
      withPins(
        keys
          .command('issue')
          .description('Makes an API key and prints it once; only its hash is kept.')
          .requiredOption('--name <name>', 'what it is for', someText)
          .addOption(new Option('--role <role>', 'what it may do in its tenant').choices(ROLE_NAMES))
          .addOption(
            new Option('--scopes <scope...>', 'the same, one by one; in the place of --role').choices(
              API_SCOPES,
            ),
          )
          .option('--auditor', 'the same as --role viewer')
          .option(
            '--agents <glob...>',
            "the agents that it may speak for; needed where it publishes or reports. '*' is every agent of the tenant",
            namePattern,
          )
          .option('--tenant <tenant>', `whose it is; ${DEFAULTS.tenant} when absent`, tenantName),
      ),
    ),
  )
    .addHelpText(
      'after',
      `
Examples:
  mandate keys issue --name ci --scopes publish report --agents 'ci-*'
  mandate keys issue --name ci --scopes publish --agents ci-prod --pin context.environment=prod --expires 30d
  mandate keys issue --name 'mail server' --role reporter
  mandate keys issue --name oncall --role operator
  mandate keys issue --name ann --role viewer --url https://plane.example.com
  mandate keys issue --name 'auditors of 2026' --auditor`,
    )
    .action((options: IssueOptions) =>
      run(async (context) => {
        if (isThroughApi(options)) return issueThroughApi(options, localIn(options), context);
        const { stdout, stderr } = context;
        const { name, tenant = DEFAULTS.tenant, json } = options;
        const scopes = scopesOf(options);
        const agents = agentsOf(options, scopes);
        const pins = pinsOf(options);
        if (pins !== undefined && !scopes.includes('publish'))
          throw new CommandFailure(
            2,
            '--pin goes with the scope publish',
            'Only actions say what is pinned.',
          );
        const grant = { name, agents, tenant, scopes, pins, lastsMs: lastsMsOf(options) };
        const path = folderOf(options.data, context);
        const isNew = !existsSync(path);
        const folder = makeDataFolder(path);
        const { key, record } = issueApiKey(grant);
        await fileKeyStore(folder.keys).add(record);
        const doubts = agents
          .flatMap((one) => patternDoubt(one, agents) ?? [])
          .map((doubt) => `--agents: ${doubt}`);
        await write(stderr, warningsText(doubts, MAY_BE_MEANT));
        if (options.agents?.includes('*')) await write(stderr, warningsText(SPEAKS_FOR_ALL, NAME_AGENTS));
        if (scopes.includes('publish') && scopes.includes('operate'))
          await write(stderr, warningsText(APPROVES_ITSELF, TWO_KEYS));
        if (json) {
          await writeJsonLine(stdout, { key, ...shownOf(record) });
          return 0;
        }
        await write(stdout, `${key}\n`);
        // Beside the key, so that a script may take that as it stands.
        const where = options.data === undefined ? '' : ` --data ${options.data}`;
        await write(stderr, `its id is ${record.id}: \`mandate keys revoke ${record.id}${where}\` ends it\n`);
        if (record.expiresAt !== undefined) await write(stderr, `it expires at ${record.expiresAt}\n`);
        if (isNew) {
          const elsewhere =
            'A plane that runs knows it if this is its data folder; of any other, take --url.';
          await write(stderr, warningsText([`the data folder ${folder.path} is new`], elsewhere));
        }
        return 0;
      }),
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

/** A key that publishes acts for agents, so its agents must be named. A key of a role is for the whole tenant. */
function agentsOf({ agents, role }: IssueOptions, scopes: readonly ApiScope[]): readonly string[] {
  const speaks = scopes.includes('publish') || scopes.includes('report');
  if (agents === undefined && speaks && role === undefined)
    throw new CommandFailure(
      2,
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

/** Which of the options are of a data folder alone. */
function localIn(options: IssueOptions): string[] {
  return (['data', 'scopes', 'auditor', 'agents', 'tenant', 'pin'] as const).filter(
    (name) => options[name] !== undefined,
  );
}

function inFolderOrApi(command: Command): Command {
  return withApi(withFolder(command));
}

function scopesOf({ role, scopes, auditor }: Asked): readonly ApiScope[] {
  const asked = [role && ROLES[role], scopes, auditor && ROLES.viewer].filter((one) => one !== undefined);
  const [only] = asked;
  if (only !== undefined && asked.length === 1) return only;
  throw new CommandFailure(
    2,
    only === undefined ? 'what the key may do is not said' : 'what the key may do is said twice',
    `Give one of --role (${ROLE_NAMES.join(', ')}), --auditor and --scopes (${API_SCOPES.join(', ')}).`,
  );
}

function listCommand(keys: Command, run: RunCommand): void {
  inFolderOrApi(keys.command('list').description('Shows the keys, never the secrets.')).action(
    (options: KeysOptions) =>
      run(async (context) => {
        if (isThroughApi(options)) return listThroughApi(options, context);
        const { stdout, stderr } = context;
        const records = (await openStore(options.data, context).list()).map(shownOf);
        if (options.json) for (const record of records) await writeJsonLine(stdout, record);
        else await write(stdout, table(records, columnsAt(Date.now()), stdout));
        await write(stderr, expiryWarnings(records, Date.now()));
        return 0;
      }),
  );
}

function revokeCommand(keys: Command, run: RunCommand): void {
  inFolderOrApi(
    keys
      .command('revoke')
      .description('Ends a key; it stops working within a second.')
      .argument('<id>', 'the key’s id, as `keys list` shows it'),
  ).action((id: string, options: KeysOptions) =>
    run(async (context) => {
      if (isThroughApi(options)) return revokeThroughApi(options, id, context);
      const record = await openStore(options.data, context).revoke(id);
      if (record === null) {
        throw new CommandFailure(2, `no key has the id ${id}`, '`mandate keys list` shows them.');
      }
      if (options.json) await writeJsonLine(context.stdout, shownOf(record));
      else await write(context.stdout, `revoked ${printable(record.name)} (${id})\n`);
      return 0;
    }),
  );
}

const columnsAt = (nowMs: number) => [
  { title: 'ID', of: ({ id }: ShownKey) => id },
  { title: 'NAME', of: ({ name }: ShownKey) => name },
  { title: 'TENANT', of: ({ tenant }: ShownKey) => tenant },
  { title: 'SCOPES', of: ({ scopes }: ShownKey) => scopes.join(',') },
  { title: 'AGENTS', of: ({ agents }: ShownKey) => agents.join(',') },
  { title: 'PINS', of: ({ pins }: ShownKey) => pinnedFields(pins).join(',') },
  { title: 'EXPIRES', of: (key: ShownKey) => expiryText(key, nowMs) },
  { title: 'REVOKED', of: ({ revokedAt }: ShownKey) => revokedAt ?? '' },
];

function shownOf({ hash, ...shown }: ApiKeyRecord): ShownKey {
  return shown;
}

/** The keys of a folder that must be there: a misspelt one would look like one without keys. */
function openStore(data: string | undefined, context: CommandContext): FileKeyStore {
  const folder = dataFolder(folderOf(data, context));
  if (existsSync(folder.keys)) return fileKeyStore(folder.keys);
  throw new CommandFailure(
    2,
    `there are no API keys in ${folder.path}`,
    'Name the data folder of the plane with --data; `mandate up` and `mandate keys issue` make the first keys. Keys of people, ' +
      'in a plane that runs anywhere, take its address with --url.',
  );
}
