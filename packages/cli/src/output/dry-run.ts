/** The option `--dry-run` of the commands that change a plane, and how such a command shows the answer. */
import type { LintFinding } from '@mandate/control/lint';
import type { Command } from 'commander';
import { stringify } from 'yaml';
import type { CommandContext } from '../command-context.ts';
import { findingText } from './finding-text.ts';
import { counted } from './for-people.ts';
import { printable, printableLines } from './printable.ts';
import { widerLines } from './wider-lines.ts';
import { showAnswer } from './write.ts';

export type DryRun = { dryRun?: true };

type WouldChange = {
  event: string;
  version: number | null;
  isRepeat: boolean;
  widens: readonly string[] | null;
  lint: readonly LintFinding[] | null;
  agents: { ids: readonly string[]; isComplete: boolean };
};

export function withDryRun(command: Command): Command {
  return command.option('--dry-run', 'only say what would change, and change nothing');
}

/** Shows the answer to a dry run. Returns the exit code. */
export function showDryRun(context: CommandContext, answer: unknown): Promise<0> {
  return showAnswer(context, answer, () => {
    const text = isWouldChange(answer) ? changeText(answer, context.stdout) : factsText(answer);
    return `dry run: nothing was changed\n${text}`;
  });
}

function isWouldChange(answer: unknown): answer is WouldChange {
  return typeof answer === 'object' && answer !== null && 'event' in answer;
}

function changeText(answer: WouldChange, stdout: CommandContext['stdout']): string {
  const { event, version, isRepeat, widens, lint, agents } = answer;
  if (isRepeat) return 'the same change was made before\n';
  const named = agents.ids.map(printable).join(', ');
  const more = agents.isComplete ? '' : ' and more';
  const lines = [
    `would record ${event}${version === null ? '' : `, as version ${version}`}`,
    ...widerLines(widens ?? [], stdout),
    `concerns ${counted(agents.ids.length, 'agent')}${more}${named === '' ? '' : `: ${named}`}`,
  ];
  return `${lines.join('\n')}\n${(lint ?? []).map((finding) => findingText(finding, stdout)).join('')}`;
}

/** Shows the fields of the answer of a command that changes the ledger. */
function factsText(answer: unknown): string {
  const { dryRun: _, ...facts } = answer as { dryRun?: true };
  return printableLines(stringify(facts, { lineWidth: 0 }));
}
