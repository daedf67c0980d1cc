/** `mandate mcp pins`: shows the pinned tools of an MCP server, and accepts changed definitions. */
import { lineDiff } from '@mandate/documents';
import { type Pin, type PinFile, readPins, writePins } from '@mandate/mcp';
import type { Command } from 'commander';
import { stringify } from 'yaml';
import type { Output, RunCommand } from '../command-context.ts';
import { WrongUse } from '../exit-codes.ts';
import { someText } from '../input/option-values.ts';
import { printable } from '../output/printable.ts';
import { paint } from '../output/table.ts';
import { showAnswer } from '../output/write.ts';

export function pinsCommand(mcp: Command, run: RunCommand): void {
  mcp
    .command('pins')
    .description(
      'Shows the tools that --pin-tools has pinned, and how changed definitions differ. With --accept, a changed ' +
        'definition becomes the pinned one. Exits with 3 if a tool has changed and is not accepted.',
    )
    .argument('<file>', 'the file of --pin-tools', someText)
    .option('--accept <tools...>', 'accept the changed definitions of these tools')
    .addHelpText(
      'after',
      '\nExamples:\n  mandate mcp pins files-pins.json\n  mandate mcp pins files-pins.json --accept read_file',
    )
    .action((path: string, { accept = [] }: { accept?: string[] }) =>
      run(async (context) => {
        const file = await readPins(path);
        const unknown = accept.find((tool) => file.tools[tool]?.changed === undefined);
        if (unknown !== undefined)
          throw new WrongUse(
            `the tool ${unknown} has no changed definition`,
            `\`mandate mcp pins ${path}\` lists them.`,
          );
        for (const tool of accept) acceptChange(file, tool);
        if (accept.length > 0) await writePins(path, file);
        await showAnswer(context, file, () => textOf(file, context.stdout));
        return Object.values(file.tools).some(({ changed }) => changed !== undefined) ? 3 : 0;
      }),
    );
}

function acceptChange({ tools }: PinFile, tool: string): void {
  const changed = tools[tool]?.changed;
  if (changed !== undefined) tools[tool] = changed;
}

function textOf({ tools }: PinFile, stream: Output): string {
  const pins = Object.entries(tools);
  if (pins.length === 0) return 'no tool is pinned\n';
  return pins.map(([tool, pin]) => pinText(tool, pin, stream)).join('');
}

function pinText(tool: string, { seenAt, definition, changed }: Pin, stream: Output): string {
  const name = printable(tool);
  if (changed === undefined) return `${name}: as it was on ${printable(seenAt)}\n`;
  const title = paint('yellow', `${name}: changed on ${printable(changed.seenAt)}, and blocked`, stream);
  const lines = lineDiff(linesOf(definition), linesOf(changed.definition)).map(({ sign, line }) => {
    const text = `  ${sign} ${printable(line)}`;
    return sign === ' ' ? text : paint(sign === '+' ? 'green' : 'red', text, stream);
  });
  return `${[title, ...lines].join('\n')}\n`;
}

function linesOf(definition: unknown): readonly string[] {
  return stringify(definition, { lineWidth: 0 }).trimEnd().split('\n');
}
