import { existsSync } from 'node:fs';
import {
  API_SCOPES,
  type ApiKeyRecord,
  type ApiScope,
  dataFolder,
  type FileKeyStore,
  fileKeyStore,
  issueApiKey,
  makeDataFolder,
} from '@mandate/runtime';
import { DEFAULTS } from '@mandate/schemas';
import { type Command, Option } from 'commander';
import { type CommandContext, CommandFailure, type RunCommand } from '../command-context.ts';
import { someText, tenantName } from '../input/option-values.ts';
import { printable } from '../output/printable.ts';
import { table } from '../output/table.ts';
import { write, writeJsonLine } from '../output/write.ts';
import { type FolderOptions, folderOf, withFolder } from './folder.ts';

type IssueOptions = FolderOptions & {
  name: string;
  scopes?: ApiScope[];
  auditor?: true;
  agents: string[];
  tenant: string;
};

/** What is kept of a key, without its hash. */
type ShownKey = Omit<ApiKeyRecord, 'hash'>;

/** Works on the data folder itself, so it needs no key: whoever may write there owns the plane. */
export function keysCommand(command: Command, run: RunCommand): void {
  command.description(
    'Manages the API keys of a plane on this machine, in its data folder. A running plane notices within a second.',
  );
  issueCommand(command, run);
  listCommand(command, run);
  revokeCommand(command, run);
}

function issueCommand(keys: Command, run: RunCommand): void {
  withFolder(
    keys
      .command('issue')
      .description('Makes an API key and prints it once; only its hash is kept.')
      .requiredOption('--name <name>', 'what it is for', someText)
      .addOption(new Option('--scopes <scope...>', 'what it may do').choices(API_SCOPES))
      .option('--auditor', 'it reads the whole audit and changes nothing; in the place of --scopes')
      .option('--agents <glob...>', 'the agents that it may speak for', ['*'])
      .option('--tenant <tenant>', 'whose it is', tenantName, DEFAULTS.tenant),
  )
    .addHelpText(
      'after',
      `
Examples:
  mandate keys issue --name ci --scopes publish --agents 'ci-*'
  mandate keys issue --name oncall --scopes audit operate
  mandate keys issue --name 'auditors of 2026' --auditor`,
    )
    .action(({ data, json, ...asked }: IssueOptions) =>
      run(async (context) => {
        const { stdout, stderr } = context;
        const { name, agents, tenant } = asked;
        const grant = { name, agents, tenant, scopes: scopesOf(asked) };
        const folder = makeDataFolder(folderOf(data, context));
        const { key, record } = issueApiKey(grant);
        await fileKeyStore(folder.keys).add(record);
        if (json) {
          await writeJsonLine(stdout, { key, ...shownOf(record) });
          return 0;
        }
        await write(stdout, `${key}\n`);
        // Beside the key, so that a script may take that as it stands.
        await write(stderr, `its id is ${record.id}: \`mandate keys revoke ${record.id}\` ends it\n`);
        return 0;
      }),
    );
}

function scopesOf({ scopes, auditor }: Pick<IssueOptions, 'scopes' | 'auditor'>): readonly ApiScope[] {
  if (scopes !== undefined && auditor === undefined) return scopes;
  if (scopes === undefined && auditor === true) return ['audit'];
  throw new CommandFailure(
    2,
    scopes === undefined ? 'what the key may do is not said' : '--auditor and --scopes are both given',
    `Give --auditor, or --scopes with some of ${API_SCOPES.join(', ')}.`,
  );
}

function listCommand(keys: Command, run: RunCommand): void {
  withFolder(keys.command('list').description('Shows the keys, never the secrets.')).action(
    ({ data, json }: FolderOptions) =>
      run(async (context) => {
        const { stdout } = context;
        const records = (await openStore(data, context).list()).map(shownOf);
        if (json) for (const record of records) await writeJsonLine(stdout, record);
        else await write(stdout, table(records, COLUMNS, stdout));
        return 0;
      }),
  );
}

function revokeCommand(keys: Command, run: RunCommand): void {
  withFolder(
    keys
      .command('revoke')
      .description('Ends a key; it stops working within a second.')
      .argument('<id>', 'the key’s id, as `keys list` shows it'),
  ).action((id: string, { data, json }: FolderOptions) =>
    run(async (context) => {
      const record = await openStore(data, context).revoke(id);
      if (record === null) {
        throw new CommandFailure(2, `no key has the id ${id}`, '`mandate keys list` shows them.');
      }
      if (json) await writeJsonLine(context.stdout, shownOf(record));
      else await write(context.stdout, `revoked ${printable(record.name)} (${id})\n`);
      return 0;
    }),
  );
}

const COLUMNS = [
  { title: 'ID', of: ({ id }: ShownKey) => id },
  { title: 'NAME', of: ({ name }: ShownKey) => name },
  { title: 'TENANT', of: ({ tenant }: ShownKey) => tenant },
  { title: 'SCOPES', of: ({ scopes }: ShownKey) => scopes.join(',') },
  { title: 'AGENTS', of: ({ agents }: ShownKey) => agents.join(',') },
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
    'Name the data folder of the plane with --data; `mandate up` and `mandate keys issue` make the first keys.',
  );
}
