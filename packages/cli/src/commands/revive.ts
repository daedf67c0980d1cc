import type { Command } from 'commander';
import type { RunCommand } from '../command-context.ts';
import { write, writeJsonLine } from '../output/write.ts';
import { connect } from './connection.ts';
import { sendTo, type TargetOptions, withTarget } from './target.ts';

type Revived = { changed: boolean; revision: number };

export function reviveCommand(command: Command, run: RunCommand): void {
  withTarget(
    command.description(
      'Releases the kill switch of an agent, a tenant or everything. Each switch is its own: an agent whose tenant is ' +
        'killed stays stopped until the tenant is revived too.',
    ),
  )
    .addHelpText(
      'after',
      `
Examples:
  mandate revive researcher --reason "fixed in 1.4.2"
  mandate revive --all`,
    )
    .action((agent: string | undefined, options: TargetOptions) =>
      run(async (context) => {
        const { stdout } = context;
        const revived = await sendTo<Revived>(connect(options, context), 'revive', agent, options);
        if (options.json) await writeJsonLine(stdout, revived);
        else if (revived.changed) await write(stdout, `revived (revision ${revived.revision})\n`);
        else await write(stdout, 'nothing to revive: this switch was not pulled\n');
        return 0;
      }),
    );
}
