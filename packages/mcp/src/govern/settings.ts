/** The settings of a proxy, and the agent of a call. */
import type { Agent } from '@mandate/sdk/plane';
import type { ToolPins } from '../pins/tool-pins.ts';

/**
 * What happens to a call that a person must approve. `error`: the client gets an error at once. `hold`: the call first
 * waits for the person. `elicit`: the client shows its user the address of the question, and the call waits.
 */
export type DeferMode = 'error' | 'hold' | 'elicit';

export type ProxySettings = {
  /** A prefix for each tool name, so that tools of several servers have different names in a policy. */
  prefix: string;
  /** Whether lists show only the tools that the policies allow. */
  filtersLists: boolean;
  defer: DeferMode;
  /** How long a call waits for a person, in milliseconds. */
  holdMs: number;
  /** Whether an action states the hints of the server about its tool. */
  usesHints: boolean;
  /** Null: tools are not pinned. */
  pins: ToolPins | null;
  /** Returns the address where a person answers a question. Null: there is none. */
  approvalUrl: ((approvalId: string) => string) | null;
};

/** Tools by their names with the prefix. `args`: the arguments, if they are already known. */
type AskedTools = readonly { tool: string; args?: Readonly<Record<string, unknown>> }[];

/** The part of the SDK that the proxy uses: an instance of any mode. */
export type Asker = {
  with(scope: {
    agentId?: string;
    principal?: { id: string };
    context?: Readonly<Record<string, string>>;
  }): Asker;
  agent(options: { agentId: string }): Agent;
  permits(tools: AskedTools, caller: { agentId: string }): Promise<(boolean | null)[]>;
};

/** The agent that calls through the proxy. */
export type Caller = {
  agent: Agent;
  /** Returns for each tool whether the policies allow it. Null: this is not known. */
  permits(tools: AskedTools): Promise<(boolean | null)[]>;
  /** Identifies the agent and its key: two callers with the same text are the same agent with the same key. */
  key: string;
};

/** Returns the caller for an agent, with the fields that each of its calls states. */
export function callerOf(
  mandate: Asker,
  stated: { agentId: string; principalId?: string | undefined; runId?: string | undefined; key?: string },
): Caller {
  const { agentId, principalId, runId } = stated;
  const view = mandate.with({
    agentId,
    ...(principalId !== undefined && { principal: { id: principalId } }),
    ...(runId !== undefined && { context: { runId } }),
  });
  return {
    agent: view.agent({ agentId }),
    permits: (tools) => view.permits(tools, { agentId }),
    key: JSON.stringify([agentId, principalId, runId, stated.key]),
  };
}
