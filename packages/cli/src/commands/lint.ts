import { type Linted, lintControl } from '@mandate/control/lint';
import { foldDocuments, withTheOnlyVersion } from '@mandate/control/plan';
import { controlFilesIn, type ManifestFault, mustHaveDocuments } from '@mandate/documents';
import { type AgentDocument, DEFAULTS } from '@mandate/schemas';
import type { Command } from 'commander';
import type { CommandContext, RunCommand } from '../command-context.ts';
import { connect } from '../connection.ts';
import type { ExitCode } from '../exit-codes.ts';
import { type ManifestFlags, manifestOptions, withManifests } from '../input/manifest-options.ts';
import { findingText, manifestWarningText } from '../output/finding-text.ts';
import { counted } from '../output/for-people.ts';
import { warningsText } from '../output/warnings-text.ts';
import { write, writeJsonLine } from '../output/write.ts';

type Options = ManifestFlags & { file?: readonly string[] };

/** `told`: a line for each check that needs more than files. `ofManifests`: the warnings about manifests. */
type LintedFiles = Linted & { told?: readonly string[]; ofManifests?: readonly ManifestFault[] };

export function lintCommand(command: Command, run: RunCommand): void {
  withManifests(command)
    .description(
      'Finds mistakes between policies and rules that are valid one by one: in files, or in a running plane. For a plane: ' +
        'scope audit or author.',
    )
    .option('-f, --file <path...>', 'files, or folders of files; no plane is asked')
    .addHelpText(
      'after',
      `
Exit code 3 if something blocks that was probably meant to allow. What has no
effect is a warning. A manifest with an error is not examined: exit code 2.

Examples:
  mandate lint -f policies/
  mandate lint -f tutor/ --env production
  mandate lint --json | jq -r .message`,
    )
    .action((options: Options) => run((context) => lint(options, context)));
}

async function lint(options: Options, context: CommandContext): Promise<ExitCode> {
  const { stdout, stderr } = context;
  const {
    findings,
    skipped = [],
    told = [],
    ofManifests = [],
  }: LintedFiles = options.file === undefined
    ? await connect(context).get<Linted>('/v1/lint')
    : lintFiles(options.file, options, Date.now());
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  for (const { message, ...warning } of ofManifests) {
    const finding = { severity: 'warning' as const, ...warning, message };
    if (context.json) await writeJsonLine(stdout, finding);
    else await write(stdout, manifestWarningText(finding, stdout));
  }
  for (const finding of findings) {
    if (context.json) await writeJsonLine(stdout, finding);
    else await write(stdout, findingText(finding, stdout));
  }
  if (!context.json) {
    const warnings = findings.length - errors + ofManifests.length;
    await write(stdout, `${counted(errors, 'error')}, ${counted(warnings, 'warning')}\n`);
  }
  await write(stderr, warningsText(told, TAKEN_FOR_IT));
  await write(stderr, notWhole(skipped));
  return errors > 0 ? 3 : 0;
}

const TAKEN_FOR_IT =
  'The file is taken for that version. Only a plane counts versions: leave out the @ to name the latest.';

function notWhole(skipped: Linted['skipped']): string {
  if (skipped.length === 0) return '';
  const all = skipped.map(({ code, of, count }) => `${code} of ${counted(count, of.slice(0, -1))}`);
  const line = 'lint left out checks that would take too long';
  return warningsText([line], `Not known: ${all.join(', ')}.`);
}

function lintFiles(paths: readonly string[], flags: ManifestFlags, atMs: number): LintedFiles {
  const read = mustHaveDocuments(paths, controlFilesIn(paths, manifestOptions(flags)));
  const { agents, policies, rules: asWritten } = read.documents;
  const { rules, told } = withTheOnlyVersion({ rules: asWritten, policies });
  const others = { policies, rules };
  const alone = ({ parent: _, ...agent }: AgentDocument): AgentDocument => agent;
  const orphans = new Map([...agents].map(([id, agent]) => [id, alone(agent)]));
  // The plane may have a parent that no file contains. So the agents are checked without this parent.
  const withKnownParents = new Map(
    [...agents].map(([id, agent]) => [id, agents.has(agent.parent ?? '') ? agent : alone(agent)]),
  );
  const folded = foldDocuments({ ...others, agents: withKnownParents }, atMs);
  const { fold } = folded.refused.length === 0 ? folded : foldDocuments({ ...others, agents: orphans }, atMs);
  const linted = lintControl(fold.tenant(DEFAULTS.tenant), atMs);
  return { ...linted, told, ofManifests: read.manifestWarnings };
}
