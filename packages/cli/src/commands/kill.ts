import type { Command } from 'commander';
import type { RunCommand } from '../command-context.ts';
import { printable } from '../output/printable.ts';
import { write, writeJsonLine } from '../output/write.ts';
import { connect } from './connection.ts';
import { sendTo, type TargetOptions, withTarget } from './target.ts';

type Killed = { revision: number; open: readonly { tenant: string; agentId: string; actionId: string }[] };

export function killCommand(command: Command, run: RunCommand): void {
  withTarget(
    command.description(
      'Pulls the kill switch. When it returns, nothing more is allowed until a revive; what was allowed before and may ' +
        'still run is listed.',
    ),
  )
    .addHelpText(
      'after',
      `
Examples:
  mandate kill researcher --reason "calls the same tool in a loop"
  mandate kill --tenant
  mandate kill --all --reason "incident 42"`,
    )
    .action((agent: string | undefined, options: TargetOptions) =>
      run(async (context) => {
        const { stdout } = context;
        const killed = await sendTo<Killed>(connect(options, context), 'kill', agent, options);
        if (options.json) await writeJsonLine(stdout, killed);
        else await write(stdout, text(killed));
        return 0;
      }),
    );
}

function text({ revision, open }: Killed): string {
  const running = open.map(({ agentId, actionId }) => `  ${printable(agentId)}  ${printable(actionId)}\n`);
  const actions = open.length === 1 ? 'action' : 'actions';
  return `killed (revision ${revision}); ${open.length} allowed ${actions} may still run\n${running.join('')}`;
}
