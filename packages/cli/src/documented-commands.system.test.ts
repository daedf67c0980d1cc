/** Tests that the pages of the documentation show only commands and options that exist. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { expect, test } from 'vitest';
import { withGlobals } from './global-options.ts';
import { addCommand } from './program.ts';
import { SUBCOMMANDS } from './subcommands.ts';

const ROOT = join(import.meta.dirname, '../../..');
const PAGES = globSync(['README.md', 'docs/**/*.md', 'infra/*/README.md'], { cwd: ROOT });

async function wholeProgram(): Promise<Command> {
  const program = withGlobals(new Command('mandate').version('0').helpOption());
  for (const subcommand of SUBCOMMANDS) await addCommand(program, subcommand, async () => {});
  return program;
}

/**
 * Returns each `mandate` command in a code span or a code block of the page: its line, and the words after `mandate`.
 */
function usesIn(page: string): [line: number, words: string[]][] {
  let isCode = false;
  return page.split('\n').flatMap((text, at): [number, string[]][] => {
    if (text.startsWith('```')) isCode = !isCode;
    const pieces = isCode ? [COMMAND_LINE.exec(text)?.[1] ?? ''] : spansOf(text);
    return pieces.flatMap((piece): [number, string[]][] => {
      const used = /^mandate ([a-z][^|#>&;)]*)/.exec(piece)?.[1];
      return used === undefined ? [] : [[at + 1, used.replace(QUOTED, 'X').trim().split(/\s+/)]];
    });
  });
}

const COMMAND_LINE = /^(?:.*\$\()?(?:npx |docker compose run --rm )?(mandate .*)$/;
const QUOTED = /'[^']*'|"[^"]*"/g;

function spansOf(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span.replace(/^npx /, ''));
}

/** `mandate mcp` has a subcommand and takes the command of a server, so any word may follow it. */
function takesOnlySubcommands({ commands, registeredArguments }: Command): boolean {
  return commands.length > 0 && registeredArguments.length === 0;
}

function faultIn(program: Command, words: readonly string[]): string | null {
  let command = program;
  for (const word of words) {
    // The rest is the command of another program.
    if (word === '--') return null;
    const named = command.commands.find((known) => known.name() === word);
    if (named !== undefined) command = named;
    else if (word.startsWith('--')) {
      const option = word.replace(/[=,.:…].*$/, '');
      const known = [program, command].flatMap(({ options }) => options.map(({ long }) => long));
      const isKnown = known.includes(option) || option === '--help';
      if (!isKnown) return `${command.name()} has no ${option}`;
    } else if (takesOnlySubcommands(command) && /^[a-z][a-z-]*$/.test(word)) {
      return `${command.name()} has no ${word}`;
    }
  }
  return null;
}

test('checks that every command and option on the pages exists', async () => {
  const program = await wholeProgram();
  const faults = PAGES.flatMap((path) =>
    usesIn(readFileSync(join(ROOT, path), 'utf8')).flatMap(([line, words]) => {
      const fault = faultIn(program, words);
      return fault === null ? [] : [`${path}:${line} mandate ${words.join(' ')}: ${fault}`];
    }),
  );
  expect(faults).toEqual([]);
});

test('finds commands, subcommands and options that do not exist', async () => {
  const program = await wholeProgram();
  const page =
    '`mandate agnets`, `mandate keys isue`, `mandate tail --jsno`\n```\nmandate keys list --dta x # y\n```';
  expect(usesIn(page).map(([, words]) => faultIn(program, words))).toEqual([
    'mandate has no agnets',
    'keys has no isue',
    'tail has no --jsno',
    'list has no --dta',
  ]);
});
