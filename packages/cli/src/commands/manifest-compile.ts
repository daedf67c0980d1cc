import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { type CompiledAgentManifest, type CompileOptions, compileDocument } from '@mandate/agent-manifest';
import { currentDocumentsOf } from '@mandate/control/plan';
import {
  compiledDocuments,
  compileRefused,
  controlFilesIn,
  describeManifestFault,
  documentText,
  manifestInvalid,
  pathFor,
  placesInManifest,
} from '@mandate/documents';
import { checkManifestOrGraph } from '@mandate/documents/manifest-or-graph';
import { RISK_LEVELS, type RiskLevel } from '@mandate/schemas/agent-manifest';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CommandContext, RunCommand } from '../command-context.ts';
import { type ExitCode, WrongUse } from '../exit-codes.ts';
import { makeFolder } from '../export/make-folder.ts';
import {
  type AgentManifestFlags,
  inDollars,
  visits,
  withAgentManifest,
} from '../input/agent-manifest-options.ts';
import { someText } from '../input/option-values.ts';
import { counted } from '../output/for-people.ts';
import { printable, printableLines } from '../output/printable.ts';
import { write, writeJsonLine } from '../output/write.ts';

type Options = AgentManifestFlags & {
  out?: string;
  id?: string;
  budget?: number;
  defaultModel?: string;
  mostVisits?: number;
  unratedRisk?: RiskLevel;
  usdPerEur?: number;
};

export function manifestCompileCommand(manifest: Command, run: RunCommand): void {
  withAgentManifest(manifest.command('compile'))
    .description(
      'Compiles an agent manifest or a graph recipe to agents, policies and rules, which `mandate apply` and `mandate test` take.',
    )
    .option('--out <folder>', 'write the documents into this folder, one YAML file each', someText)
    .option('--id <id>', 'the id of its agent (default: made from its name)', someText)
    .option('--budget <dollars>', 'the lifetime budget of all its agents together', inDollars)
    .option('--default-model <model>', 'the model of agents that name none', someText)
    .option('--most-visits <count>', 'how many nodes a run of a graph visits at most (default: 50)', visits)
    .addOption(
      new Option(
        '--unrated-risk <level>',
        'how tools without a risk level are treated (default: critical)',
      ).choices(RISK_LEVELS),
    )
    .option('--usd-per-eur <dollars>', 'the dollars of a euro, for prices in euros', rate)
    .addHelpText(
      'after',
      `
Without --out the documents are printed. With --json also what only a runner
can keep: limits of runs, prices, and limits of tokens. Exit code 2 if the
manifest has a fault, or cannot be compiled.

Examples:
  mandate manifest compile research.yaml --out policies/research --budget 5
  mandate manifest compile research.yaml --json | jq .confirm
  mandate test policies/research`,
    )
    .action((file: string, options: Options) => run((context) => compile(file, options, context)));
}

/** Reads how many dollars a euro is worth. */
function rate(text: string): number {
  const value = Number(text);
  if (/^\d{1,9}(?:\.\d{1,9})?$/.test(text) && value > 0) return value;
  throw new InvalidArgumentError('Give the dollars of a euro: 1.08.');
}

async function compile(file: string, options: Options, context: CommandContext): Promise<ExitCode> {
  const { stdout, stderr, json } = context;
  const { out, id, budget, defaultModel, mostVisits, unratedRisk, usdPerEur, ...flags } = options;
  const read = checkManifestOrGraph(file, flags);
  if (!read.ok) throw manifestInvalid(read.faults);
  const settings: CompileOptions = {
    ...{ id, maxCostTotal: budget, mostVisits },
    ...{ defaultModel, unratedRisk, usdPerEur },
  };
  const compiled = compileDocument(read.document, settings);
  if (!compiled.ok) throw compileRefused(file, compiled.refusals);
  const { ok: _, ...documents } = compiled;
  const written = out === undefined ? [] : await writeDocuments(compiled, out);
  if (json) await writeJsonLine(stdout, { ...documents, ...(out !== undefined && { written }) });
  else if (out === undefined) await write(stdout, printableLines(textOf(compiled)));
  else await write(stdout, `${counted(written.length, 'file')} written below ${printable(out)}\n`);
  const placeOf = placesInManifest(file);
  const ofCompiling = compiled.warnings.map((warning) => ({ file, ...placeOf(warning.path), ...warning }));
  const lines = [...read.warnings, ...ofCompiling].map(
    (one) => `${describeManifestFault(one, 'warning: ')}\n`,
  );
  await write(stderr, printableLines(lines.join('')));
  return 0;
}

function textOf(compiled: CompiledAgentManifest): string {
  const all = currentDocumentsOf(compiledDocuments(compiled));
  return all.map(({ kind, document }) => documentText(kind, document)).join('---\n');
}

/**
 * Replaces the files of these documents, and adds the others. Throws if the folder has a document that the manifest
 * does not make. The document may belong to an agent that the manifest no longer has, and this agent would keep its
 * permissions.
 */
async function writeDocuments(compiled: CompiledAgentManifest, out: string): Promise<string[]> {
  const { files } = existsSync(out) ? controlFilesIn([out]) : { files: new Map<string, string>() };
  const all = currentDocumentsOf(compiledDocuments(compiled));
  const made = new Set(all.map(({ kind, id }) => `${kind} ${id}`));
  const others = [...files].filter(([name]) => !made.has(name));
  if (others.length > 0) {
    const named = others.map(([name, path]) => `${path} (${name})`).join(', ');
    throw new WrongUse(
      `${out} has documents that the manifest does not make: ${named}. Nothing was written`,
      'Remove these files if they are of an earlier version of the manifest, or name another folder.',
    );
  }
  const shared = [...Map.groupBy(files.values(), (path) => path)].filter(([, { length }]) => length > 1);
  if (shared.length > 0)
    throw new WrongUse(
      `more than one document in a file: ${shared.map(([path]) => path).join(', ')}. Nothing was written`,
      'Name an empty folder, or one with one document in each file.',
    );
  const taken = new Set([...files.values()].map((path) => relative(out, path).toLowerCase()));
  const written: string[] = [];
  for (const { kind, id, document } of all) {
    const path = files.get(`${kind} ${id}`) ?? join(out, pathFor(kind, id, taken));
    await makeFolder(dirname(path));
    writeFileSync(path, documentText(kind, document));
    written.push(path);
  }
  return written;
}
