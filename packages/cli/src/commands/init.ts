import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { CommandContext, RunCommand } from '../command-context.ts';
import { type ExitCode, WrongUse } from '../exit-codes.ts';
import { printable } from '../output/printable.ts';
import { showAnswer } from '../output/write.ts';

/** The files beside this module, by the name of the written file. */
const FILES: readonly (readonly [name: string, path: string])[] = [
  ['manifest.yaml', join(import.meta.dirname, '../init/manifest/manifest.yaml')],
  ['policy.yaml', join(import.meta.dirname, '../init/manifest/policy.yaml')],
  ['manifest.test.yaml', join(import.meta.dirname, '../init/manifest/manifest.test.yaml')],
];

export function initCommand(command: Command, run: RunCommand): void {
  command.description('Writes files to begin with.');
  command
    .command('manifest')
    .description(
      'Writes a manifest and its policy, and test cases that pass: the stores, intents, tools and specialists of an agent, and who may ' +
        'do what. No file is replaced.',
    )
    .argument('[folder]', 'the folder for the files', '.')
    .addHelpText(
      'after',
      `
Examples:
  mandate init manifest tutor
  mandate test tutor
  mandate up --policies tutor`,
    )
    .action((folder: string) => run((context) => initManifest(folder, context)));
}

async function initManifest(folder: string, context: CommandContext): Promise<ExitCode> {
  const files = FILES.map(([name, source]) => ({ path: join(folder, name), source }));
  const there = files.filter(({ path }) => existsSync(path)).map(({ path }) => path);
  if (there.length > 0)
    throw new WrongUse(`already there: ${there.join(', ')}. Nothing was written`, 'Name another folder.');
  try {
    mkdirSync(folder, { recursive: true });
    for (const { path, source } of files) writeFileSync(path, readFileSync(source), { flag: 'wx' });
  } catch (error) {
    throw new WrongUse(`the files cannot be written: ${error instanceof Error ? error.message : error}`);
  }
  const written = files.map(({ path }) => path);
  return showAnswer(context, { written }, () =>
    [
      ...written.map((path) => `wrote ${printable(path)}`),
      `Check them: mandate validate ${printable(folder)}, mandate test ${printable(folder)}`,
      `Start a plane with them: mandate up --policies ${printable(folder)}`,
      '',
    ].join('\n'),
  );
}
