import { writeFileSync } from 'node:fs';
import { type Case, playCase, readCases } from '@mandate/cases';
import type { Command } from 'commander';
import { caseLines } from '../cases/case-lines.ts';
import { junitXml } from '../cases/junit.ts';
import type { TestedCase } from '../cases/tested-case.ts';
import type { CommandContext, RunCommand } from '../command-context.ts';
import { CommandFailure, type ExitCode } from '../exit-codes.ts';
import { someText } from '../input/option-values.ts';
import { counted, forPeople } from '../output/for-people.ts';
import { paint } from '../output/table.ts';
import { write, writeJsonLine } from '../output/write.ts';

type Options = { filter?: string; junit?: string; json?: true };

export function testCommand(command: Command, run: RunCommand): void {
  command
    .description(
      'Plays cases of what agents may do, with the redaction, policy and ledger code of a plane, and without a plane. ' +
        'The cases are about agents, policies and rules in files, and about mandates files.',
    )
    .argument('[path...]', 'files of cases, or folders of them: there they end in .test.yaml', ['.'])
    .option('--filter <text>', 'only cases with this in their names', someText)
    .option('--junit <file>', 'write the outcome as JUnit XML, too', someText)
    .option('--json', 'one JSON document a case, in one line')
    .addHelpText(
      'after',
      `
A case lies beside what it is about, as in policies/support.test.yaml:
  version: 1
  agents: [{ id: bot, groups: [support] }]
  cases:
    - name: support reads, and writes nothing
      agent: bot
      steps:
        - { ask: { tool: read_mail }, expect: ALLOW }
        - { ask: { tool: send_mail }, expect: { code: TOOL_NOT_ALLOWED, policy: read-only } }
Every field: docs/policies.md.

Exit code 0 when all are as expected, 1 when one is not, 2 when one cannot be read or there is none.

Examples:
  mandate test policies/
  mandate test policies/ --junit cases.xml
  mandate test support.test.yaml --filter budget --json | jq 'select(.ok | not)'`,
    )
    .action((paths: readonly string[], options: Options) => run((context) => test(paths, options, context)));
}

async function test(
  paths: readonly string[],
  { filter = '', junit, json }: Options,
  { stdout, signal, env }: CommandContext,
): Promise<ExitCode> {
  const all = readCases(paths, env);
  const cases = all.filter(({ name }) => name.includes(filter));
  if (cases.length === 0)
    throw new CommandFailure(2, `none of ${counted(all.length, 'case')} has "${filter}" in its name`);
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
    throw new CommandFailure(
      2,
      `the report cannot be written: ${error instanceof Error ? error.message : error}`,
    );
  }
}

async function played(one: Case): Promise<TestedCase> {
  const startedAtMs = performance.now();
  const told = await playCase(one, (decision) => forPeople(decision.reason, decision));
  const { file, line, name } = one;
  return { file, line, name, ...told, tookMs: performance.now() - startedAtMs };
}
