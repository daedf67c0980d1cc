import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { compileAgentManifest, readAgentManifest } from '@mandate/agent-manifest';
import { textOfFile } from '@mandate/runtime';
import type { Command } from 'commander';
import type { CommandContext, RunCommand } from '../command-context.ts';
import { type ExitCode, WrongUse } from '../exit-codes.ts';
import { someText } from '../input/option-values.ts';
import { printable } from '../output/printable.ts';
import { showAnswer } from '../output/write.ts';

const MANIFEST = 'agent-manifest.yaml';
const CASES = 'agent-manifest.test.yaml';

/** The name in the written files. The name that the user states replaces it. */
const EXAMPLE = 'research-team';

export function initAgentManifestCommand(manifest: Command, run: RunCommand): void {
  manifest
    .command('init')
    .description('Writes an agent manifest that runs, and test cases that pass. No file is replaced.')
    .argument('<name>', 'the folder for the files; its last part names the manifest', someText)
    .addHelpText(
      'after',
      `
Examples:
  mandate manifest init research-team
  mandate test research-team`,
    )
    .action((folder: string) => run((context) => initAgentManifest(folder, context)));
}

async function initAgentManifest(folder: string, context: CommandContext): Promise<ExitCode> {
  const files = filesFor(folder);
  const there = files.filter(({ path }) => existsSync(path)).map(({ path }) => path);
  if (there.length > 0)
    throw new WrongUse(`already there: ${there.join(', ')}. Nothing was written`, 'Name another folder.');
  try {
    mkdirSync(folder, { recursive: true });
    for (const { path, text } of files) writeFileSync(path, text, { flag: 'wx' });
  } catch (error) {
    throw new WrongUse(`the files cannot be written: ${error instanceof Error ? error.message : error}`);
  }
  const written = files.map(({ path }) => path);
  return showAnswer(context, { written }, () =>
    [
      ...written.map((path) => `wrote ${printable(path)}`),
      `Check them: mandate test ${printable(folder)}`,
      '',
    ].join('\n'),
  );
}

type NewFile = { path: string; text: string };

function filesFor(folder: string): readonly NewFile[] {
  const name = basename(resolve(folder));
  const text = exampleText(MANIFEST).replace(`name: ${EXAMPLE}`, () => `name: ${JSON.stringify(name)}`);
  const read = readAgentManifest(text);
  const compiled = read.ok ? compileAgentManifest(read.manifest) : null;
  if (compiled === null || !compiled.ok) {
    const message = compiled?.refusals[0]?.message ?? 'is too long';
    throw new WrongUse(
      `"${printable(name)}" cannot name a manifest: it ${message}`,
      'Use letters from a to z.',
    );
  }
  const id = compiled.agents[0]?.id ?? EXAMPLE;
  return [
    { path: join(folder, MANIFEST), text },
    { path: join(folder, CASES), text: exampleText(CASES).replaceAll(EXAMPLE, id) },
  ];
}

/** Returns the text of a file beside this module. */
function exampleText(name: string): string {
  return textOfFile(readFileSync(join(import.meta.dirname, '../init/agent-manifest', name)));
}
