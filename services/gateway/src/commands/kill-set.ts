/**
 * Kills several agents by one command. Each agent has its own flag and its own record on the log, and all are pulled
 * at the same time. The ids of the records are the id of the command and a number, so the same command again is the
 * same kills, and finishes what the first try left undone.
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
  stopped: boolean;
  /** The id of the record on the log. */
  commandId: string;
  /** Null if the agent is not stopped, as the next two facts. */
  revision: number | null;
  sequence: number | null;
  openCount: number | null;
  open: OpenAction[];
  /** Why the agent is not stopped, or why its kill is not on the log. Null: all is well. */
  problem: { code: string; detail: string; remedy: string } | null;
};

export type KilledSet = {
  commandId: string;
  agents: AgentOfSet[];
  stoppedCount: number;
  /** The open actions of all agents that are stopped. */
  openCount: number;
};

/** Returns the targets in the order of their names, each once, so that a set has one form. */
export function targetsOfSet(tenant: string, agents: readonly string[], subtree: boolean): AgentTarget[] {
  const scope = subtree ? 'subtree' : 'agent';
  return [...new Set(agents)].sort().map((agentId) => ({ scope, tenant, agentId }));
}

/**
 * Throws KILL_INCOMPLETE if an agent is not stopped, and KILL_IN_FORCE_NOT_ON_LOG if all are stopped and the log has
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
          ...stopped(tenant, await boundedKill(gateway, request, target, own)),
          agentId,
          problem: null,
        };
      } catch (error) {
        const fault = problemOfError(error);
        const { code, message: detail, remedy, extension } = fault;
        faults.push(fault);
        const facts = 'kill' in extension ? stopped(tenant, extension.kill as Killed) : notStopped(own);
        return { ...facts, agentId, problem: { code, detail, remedy } };
      }
    }),
  );
  const killed: KilledSet = {
    commandId: command.id,
    agents,
    stoppedCount: agents.filter((one) => one.stopped).length,
    openCount: agents.reduce((sum, { openCount }) => sum + (openCount ?? 0), 0),
  };
  if (faults.length > 0) throw incomplete(killed, faults);
  return killed;
}

type Facts = Omit<AgentOfSet, 'agentId' | 'problem'>;

function stopped(tenant: string, { commandId, revision, sequences, openCount, open }: Killed): Facts {
  return { stopped: true, commandId, revision, sequence: sequences[tenant] ?? null, openCount, open };
}

function notStopped({ id }: Command): Facts {
  return { stopped: false, commandId: id, revision: null, sequence: null, openCount: null, open: [] };
}

function incomplete(kill: KilledSet, faults: readonly HttpProblem[]): HttpProblem {
  const { agents, stoppedCount } = kill;
  const isStopped = stoppedCount === agents.length;
  const missing = agents.filter((one) => !one.stopped);
  const named = missing.map(({ agentId, problem }) => `${agentId} (${problem?.code})`).join(', ');
  // The gravest refusal decides: a fault of the plane, then a limit, then a kill that was revived.
  const status = Math.max(...faults.map((fault) => fault.status));
  const facts = {
    headers: status === 409 ? {} : { 'retry-after': '1' },
    extension: { kill },
    cause: faults.find((fault) => fault.status === status)?.cause,
  };
  if (isStopped)
    return new HttpProblem(
      503,
      'KILL_IN_FORCE_NOT_ON_LOG',
      'every agent is stopped, but not yet on the log',
      {
        remedy: 'The events are retried until the log takes them. Check again when the log is back.',
        ...facts,
      },
    );
  return new HttpProblem(
    status,
    'KILL_INCOMPLETE',
    `${stoppedCount} of ${agents.length} agents are stopped; not stopped: ${named}`,
    {
      remedy:
        'Send the same kill with the same Idempotency-Key again: it stops the others. `kill` says for each agent what is wrong.',
      ...facts,
    },
  );
}
