import type { ApiClient } from '@mandate/client';
import type { Change } from '@mandate/control/plan';
import { missingParents, missingPolicies, planChanges } from '@mandate/control/plan';
import { readControlFiles } from '@mandate/documents';
import type { Command } from 'commander';
import type { CommandContext, RunCommand } from '../command-context.ts';
import { makeChanges } from '../control/make-changes.ts';
import { changesText, countsText } from '../control/show-changes.ts';
import { standingControl } from '../control/standing-control.ts';
import { whatIsAmiss } from '../control/what-is-amiss.ts';
import { CommandFailure, type ExitCode } from '../exit-codes.ts';
import { someText } from '../input/option-values.ts';
import { counted } from '../output/for-people.ts';
import { printable } from '../output/printable.ts';
import { MAY_BE_MEANT, warningsText } from '../output/warnings-text.ts';
import { write, writeJsonLine } from '../output/write.ts';
import { type ConnectionOptions, connect, withConnection, withControl } from './connection.ts';

type Options = ConnectionOptions & {
  file: readonly string[];
  prune?: true;
  dryRun?: true;
  force?: true;
  reason?: string;
};
type Plan = { changes: readonly Change[]; missing: ReadonlyMap<string, string> };

const FILES = `
A file holds agents, policies and rules as YAML documents, each with its kind:
  kind: policy
  version: 1
  id: read-only
  allowedTools: ['read_*']`;

export function applyCommand(command: Command, run: RunCommand): void {
  withFiles(
    command.description(
      'Makes agents, policies and rules what files say: shows what differs, then changes it, each only as it was seen. ' +
        'The key needs the scope author.',
    ),
  )
    .option('--dry-run', 'show what differs, and change nothing')
    .option('--force', 'put also rules whose policy is not there: they block whom they hold')
    .option('--reason <text>', 'why; it stands in the record for ever', someText)
    .addHelpText(
      'after',
      `${FILES}

A rule that names no policy that is there, or a version that is not, is refused before anything is changed.
What was changed by then stays changed where one is refused; the next run goes on.
At the end it says what lint finds amiss in what stands then.

Examples:
  mandate apply -f policies/
  mandate apply -f policies/ --prune --dry-run
  mandate apply -f read-only.yaml --reason 'ticket 815'`,
    )
    .action((options: Options) => run((context) => apply(options, context)));
}

export function diffCommand(command: Command, run: RunCommand): void {
  withFiles(
    command.description(
      'Shows in what the agents, policies and rules of a plane differ from files. The key needs the scope audit or author.',
    ),
  )
    .addHelpText(
      'after',
      `${FILES}

Exit code 3 when they differ.

Examples:
  mandate diff -f policies/
  mandate diff -f policies/ --prune --json | jq -r .id`,
    )
    .action((options: Options) =>
      run(async (context) => {
        const { changes } = await planAndShow(options, connect(options, context), context);
        return changes.length === 0 ? 0 : 3;
      }),
    );
}

function withFiles(command: Command): Command {
  return withControl(withConnection(command))
    .requiredOption('-f, --file <path...>', 'files, or folders of them')
    .option('--prune', 'remove what no file names, too');
}

async function planAndShow(options: Options, api: ApiClient, context: CommandContext): Promise<Plan> {
  const doubts: string[] = [];
  const wanted = readControlFiles(options.file, doubts);
  await write(context.stderr, warningsText(doubts, MAY_BE_MEANT));
  const standing = await standingControl(api);
  const changes = planChanges(wanted, standing, { prune: options.prune === true, atMs: Date.now() });
  await show(changes, options, context);
  const { stderr } = context;
  await write(stderr, warningsText(missingParents(wanted.agents, standing, changes), REFUSED));
  const missing = missingPolicies(wanted.rules, standing, changes);
  await write(stderr, warningsText([...missing.values()], BLOCKS));
  return { changes, missing };
}

const REFUSED =
  'The plane refuses such an agent, and blocks what is done by one that it has already. Have a file name the parent, too.';
const BLOCKS =
  'Such a rule blocks whom it holds: every registered agent, where it names none. Name a policy that is there; of its versions the latest, without @.';

async function apply(options: Options, context: CommandContext): Promise<ExitCode> {
  const api = connect(options, context);
  const { changes, missing } = await planAndShow(options, api, context);
  const blocking = changes.filter(
    ({ kind, id, after }) => kind === 'rule' && missing.has(id) && after !== null && after.mode !== 'shadow',
  );
  if (blocking.length > 0 && !options.force) {
    throw new CommandFailure(
      1,
      `${counted(blocking.length, 'rule')} without a policy would block whoever is held; nothing was changed`,
      'Mend what the warnings name. Where that is what you want: --force.',
    );
  }
  if (options.dryRun) return 0;
  const { stdout, stderr } = context;
  await makeChanges(api, changes, {
    reason: options.reason,
    done: async ({ kind, id }) => {
      if (!options.json) await write(stdout, `${kind} ${printable(id)}: done\n`);
    },
  });
  if (changes.length > 0) await write(stderr, await whatIsAmiss(api, stderr));
  return 0;
}

async function show(
  changes: readonly Change[],
  { json }: Options,
  { stdout }: CommandContext,
): Promise<void> {
  if (json) for (const change of changes) await writeJsonLine(stdout, change);
  else await write(stdout, `${changesText(changes, stdout)}${countsText(changes)}\n`);
}
