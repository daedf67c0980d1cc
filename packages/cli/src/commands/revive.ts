import type { Command } from 'commander';
import type { RunCommand } from '../command-context.ts';
import { connect } from '../connection.ts';
import { showDryRun } from '../output/dry-run.ts';
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
  agent: 'it was killed again',
  subtree: 'it is killed with its descendants',
  tenant: 'its tenant is killed',
  all: 'everything is killed',
} as const;

export function reviveCommand(command: Command, run: RunCommand): void {
  withTarget(command)
    .argument('[agent]', 'the id of the agent')
    .description(
      'Releases the kill switch of an agent, a tenant or everything. Each switch is separate: an agent of a killed tenant ' +
        'stays stopped until the tenant is revived too. Scope operate.',
    )
    .addHelpText(
      'after',
      `
Exit code 1 if another switch still stops the agent.

Examples:
  mandate revive researcher --reason "fixed in 1.4.2"
  mandate revive researcher --subtree
  mandate revive --all`,
    )
    .action((agent: string | undefined, options: TargetOptions) =>
      run(async (context) => {
        const revived = await sendTo<Revived>(
          connect(context),
          'revive',
          agent === undefined ? [] : [agent],
          options,
        );
        if (options.dryRun) return showDryRun(context, revived);
        await showAnswer(context, revived, () => text(revived, agent));
        return isStopped(revived) ? 1 : 0;
      }),
    );
}

function isStopped({ killed }: Revived): boolean {
  return killed !== null && killed !== undefined;
}

function text({ changed, revision, killed }: Revived, agent = ''): string {
  const done = changed
    ? `revived (revision ${revision})\n`
    : 'nothing to revive: this switch was not pulled\n';
  if (killed === null || killed === undefined) return done;
  const { agentId = agent, scope, reason } = killed;
  const isAncestor = scope === 'subtree' && agentId !== agent;
  const why = isAncestor ? `its ancestor ${printable(agentId)} is killed with its descendants` : STILL[scope];
  const end = `mandate revive ${targetOf(scope, printable(agentId))}`;
  return `${done}${printable(agent)} is still stopped: ${why} (${printable(reason)}); \`${end}\` ends that\n`;
}

function targetOf(scope: keyof typeof STILL, agentId: string): string {
  if (scope === 'agent') return agentId;
  return scope === 'subtree' ? `${agentId} --subtree` : `--${scope}`;
}
