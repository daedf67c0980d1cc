import { existsSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import {
  IMPORT_FORMATS,
  type Imported,
  type ImportFormat,
  type ImportOptions,
  importManifest,
  limitDocuments,
} from '@mandate/agent-manifest';
import { documentText } from '@mandate/documents';
import { type Command, Option } from 'commander';
import type { CommandContext, RunCommand } from '../command-context.ts';
import { type ExitCode, WrongUse } from '../exit-codes.ts';
import { readText } from '../input/open-input.ts';
import { someText } from '../input/option-values.ts';
import { importSources } from '../manifests/import-sources.ts';
import { importedText, warningLine } from '../manifests/imported-text.ts';
import { readServerTools } from '../manifests/server-tools.ts';
import { counted } from '../output/for-people.ts';
import { printable, printableLines } from '../output/printable.ts';
import { write, writeJsonLine } from '../output/write.ts';

type Options = {
  from?: ImportFormat;
  tools?: 'named' | 'all';
  servers?: string;
  name?: string;
  humanInTheLoop?: true;
  out?: string;
};

export function importManifestCommand(manifest: Command, run: RunCommand): void {
  manifest
    .command('import')
    .description(
      'Makes an agent manifest from files of other formats: agents of Claude Code and GitHub Copilot, crews of crewAI, agents of ' +
        'docker cagent and Open Agent Spec, agent cards of A2A, and servers of MCP. What a file does not say is not allowed. Nothing is run or fetched.',
    )
    .argument('<file...>', 'the files, folders of agents in Markdown, or - for stdin')
    .addOption(
      new Option('--from <format>', 'the format; guessed from the file when absent').choices(IMPORT_FORMATS),
    )
    .addOption(
      new Option('--tools <which>', 'all: where a file means every tool, write out all known names')
        .choices(['named', 'all'])
        .default('named'),
    )
    .option('--servers <file>', 'the tools of MCP servers: their answers to tools/list, by server', someText)
    .option('--name <name>', 'the name of the manifest', someText)
    .option('--human-in-the-loop', 'Open Agent Spec: human_in_the_loop asks before every call of a tool')
    .option('--out <file>', 'the file for the manifest; limits are written beside it', someText)
    .addHelpText(
      'after',
      `
A comment at the head of the manifest names what was not taken over. What a
manifest has no field for, such as rules for arguments, becomes policies and
rules in a second file. Exit code 2 if a file has a fault.

Examples:
  mandate manifest import .claude/agents --out agents.yaml
  mandate manifest import reviewer.agent.md --from copilot
  mandate manifest import .mcp.json --servers tools.json --json | jq .warnings`,
    )
    .action((files: readonly string[], options: Options) =>
      run((context) => importFiles(files, options, context)),
    );
}

async function importFiles(
  files: readonly string[],
  options: Options,
  context: CommandContext,
): Promise<ExitCode> {
  const { stdout, stderr, json } = context;
  const { from = null, out } = options;
  mustBeFree(out === undefined ? [] : [out, limitsFileOf(out)]);
  const { sources, skipped } = await importSources(files, from, context);
  for (const file of skipped)
    await write(stderr, printableLines(`mandate: note: ${file} has no frontmatter, and is left out\n`));
  const imported = importManifest(sources, from, await optionsOf(options, context));
  if (!imported.ok) return showFaults(imported, context);
  const limits = limitDocuments(imported);
  if (limits === null)
    throw new WrongUse(
      `"${printable(imported.manifest.metadata.name)}" gives no id: it has no letter from a to z and no digit`,
      'Name the manifest with --name.',
    );
  const hasLimits = limits.policies.length > 0;
  const limitsFile = hasLimits
    ? out === undefined
      ? 'A file of limits'
      : basename(limitsFileOf(out))
    : null;
  const text = importedText(imported, limitsFile);
  if (out !== undefined) {
    writeNew(out, text);
    if (hasLimits)
      writeNew(
        limitsFileOf(out),
        [
          ...limits.policies.map((policy) => documentText('policy', policy)),
          ...limits.rules.map((rule) => documentText('rule', rule)),
        ].join('---\n'),
      );
  }
  if (json) {
    const { manifest, servers, policies, warnings } = imported;
    await writeJsonLine(stdout, { ok: true, manifest, limits, agents: policies, servers, warnings });
    return 0;
  }
  if (out === undefined) await write(stdout, text);
  else await write(stdout, printableLines(`wrote ${out}${hasLimits ? ` and ${limitsFileOf(out)}` : ''}\n`));
  for (const warning of imported.warnings)
    await write(stderr, printableLines(`mandate: warning: ${printable(warningLine(warning))}\n`));
  if (hasLimits && out === undefined)
    await write(
      stderr,
      `mandate: warning: ${counted(limits.policies.length, 'policy', 'policies')} of these agents are not in the manifest. --out writes them to a file\n`,
    );
  return 0;
}

async function optionsOf(
  { tools, servers, name, humanInTheLoop }: Options,
  context: CommandContext,
): Promise<ImportOptions> {
  return {
    ...(tools !== undefined && { tools }),
    ...(servers !== undefined && { servers: readServerTools(servers, await readText(servers, context)) }),
    ...(name !== undefined && { name }),
    ...(humanInTheLoop === true && { humanInTheLoop }),
  };
}

async function showFaults(
  { faults, warnings }: Extract<Imported, { ok: false }>,
  { stdout, stderr, json }: CommandContext,
): Promise<ExitCode> {
  if (json) await writeJsonLine(stdout, { ok: false, faults, warnings });
  else
    for (const { file, line = 1, column = 1, path, message, code } of faults)
      await write(
        stderr,
        `${printable(`${file}:${line}:${column} ${path === '' ? '' : `${path}: `}${message} (${code})`)}\n`,
      );
  return 2;
}

function limitsFileOf(out: string): string {
  return `${out.replace(/\.(?:ya?ml|json)$/i, '')}.limits.yaml`;
}

function mustBeFree(files: readonly string[]): void {
  const there = files.filter((file) => existsSync(file));
  if (there.length > 0)
    throw new WrongUse(`already there: ${there.join(', ')}. Nothing was written`, 'Name another file.');
}

function writeNew(file: string, text: string): void {
  try {
    writeFileSync(file, text, { flag: 'wx' });
  } catch (error) {
    throw new WrongUse(`${file} cannot be written: ${error instanceof Error ? error.message : error}`);
  }
}
