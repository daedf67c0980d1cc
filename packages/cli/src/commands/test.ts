import { writeFileSync } from 'node:fs';
import { type Case, junitXml, playCase, readCases, type TestedCase } from '@mandate/cases';
import type { Command } from 'commander';
import { caseLines } from '../cases/case-lines.ts';
import type { CommandContext, RunCommand } from '../command-context.ts';
import { type ExitCode, WrongUse } from '../exit-codes.ts';
import { type ManifestFlags, manifestOptions, withManifests } from '../input/manifest-options.ts';
import { someText } from '../input/option-values.ts';
import { counted, forPeople } from '../output/for-people.ts';
import { paint } from '../output/table.ts';
import { write, writeJsonLine } from '../output/write.ts';

type Options = ManifestFlags & { filter?: string; junit?: string };

export function testCommand(command: Command, run: RunCommand): void {
  withManifests(command)
    .description(
      'Runs test cases of what agents may do, with the redaction, policy and ledger code of a plane, but without a plane. The ' +
        'cases use agents, policies and rules of files, manifests, or mandates files.',
    )
    .argument('[path...]', 'files of cases, or folders with files *.test.yaml', ['.'])
    .option('--filter <text>', 'only cases with this text in their names', someText)
    .option('--junit <file>', 'also write the results as JUnit XML', someText)
    .addHelpText(
      'after',
      `
A file of cases is beside what it tests, as in policies/support.test.yaml:
  version: 1
  agents: [{ id: bot, groups: [support] }]
  cases:
    - name: support reads, and writes nothing
      agent: bot
      steps:
        - { ask: { tool: read_mail }, expect: ALLOW }
        - { ask: { tool: send_mail }, expect: { code: TOOL_NOT_ALLOWED } }
docs/policies.md has every field.

Exit code 0 if all cases pass, 1 if a case fails, 2 if a file cannot be read or
there is no case.

Examples:
  mandate test policies/
  mandate test policies/ --junit cases.xml
  mandate test tutor/ --env production
  mandate test support.test.yaml --filter budget --json`,
    )
    .action((paths: readonly string[], options: Options) => run((context) => test(paths, options, context)));
}

async function test(
  paths: readonly string[],
  { filter = '', junit, ...flags }: Options,
  { stdout, signal, env, json }: CommandContext,
): Promise<ExitCode> {
  const all = readCases(paths, env, manifestOptions(flags));
  const cases = all.filter(({ name }) => name.includes(filter));
  if (cases.length === 0)
    throw new WrongUse(`none of ${counted(all.length, 'case')} has "${filter}" in its name`);
  const tested: TestedCase[] = [];
  for (const one of cases) {
    signal.throwIfAborted();
    const told = await played(one);
    tested.push(told);
    if (json) await writeJsonLine(stdout, told);
    else await write(stdout, caseLines(told, stdout));
  }
  if (junit !== undefined) writeReport(junit, junitXml(tested));
  const failed = tested.filter(({ ok }) => !ok).length;
  if (!json) {
    const passed = `${tested.length - failed} passed`;
    const said = failed === 0 ? passed : `${passed}, ${failed} failed`;
    await write(
      stdout,
      `${counted(tested.length, 'case')}: ${paint(failed === 0 ? 'green' : 'red', said, stdout)}\n`,
    );
  }
  return failed === 0 ? 0 : 1;
}

function writeReport(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (error) {
    throw new WrongUse(`the report cannot be written: ${error instanceof Error ? error.message : error}`);
  }
}

async function played(one: Case): Promise<TestedCase> {
  const startedAtMs = performance.now();
  const told = await playCase(one, (decision) => forPeople(decision.reason, decision));
  const { file, line, name } = one;
  return { file, line, name, ...told, tookMs: performance.now() - startedAtMs };
}
