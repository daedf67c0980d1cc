import type { Command } from 'commander';
import type { RunCommand } from '../command-context.ts';
import { connect } from '../connection.ts';
import { printable } from '../output/printable.ts';
import { type Column, table } from '../output/table.ts';
import { showAnswer } from '../output/write.ts';

/** The answer of GET /v1/mandates-file. */
type MandatesFile = {
  revision: number;
  inForceSince: string;
  mandates: readonly { id: string; hash: string; agents: readonly string[] }[];
  faults: readonly { line: number; column: number; path: string; message: string }[];
};

const COLUMNS: readonly Column<MandatesFile['mandates'][number]>[] = [
  { title: 'MANDATE', of: ({ id }) => id },
  { title: 'AGENTS', of: ({ agents }) => agents.join(', ') },
  { title: 'HASH', of: ({ hash }) => hash.slice(0, 12) },
];

export function mandatesFileCommand(command: Command, run: RunCommand): void {
  command
    .description(
      'Shows the mandates that the plane has read in its mandates file, and the faults of an edit that is not in force. ' +
        'Scope operate:all, because the file applies to all tenants. `mandate validate` checks a file before the plane ' +
        'reads it.',
    )
    .addHelpText('after', '\nExamples:\n  mandate mandates-file\n  mandate mandates-file --json | jq .faults')
    .action(() =>
      run(async (context) => {
        const file = await connect(context).get<MandatesFile>('/v1/mandates-file');
        return showAnswer(context, file, () => text(file, context.stdout));
      }),
    );
}

function text(
  { revision, inForceSince, mandates, faults }: MandatesFile,
  stdout: NodeJS.WritableStream,
): string {
  const wrong = faults.map(({ line, column, path, message }) =>
    printable(`  ${line}:${column} ${path}: ${message}`),
  );
  return [
    `revision ${revision}, in force since ${inForceSince}\n`,
    table(mandates, COLUMNS, stdout),
    ...(wrong.length === 0 ? [] : [`A newer edit is not in force:\n${wrong.join('\n')}\n`]),
  ].join('');
}
