import { type GateViolation, violationsOf } from '@mandate/agent-manifest';
import { describeManifestFault, placesInManifest, readGateFile } from '@mandate/documents';
import { checkManifestOrGraph } from '@mandate/documents/manifest-or-graph';
import type { Command } from 'commander';
import type { CommandContext, RunCommand } from '../command-context.ts';
import type { ExitCode } from '../exit-codes.ts';
import { type AgentManifestFlags, withAgentManifest } from '../input/agent-manifest-options.ts';
import { someText } from '../input/option-values.ts';
import { counted } from '../output/for-people.ts';
import { printable, printableLines } from '../output/printable.ts';
import { write, writeJsonLine } from '../output/write.ts';

type Options = AgentManifestFlags & { gate?: string };

export function manifestCheckCommand(manifest: Command, run: RunCommand): void {
  withAgentManifest(manifest.command('check'))
    .description(
      'Checks an agent manifest or a graph recipe: its fields, what it refers to, and a gate if you name one.',
    )
    .option('--gate <file>', 'a gate: what no manifest may hold, as gate.yaml of a plane', someText)
    .addHelpText(
      'after',
      `
Exit code 2 if the manifest or the gate has a fault, 3 if the manifest violates
the gate. A warning names what may not mean what it says.

Examples:
  mandate manifest check research.yaml
  mandate manifest check research.yaml --gate policies/gate.yaml
  mandate manifest check research.yaml --json | jq -r '.faults[]?.message'`,
    )
    .action((file: string, options: Options) => run((context) => check(file, options, context)));
}

async function check(
  file: string,
  { gate: gatePath, ...flags }: Options,
  { stdout, stderr, json }: CommandContext,
): Promise<ExitCode> {
  const gate = gatePath === undefined ? null : readGateFile(gatePath);
  const read = checkManifestOrGraph(file, flags);
  const faults = read.ok ? [] : read.faults;
  const warnings = read.ok ? read.warnings : [];
  const violations = read.ok ? violationsOf(read.document, gate) : [];
  const isGood = faults.length === 0 && violations.length === 0;
  if (json) {
    await writeJsonLine(stdout, {
      ...{ file, ok: isGood },
      ...(faults.length > 0 && { faults }),
      ...(warnings.length > 0 && { warnings }),
      ...(read.ok && gate !== null && { violations }),
    });
  } else {
    const lines = [
      ...faults.map((fault) => describeManifestFault(fault)),
      ...warnings.map((warning) => describeManifestFault(warning, 'warning: ')),
      ...violationLines(file, violations),
    ];
    await write(stderr, printableLines(lines.map((line) => `${line}\n`).join('')));
    if (isGood) await write(stdout, `${printable(file)}: ok\n`);
    if (violations.length > 0)
      await write(stdout, `${counted(violations.length, 'violation')} of the gate\n`);
  }
  if (faults.length > 0) return 2;
  return violations.length > 0 ? 3 : 0;
}

/** The maximum number of violations that are listed for people. */
const MOST_LISTED = 100;

function violationLines(file: string, violations: readonly GateViolation[]): string[] {
  if (violations.length === 0) return [];
  const placeOf = placesInManifest(file);
  const listed = violations.slice(0, MOST_LISTED);
  const more = violations.length - listed.length;
  return [
    ...listed.map(({ rule: code, path, message }) =>
      describeManifestFault({ file, path, ...placeOf(path), message, code }),
    ),
    ...(more > 0 ? [`${file}: and ${counted(more, 'more violation')}`] : []),
  ];
}
