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

type KilledSet = {
  killedCount: number;
  openCount: number;
  agents: readonly { agentId: string; revision: number; open: readonly OpenAction[] }[];
};

type NameStatus = { status: 'registered' | 'retired' | 'named' | null; nearest: string | null };

export function killCommand(command: Command, run: RunCommand): void {
  withTarget(command)
    .argument('[agent...]', 'the id of the agent, or of several agents, at most 100')
    .description(
      'Pulls the kill switch. When the command returns, nothing more is allowed until a revive. Lists the actions that were ' +
        'allowed before and may still run. One request kills several agents. Scope operate.',
    )
    .addHelpText(
      'after',
      `
If one of several agents is not killed, the command fails and names it.
Run the same command again: it kills the others.

Examples:
  mandate kill researcher --reason "calls the same tool in a loop"
  mandate kill researcher writer reviewer
  mandate kill researcher --subtree
  mandate kill --tenant
  mandate kill --all --reason "incident 42"`,
    )
    .action((agents: string[], options: TargetOptions) =>
      run(async (context) => {
        const { stderr } = context;
        const api = connect(context);
        const killed = await sendTo<Killed | KilledSet>(api, 'kill', agents, options);
        if (options.dryRun) return showDryRun(context, killed);
        await showAnswer(context, killed, () => ('agents' in killed ? setText(killed) : text(killed)));
        const each = 'agents' in killed ? killed.agents : [{ ...killed, agentId: agents[0] }];
        for (const { agentId, open } of each)
          if (agentId !== undefined) await write(stderr, await doubtOfName(api, agentId, open));
        return 0;
      }),
    );
}

/**
 * Returns a warning if the agent is unknown: no action, registration or mandates file has its name. Empty if the
 * agent is known, or if the API key may not read this information.
 */
async function doubtOfName(api: ApiClient, agent: string, open: readonly OpenAction[]): Promise<string> {
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
    const remedy = `The name is killed all the same. \`mandate agents list\` lists the known agents; \`mandate revive ${agent}\` ends the kill.`;
    return warningsText([line], remedy);
  } catch (error) {
    if (error instanceof CommandFailure) return '';
    throw error;
  }
}

function text({ revision, open }: Killed): string {
  return `killed (revision ${revision}); ${counted(open.length, 'allowed action')} may still run\n${runningText(open)}`;
}

function setText({ agents, killedCount, openCount }: KilledSet): string {
  const each = agents.map(
    ({ agentId, revision, open }) =>
      `${printable(agentId)} is killed (revision ${revision})\n${runningText(open)}`,
  );
  return `killed ${counted(killedCount, 'agent')}; ${counted(openCount, 'allowed action')} may still run\n${each.join('')}`;
}

function runningText(open: readonly OpenAction[]): string {
  const nowMs = Date.now();
  const lines = open.map((action) => {
    const { agentId, actionId, reservedMicros } = action;
    const held = `${doesOf(action)}, ${formatMicros(reservedMicros)} reserved, lease ${leaseOf(action, nowMs)}`;
    return `  ${printable(agentId)}  ${printable(actionId)}  ${printable(held)}\n`;
  });
  return lines.join('');
}
