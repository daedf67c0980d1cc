import { describeFault } from '@mandate/policy';
import type { Command } from 'commander';
import type { ExitCode, RunCommand } from '../command-context.ts';
import { readMandatesFile } from '../load-mandates-file.ts';
import { printableLines } from '../output/printable.ts';
import { write, writeJsonLine } from '../output/write.ts';

export function validateCommand(command: Command, run: RunCommand): void {
  command
    .description('Checks mandate files and names every fault by file, line and column.')
    .argument('<file...>', 'mandates, YAML or JSON')
    .option('--json', 'one JSON document a file, in one line')
    .addHelpText(
      'after',
      `
Exit code 2 when a file has a fault.

Examples:
  mandate validate mandates.yaml
  mandate validate --json policies/*.yaml | jq -r '.faults[]?.message'`,
    )
    .action((files: readonly string[], { json }: { json?: true }) =>
      run(async ({ stdout, stderr }): Promise<ExitCode> => {
        let exitCode: ExitCode = 0;
        for (const file of files) {
          const read = readMandatesFile(file);
          if (!read.ok) exitCode = 2;
          if (json) {
            await writeJsonLine(
              stdout,
              read.ok ? { file, ok: true, mandates: namesOf(read) } : { file, ...read },
            );
          } else if (read.ok) {
            const ids = namesOf(read).map(({ id }) => id);
            await write(stdout, printableLines(`${file}: ok (${ids.join(', ')})\n`));
          } else {
            const lines = read.faults.map((fault) => `${describeFault(file, fault)}\n`);
            await write(stderr, printableLines(lines.join('')));
          }
        }
        return exitCode;
      }),
    );
}

function namesOf({ mandates }: Extract<ReturnType<typeof readMandatesFile>, { ok: true }>) {
  return mandates.map(({ reference: { id, hash } }) => ({ id, hash }));
}
