import type { Command } from 'commander';
import type { ApiClient } from '../api-client.ts';
import { CommandFailure, type RunCommand } from '../command-context.ts';
import { counted } from '../output/for-people.ts';
import { printable, printableLines } from '../output/printable.ts';
import { write, writeJsonLine } from '../output/write.ts';
import { connect } from './connection.ts';
import { sendTo, type TargetOptions, withTarget } from './target.ts';

type Killed = {
  revision: number;
  open: readonly { tenant: string; agentId: string; actionId: string }[];
  /** Of one agent: whether the plane had heard of it; an older plane does not say. */
  known?: boolean;
};

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
  mandate kill researcher --family
  mandate kill --tenant
  mandate kill --all --reason "incident 42"`,
    )
    .action((agent: string | undefined, options: TargetOptions) =>
      run(async (context) => {
        const { stdout, stderr } = context;
        const api = connect(options, context);
        const killed = await sendTo<Killed>(api, 'kill', agent, options);
        if (options.json) await writeJsonLine(stdout, killed);
        else await write(stdout, text(killed));
        if (agent !== undefined && !(await isKnown(api, agent, killed))) {
          await write(stderr, printableLines(unknown(agent)));
        }
        return 0;
      }),
    );
}

/** Also when that cannot be told, for lack of a scope or of an audit that answers: the switch is pulled, which counts. */
async function isKnown(api: ApiClient, agent: string, { known, open }: Killed): Promise<boolean> {
  if (known !== undefined) return known;
  if (open.length > 0) return true;
  try {
    const query = { agent, limit: 1 };
    const { decisions } = await api.get<{ decisions: readonly unknown[] }>('/v1/audit/decisions', query);
    return decisions.length > 0;
  } catch (error) {
    if (error instanceof CommandFailure) return true;
    throw error;
  }
}

function unknown(agent: string): string {
  return (
    `mandate: warning: nothing is known of an agent ${agent}; is the name misspelt?\n` +
    `  The name is stopped all the same. \`mandate agents\` lists those that are known; \`mandate revive ${agent}\` lets it go.\n`
  );
}

function text({ revision, open }: Killed): string {
  const running = open.map(({ agentId, actionId }) => `  ${printable(agentId)}  ${printable(actionId)}\n`);
  return `killed (revision ${revision}); ${counted(open.length, 'allowed action')} may still run\n${running.join('')}`;
}
