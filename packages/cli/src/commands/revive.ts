import type { Command } from 'commander';
import type { RunCommand } from '../command-context.ts';
import { connect } from '../connection.ts';
import { printable } from '../output/printable.ts';
import { showAnswer } from '../output/write.ts';
import { sendTo, type TargetOptions, withTarget } from './target.ts';

type Revived = {
  changed: boolean;
  revision: number;
  /** The kill that still stops the agent. Null if no kill stops it. Only for a single agent. */
  killed?: { scope: keyof typeof STILL; reason: string; agentId?: string } | null;
};

const STILL = {
  agent: { what: 'it was killed again', end: 'mandate revive AGENT' },
  subtree: { what: 'an ancestor is killed with its descendants', end: 'mandate revive ANCESTOR --subtree' },
  tenant: { what: 'its tenant is killed', end: 'mandate revive --tenant' },
  all: { what: 'everything is killed', end: 'mandate revive --all' },
} as const;

export function reviveCommand(command: Command, run: RunCommand): void {
  withTarget(command)
    .description(
      'Releases the kill switch of an agent, a tenant or everything. Each switch is separate: an agent of a killed tenant ' +
        'stays stopped until the tenant is revived too. Scope operate.',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  mandate revive researcher --reason "fixed in 1.4.2"\n  mandate revive --all',
    )
    .action((agent: string | undefined, options: TargetOptions) =>
      run(async (context) => {
        const revived = await sendTo<Revived>(connect(context), 'revive', agent, options);
        return showAnswer(context, revived, () => text(revived, agent));
      }),
    );
}

function text({ changed, revision, killed }: Revived, agent = ''): string {
  const done = changed
    ? `revived (revision ${revision})\n`
    : 'nothing to revive: this switch was not pulled\n';
  if (killed === null || killed === undefined) return done;
  const { what, end: command } = STILL[killed.scope];
  const end = command.replace('HEAD', printable(killed.agentId ?? 'AGENT'));
  return `${done}${printable(agent)} is still stopped: ${what} (${printable(killed.reason)}); \`${end}\` ends that\n`;
}
