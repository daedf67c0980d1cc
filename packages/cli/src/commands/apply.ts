import type { ApiClient } from '@mandate/client';
import { type Change, missingParents, missingPolicies, planChanges } from '@mandate/control/plan';
import { controlFilesIn, mustHaveDocuments } from '@mandate/documents';
import type { Command } from 'commander';
import type { CommandContext, RunCommand } from '../command-context.ts';
import { connect } from '../connection.ts';
import { currentDocuments } from '../control/current-documents.ts';
import { lintAfterChange } from '../control/lint-after-change.ts';
import { makeChanges } from '../control/make-changes.ts';
import {
  documentsLeft,
  type ManifestPlan,
  planManifests,
  standingManifests,
} from '../control/published-manifests.ts';
import { changesText, countsText } from '../control/show-changes.ts';
import { CommandFailure, type ExitCode } from '../exit-codes.ts';
import { type ManifestFlags, manifestOptions, withManifests } from '../input/manifest-options.ts';
import { someText } from '../input/option-values.ts';
import { sendPublication } from '../manifests/publication.ts';
import { counted } from '../output/for-people.ts';
import { printable } from '../output/printable.ts';
import { MAY_BE_MEANT, warningsText } from '../output/warnings-text.ts';
import { write, writeJsonLine } from '../output/write.ts';

type Options = ManifestFlags & {
  file: readonly string[];
  prune?: true;
  dryRun?: true;
  force?: true;
  reason?: string;
};
type Plan = {
  changes: readonly Change[];
  missing: ReadonlyMap<string, string>;
  manifests: ManifestPlan;
};

const FILES = `
A file has agents, policies and rules as YAML documents, each with its kind:
  kind: policy
  version: 1
  id: read-only
  allowedTools: ['read_*']
A folder may also have a manifest: manifest.yaml and policy.yaml become agents,
policies and rules. An agent manifest is published as a whole, with everything
that it compiles to.`;

export function applyCommand(command: Command, run: RunCommand): void {
  withFiles(command)
    .description(
      'Makes the agents, policies and rules of a plane equal to files. Shows the differences, and then changes each document, unless the ' +
        'document has changed meanwhile. Scope author.',
    )
    .option('--dry-run', 'show the differences, and change nothing')
    .option('--force', 'also write rules without a policy: they block their agents')
    .option('--reason <text>', 'the reason; recorded permanently', someText)
    .addHelpText(
      'after',
      `${FILES}

A rule that names no existing policy, or no existing version, is refused before
anything changes. If the plane refuses a change, the changes before it stay, and
the next run goes on. At the end, the findings of lint are shown.

Examples:
  mandate apply -f policies/
  mandate apply -f policies/ --prune --dry-run
  mandate apply -f tutor/ --env production
  mandate apply -f read-only.yaml --reason 'ticket 815'`,
    )
    .action((options: Options) => run((context) => apply(options, context)));
}

export function diffCommand(command: Command, run: RunCommand): void {
  withFiles(command)
    .description(
      'Shows how the agents, policies and rules of a plane differ from files. Scope audit or author.',
    )
    .addHelpText(
      'after',
      `${FILES}

Exit code 3 if they differ.

Examples:
  mandate diff -f policies/
  mandate diff -f policies/ --prune --json | jq -r .id`,
    )
    .action((options: Options) =>
      run(async (context) => {
        const { changes, manifests } = await planAndShow(options, connect(context), context);
        return changes.length === 0 && manifests.publish.length === 0 ? 0 : 3;
      }),
    );
}

function withFiles(command: Command): Command {
  return withManifests(
    command
      .requiredOption('-f, --file <path...>', 'files, or folders of files')
      .option('--prune', 'also remove what no file names'),
  );
}

async function planAndShow(options: Options, api: ApiClient, context: CommandContext): Promise<Plan> {
  const doubts: string[] = [];
  const read = mustHaveDocuments(options.file, controlFilesIn(options.file, manifestOptions(options)));
  const { documents: wanted, agentManifests } = read;
  doubts.push(...read.warnings());
  await write(context.stderr, warningsText(doubts, MAY_BE_MEANT));
  const current = await currentDocuments(api);
  const prune = options.prune === true;
  const asked = agentManifests.size > 0 || prune;
  const standing = asked ? await standingManifests(api) : new Map();
  const left = documentsLeft(agentManifests, standing);
  const changes = planChanges(wanted, current, { prune: true, atMs: Date.now() }).filter(
    ({ does, kind, id }) => does !== 'remove' || prune || left.has(`${kind} ${id}`),
  );
  const manifests = planManifests(agentManifests, standing, changes, { prune });
  const { stdout, stderr, json } = context;
  if (json) for (const change of changes) await writeJsonLine(stdout, change);
  else {
    await write(stdout, changesText(changes, stdout));
    for (const { manifest, revision } of manifests.publish)
      await write(stdout, `${revision === 0 ? '+' : '~'} manifest ${printable(manifest.published.id)}\n`);
    for (const { id } of manifests.remove) await write(stdout, `- manifest ${printable(id)}\n`);
    await write(stdout, `${countsText(changes)}\n`);
  }
  await write(stderr, warningsText(missingParents(wanted.agents, current, changes), REFUSED));
  const missing = missingPolicies(wanted.rules, current, changes);
  await write(stderr, warningsText([...missing.values()], BLOCKS));
  return { changes, missing, manifests };
}

const REFUSED =
  'The plane refuses such an agent, and blocks the actions of an agent that already lost its parent. Add the parent to a file.';
const BLOCKS =
  'Such a rule blocks its agents: every registered agent if it names none. Name an existing policy. Leave out the @ to name its latest version.';

async function apply(options: Options, context: CommandContext): Promise<ExitCode> {
  const api = connect(context);
  const { changes, missing, manifests } = await planAndShow(options, api, context);
  const blocking = changes.filter(
    ({ kind, id, after }) => kind === 'rule' && missing.has(id) && after !== null && after.mode !== 'shadow',
  );
  if (blocking.length > 0 && !options.force) {
    throw new CommandFailure(
      1,
      `${counted(blocking.length, 'rule')} without a policy would block agents; nothing was changed`,
      'Correct what the warnings name, or give --force if the rules must block.',
    );
  }
  if (options.dryRun) return 0;
  const { stdout, stderr } = context;
  const { reason } = options;
  for (const { manifest, revision } of manifests.publish) {
    const { text, files, published } = manifest;
    const { version } = await sendPublication(
      api,
      { manifest: text, files, options: JSON.parse(published.options) },
      { reason, revision },
    );
    if (!context.json)
      await write(stdout, `manifest ${printable(published.id)}: published as version ${version}\n`);
  }
  for (const { id, revision } of manifests.remove) {
    await api.delete(`/v1/manifests/${encodeURIComponent(id)}`, { query: { reason }, revision });
    if (!context.json) await write(stdout, `manifest ${printable(id)}: removed\n`);
  }
  const others = changes.filter((change) => !manifests.isOfManifest(change));
  await makeChanges(api, others, {
    reason,
    done: async ({ kind, id }) => {
      if (!context.json) await write(stdout, `${kind} ${printable(id)}: done\n`);
    },
  });
  if (changes.length + manifests.publish.length > 0) await write(stderr, await lintAfterChange(api, stderr));
  return 0;
}
