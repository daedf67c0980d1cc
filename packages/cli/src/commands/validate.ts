import { basename } from 'node:path';
import { type DocumentFault, describeFault } from '@mandate/policy';
import { loadPrivacy } from '@mandate/privacy';
import type { Command } from 'commander';
import type { ExitCode, RunCommand } from '../command-context.ts';
import { readMandatesFile, readTextFile } from '../load-mandates-file.ts';
import { printableLines } from '../output/printable.ts';
import { write, writeJsonLine } from '../output/write.ts';

/** What a file that is good holds: as JSON, and in a word or two for people. */
type Checked = { ok: true; found: object; inWords: string } | { ok: false; faults: readonly DocumentFault[] };

export function validateCommand(command: Command, run: RunCommand): void {
  command
    .description('Checks mandates and privacy documents, and names every fault by file, line and column.')
    .argument('<file...>', 'YAML or JSON: mandates, or what privacy.yaml or privacy.json is called')
    .option('--privacy', 'the files are privacy documents, whatever they are called')
    .option('--json', 'one JSON document a file, in one line')
    .addHelpText(
      'after',
      `
Exit code 2 when a file has a fault.

Examples:
  mandate validate mandates.yaml privacy.yaml
  mandate validate --privacy people.yaml
  mandate validate --json policies/*.yaml | jq -r '.faults[]?.message'`,
    )
    .action((files: readonly string[], { json, privacy }: { json?: true; privacy?: true }) =>
      run(async ({ stdout, stderr }): Promise<ExitCode> => {
        let exitCode: ExitCode = 0;
        for (const file of files) {
          const isPrivacy = privacy ?? /^privacy\.(?:ya?ml|json)$/.test(basename(file));
          const checked = isPrivacy ? checkPrivacy(file) : checkMandates(file);
          if (!checked.ok) exitCode = 2;
          if (json) {
            await writeJsonLine(
              stdout,
              checked.ok ? { file, ok: true, ...checked.found } : { file, ...checked },
            );
          } else if (checked.ok) {
            await write(stdout, printableLines(`${file}: ok (${checked.inWords})\n`));
          } else {
            const lines = checked.faults.map((fault) => `${describeFault(file, fault)}\n`);
            await write(stderr, printableLines(lines.join('')));
          }
        }
        return exitCode;
      }),
    );
}

function checkMandates(file: string): Checked {
  const read = readMandatesFile(file);
  if (!read.ok) return read;
  const mandates = read.mandates.map(({ reference: { id, hash } }) => ({ id, hash }));
  return { ok: true, found: { mandates }, inWords: mandates.map(({ id }) => id).join(', ') };
}

function checkPrivacy(file: string): Checked {
  const read = loadPrivacy(readTextFile(file));
  if (!read.ok) return read;
  const { fields, patterns, retention } = read.privacy;
  const privacy = {
    fields: fields.length,
    patterns: patterns.length,
    retention: Object.keys(retention).length,
  };
  const inWords = Object.entries(privacy).map(([what, count]) => `${what}: ${count}`);
  return { ok: true, found: { privacy }, inWords: inWords.join(', ') };
}
