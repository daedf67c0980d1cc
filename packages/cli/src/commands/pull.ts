import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import {
  type Change,
  type CurrentDocument,
  currentDocumentsOf,
  documentsOf,
  missingParents,
  planChanges,
  versionsLeftOut,
} from '@mandate/control/plan';
import { type ControlFiles, controlFilesIn, documentText, pathFor } from '@mandate/documents';
import type { Command } from 'commander';
import type { CommandContext, RunCommand } from '../command-context.ts';
import { connect } from '../connection.ts';
import { currentDocuments } from '../control/current-documents.ts';
import { changesText, countsText } from '../control/show-changes.ts';
import { type ExitCode, WrongUse } from '../exit-codes.ts';
import { makeFolder } from '../export/make-folder.ts';
import { type ManifestFlags, manifestOptions, withManifests } from '../input/manifest-options.ts';
import { someText } from '../input/option-values.ts';
import { counted } from '../output/for-people.ts';
import { printable } from '../output/printable.ts';
import { warningsText } from '../output/warnings-text.ts';
import { write, writeJsonLine } from '../output/write.ts';

type Options = ManifestFlags & { out: string; dryRun?: true };

export function pullCommand(command: Command, run: RunCommand): void {
  withManifests(command)
    .description(
      'Writes the agents, policies and rules of a plane into a folder, one YAML file each. `mandate apply` then finds no ' +
        'difference. A file that is already right keeps its comments. The file of a removed document is removed. Scope ' +
        'audit or author.',
    )
    .requiredOption('--out <folder>', 'the folder for the files', someText)
    .option('--dry-run', 'show the differences, and write nothing')
    .addHelpText(
      'after',
      `
The latest version of each policy is written. Archived policies, grants and API
keys are left out. A manifest is never written: a warning names what differs.

Examples:
  mandate pull --out policies
  mandate pull --out policies --dry-run`,
    )
    .action((options: Options) => run((context) => pull(options, context)));
}

async function pull(options: Options, context: CommandContext): Promise<ExitCode> {
  const { out, dryRun } = options;
  const { stdout, stderr, json } = context;
  const current = await currentDocuments(connect(context));
  const read = existsSync(out) ? controlFilesIn([out], manifestOptions(options)) : NOTHING_THERE;
  const { documents, ofManifests } = read;
  const files = new Map([...read.files].filter(([name]) => !ofManifests.has(name)));
  mustBeOneEach(files);
  const wanted = documentsOf(current);
  // The field `widens` is not shown, because writing a file gives no agent any right.
  const planned = planChanges(wanted, currentDocumentsOf(documents), { prune: true, atMs: Date.now() }).map(
    (change) => ({ ...change, widens: [] }),
  );
  const isOfManifest = ({ kind, id }: Change) => ofManifests.has(`${kind} ${id}`);
  const changes = planned.filter((change) => !isOfManifest(change));
  if (!dryRun) await writeAll(changes, out, files);
  if (json) for (const change of changes) await writeJsonLine(stdout, change);
  else {
    await write(stdout, changesText(changes, stdout));
    await write(stdout, leftOut(current));
    await write(stdout, `${whatWasDone(changes, options)}\n`);
  }
  const differing = planned.filter(isOfManifest).map((change) => differsFromManifest(change, read.files));
  await write(stderr, warningsText(differing, BY_HAND));
  await write(stderr, warningsText(missingParents(wanted.agents, current), REFUSED));
  await write(stderr, warningsText(versionsLeftOut(wanted.rules, current), COUNTED_ANEW));
  return 0;
}

const BY_HAND = 'No manifest can be written from a plane. Change the manifest, or apply it again.';

function differsFromManifest({ kind, id }: Change, files: ControlFiles['files']): string {
  return `the ${kind} "${id}" of the plane differs from ${files.get(`${kind} ${id}`)}`;
}

const REFUSED =
  'A plane that starts from these files refuses such an agent. Register its parent again, or change the agent.';

const COUNTED_ANEW =
  'A plane that starts from these files counts versions from 1 again, so the rule would name another version or none.';

const NOTHING_THERE: ControlFiles = {
  documents: { agents: new Map(), policies: new Map(), rules: new Map() },
  files: new Map(),
  ofManifests: new Set(),
  manifests: new Map(),
  agentManifests: new Map(),
  manifestWarnings: [],
  warnings: () => [],
};

/**
 * Throws if a file has several documents. Writing one document would also rewrite the other documents and their
 * comments.
 */
function mustBeOneEach(files: ControlFiles['files']): void {
  const several = [...Map.groupBy(files.values(), (file) => file)].filter(([, { length }]) => length > 1);
  if (several.length === 0) return;
  throw new WrongUse(
    `more than one document in a file: ${several.map(([file]) => file).join(', ')}`,
    'Name another folder: an empty one, or one with one document in each file.',
  );
}

async function writeAll(
  changes: readonly Change[],
  out: string,
  files: ControlFiles['files'],
): Promise<void> {
  const taken = new Set([...files.values()].map((file) => relative(out, file).toLowerCase()));
  for (const { kind, id, after } of changes) {
    const there = files.get(`${kind} ${id}`);
    if (after === null) {
      if (there !== undefined) rmSync(there);
      continue;
    }
    const path = there ?? join(out, pathFor(kind, id, taken));
    await makeFolder(dirname(path));
    writeFileSync(path, documentText(kind, after));
  }
}

function whatWasDone(changes: readonly Change[], { out, dryRun }: Options): string {
  if (changes.length === 0) return countsText(changes);
  if (dryRun) return `${countsText(changes)}; nothing was written`;
  const removed = changes.filter(({ after }) => after === null).length;
  const files = (count: number, done: string) => (count === 0 ? [] : [`${counted(count, 'file')} ${done}`]);
  const each = [...files(changes.length - removed, 'written'), ...files(removed, 'removed')];
  return `${each.join(', ')} below ${printable(out)}`;
}

function leftOut(current: readonly CurrentDocument[]): string {
  const archived = current.filter(({ isArchived }) => isArchived).length;
  return archived === 0 ? '' : `left out: ${counted(archived, 'archived policy', 'archived policies')}\n`;
}
