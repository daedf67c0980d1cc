/**
 * Kills several agents by one command. Each agent has its own flag and its own record on the log, and all flags are set
 * at the same time. The id of each record is the id of the command with a number. So if a caller sends the same command
 * again, the gateway repeats the same kills, and carries out those that failed before.
 */
import type { Command } from '@mandate/ledger';
import type { KillTarget, OpenAction } from '@mandate/schemas';
import { HttpProblem, type HttpRequest, problemOfError } from '@mandate/server';
import type { Gateway } from '../gateway.ts';
import { boundedKill } from './bounded-kill.ts';
import type { Killed } from './pull-kill-switch.ts';

type AgentTarget = Extract<KillTarget, { agentId: string }>;

type AgentOfSet = {
  agentId: string;
  /** True if the flag is set. False if the plane cannot say that it is. */
  isKilled: boolean;
  /** The id of the record on the log. */
  commandId: string;
  /** Null if the agent is not killed, like the next two facts. */
  revision: number | null;
  sequence: number | null;
  openCount: number | null;
  open: OpenAction[];
  /** Why the agent is not killed, or why its kill is not on the log. Null: all is well. */
  problem: { code: string; detail: string; remedy: string } | null;
};

export type KilledSet = {
  commandId: string;
  agents: AgentOfSet[];
  killedCount: number;
  /** The open actions of all agents that are killed. */
  openCount: number;
};

/** Returns the targets in the order of their names, each once, so that a set has one form. */
export function targetsOfSet(tenant: string, agents: readonly string[], subtree: boolean): AgentTarget[] {
  const scope = subtree ? 'subtree' : 'agent';
  return [...new Set(agents)].sort().map((agentId) => ({ scope, tenant, agentId }));
}

/**
 * Throws KILL_INCOMPLETE if an agent is not killed, and KILL_IN_FORCE_NOT_ON_LOG if all are killed and the log has
 * not all records. Both have the whole result in `kill`.
 */
export async function killSet(
  gateway: Gateway,
  request: HttpRequest,
  targets: readonly AgentTarget[],
  command: Command,
): Promise<KilledSet> {
  const faults: HttpProblem[] = [];
  const agents = await Promise.all(
    targets.map(async (target, index): Promise<AgentOfSet> => {
      const { tenant, agentId } = target;
      const own = { ...command, id: `${command.id}-${index + 1}` };
      try {
        return {
          ...factsOf(tenant, await boundedKill(gateway, request, target, own)),
          agentId,
          problem: null,
        };
      } catch (error) {
        const fault = problemOfError(error);
        const { code, message: detail, remedy, extension } = fault;
        faults.push(fault);
        const facts = 'kill' in extension ? factsOf(tenant, extension.kill as Killed) : notKilled(own);
        return { ...facts, agentId, problem: { code, detail, remedy } };
      }
    }),
  );
  const killed: KilledSet = {
    commandId: command.id,
    agents,
    killedCount: agents.filter((one) => one.isKilled).length,
    openCount: agents.reduce((sum, { openCount }) => sum + (openCount ?? 0), 0),
  };
  if (faults.length > 0) throw incomplete(killed, faults);
  return killed;
}

type Facts = Omit<AgentOfSet, 'agentId' | 'problem'>;

function factsOf(tenant: string, { commandId, revision, sequences, openCount, open }: Killed): Facts {
  return { isKilled: true, commandId, revision, sequence: sequences[tenant] ?? null, openCount, open };
}

function notKilled({ id }: Command): Facts {
  return { isKilled: false, commandId: id, revision: null, sequence: null, openCount: null, open: [] };
}

function incomplete(kill: KilledSet, faults: readonly HttpProblem[]): HttpProblem {
  const { agents, killedCount } = kill;
  const areAllKilled = killedCount === agents.length;
  const missing = agents.filter((one) => !one.isKilled);
  const named = missing.map(({ agentId, problem }) => `${agentId} (${problem?.code})`).join(', ');
  // The worst problem decides: a fault of the plane, then a limit, then a kill that was revived.
  const status = Math.max(...faults.map((fault) => fault.status));
  const facts = {
    headers: status === 409 ? {} : { 'retry-after': '1' },
    extension: { kill },
    cause: faults.find((fault) => fault.status === status)?.cause,
  };
  if (areAllKilled)
    return new HttpProblem(
      503,
      'KILL_IN_FORCE_NOT_ON_LOG',
      'every agent is killed, but not every kill is on the log yet',
      {
        remedy: 'The events are retried until the log takes them. Check again when the log is back.',
        ...facts,
      },
    );
  return new HttpProblem(
    status,
    'KILL_INCOMPLETE',
    `${killedCount} of ${agents.length} agents are killed; not killed: ${named}`,
    {
      remedy:
        'Send the same kill with the same Idempotency-Key again: it kills the others. `kill` says for each agent what is wrong.',
      ...facts,
    },
  );
}
