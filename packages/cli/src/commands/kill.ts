import type { ApiClient } from '@mandate/client';
import { formatMicros, type OpenAction } from '@mandate/schemas';
import type { Command } from 'commander';
import type { RunCommand } from '../command-context.ts';
import { connect } from '../connection.ts';
import { CommandFailure } from '../exit-codes.ts';
import { showDryRun } from '../output/dry-run.ts';
import { counted } from '../output/for-people.ts';
import { printable } from '../output/printable.ts';
import { warningsText } from '../output/warnings-text.ts';
import { showAnswer, write } from '../output/write.ts';
import { doesOf, leaseOf } from './open-actions.ts';
import { sendTo, type TargetOptions, withTarget } from './target.ts';

type Killed = {
  revision: number;
  open: readonly OpenAction[];
};

type NameStatus = { status: 'registered' | 'retired' | 'named' | null; nearest: string | null };

export function killCommand(command: Command, run: RunCommand): void {
  withTarget(command)
    .description(
      'Pulls the kill switch. When the command returns, nothing more is allowed until a revive. Lists the actions that were ' +
        'allowed before and may still run. Scope operate.',
    )
    .addHelpText(
      'after',
      `
Examples:
  mandate kill researcher --reason "calls the same tool in a loop"
  mandate kill researcher --subtree
  mandate kill --tenant
  mandate kill --all --reason "incident 42"`,
    )
    .action((agent: string | undefined, options: TargetOptions) =>
      run(async (context) => {
        const { stderr } = context;
        const api = connect(context);
        const killed = await sendTo<Killed>(api, 'kill', agent, options);
        if (options.dryRun) return showDryRun(context, killed);
        await showAnswer(context, killed, () => text(killed));
        if (agent !== undefined) await write(stderr, await doubtOfName(api, agent, killed));
        return 0;
      }),
    );
}

/**
 * Returns a warning if the agent is unknown: no action, registration or mandates file has its name. Empty if the
 * agent is known, or if the API key may not read this information.
 */
async function doubtOfName(api: ApiClient, agent: string, { open }: Killed): Promise<string> {
  if (open.length > 0) return '';
  try {
    const path = `/v1/agents/${encodeURIComponent(agent)}/kill-status`;
    const { status, nearest } = await api.get<NameStatus>(path);
    if (status !== null) return '';
    const query = { agent, limit: 1 };
    const { decisions } = await api.get<{ decisions: readonly unknown[] }>('/v1/audit/decisions', query);
    if (decisions.length > 0) return '';
    const meant = nearest === null ? '' : ` The nearest known name is ${nearest}.`;
    const line = `no agent ${agent} is registered, and none has acted; is the name misspelt?${meant}`;
    const remedy = `The name is stopped all the same. \`mandate agents list\` lists the known agents; \`mandate revive ${agent}\` ends the kill.`;
    return warningsText([line], remedy);
  } catch (error) {
    if (error instanceof CommandFailure) return '';
    throw error;
  }
}

function text({ revision, open }: Killed): string {
  const nowMs = Date.now();
  const running = open.map((action) => {
    const { agentId, actionId, reservedMicros } = action;
    const held = `${doesOf(action)}, ${formatMicros(reservedMicros)} reserved, lease ${leaseOf(action, nowMs)}`;
    return `  ${printable(agentId)}  ${printable(actionId)}  ${printable(held)}\n`;
  });
  return `killed (revision ${revision}); ${counted(open.length, 'allowed action')} may still run\n${running.join('')}`;
}
