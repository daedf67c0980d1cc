/** Puts an agent, its tools, and the agents to which it hands over under a mandate. */
import type { MandateError } from '@mandate/runtime/errors';
import { Agent, type Handoff, type RunContext, type Tool } from '@openai/agents';
import type { AgentSource } from '../adapters/agent-source.ts';
import { misused } from '../errors.ts';
import type { AgentOptions } from '../mandate.ts';
import { type GovernModelOptions, governModel } from './govern-model.ts';
import { type AnyTool, governed, type ToolRules } from './govern-tool.ts';

export type GovernAgentOptions = AgentOptions &
  GovernModelOptions & {
    /**
     * The run to which the ids of calls belong, or a function that reads the run from the context. State it if the
     * model repeats the ids of its calls. It must be the same when a run is resumed.
     */
    runId?: string | ((context: RunContext) => string);
    /**
     * Names of tools that run without a decision and a charge, such as `web_search`. By default, hosted tools, shells,
     * patches and computers are refused, because Mandate cannot see their calls.
     */
    ungoverned?: readonly string[];
  };

// biome-ignore lint/suspicious/noExplicitAny: an agent of any context and output
type AnyAgent = Agent<any, any>;
// biome-ignore lint/suspicious/noExplicitAny: a handoff of any context and output
type AnyHandoff = Handoff<any, any>;

/** The agents and tools that are already governed. They keep their first mandate. */
const GOVERNED = new WeakSet<object>();

/**
 * Returns a copy of the agent. Its calls of tools are decided before they run. The given agent does not change. The
 * agents to which it hands over get the same mandate, unless they are already governed.
 *
 * @throws MandateError MANDATES_INVALID, SDK_MISUSED: a tool cannot be governed
 */
export function governAgent<A extends AnyAgent>(
  mandate: AgentSource,
  agent: A,
  options: GovernAgentOptions = {},
): A {
  const { runId = 'run' } = options;
  const rules: ToolRules = {
    agent: mandate.agent(options),
    runId: typeof runId === 'function' ? runId : () => runId,
  };
  return new Governor(rules, options).agent(agent) as A;
}

class Governor {
  readonly #rules: ToolRules;
  readonly #options: GovernAgentOptions;
  /** Agents may hand over to each other in circles. */
  readonly #agents = new Map<AnyAgent, AnyAgent>();
  readonly #tools = new WeakMap<object, Tool>();

  constructor(rules: ToolRules, options: GovernAgentOptions) {
    this.#rules = rules;
    this.#options = options;
  }

  agent(agent: AnyAgent): AnyAgent {
    if (GOVERNED.has(agent)) return agent;
    const known = this.#agents.get(agent);
    if (known !== undefined) return known;
    const handoffs: (AnyAgent | AnyHandoff)[] = [];
    const { model } = agent;
    const copy: AnyAgent = Agent.prototype.clone.call(agent, {
      tools: agent.tools.map((tool) => this.#tool(tool)),
      handoffs,
      ...(typeof model === 'object'
        ? { model: governModel(this.#rules.agent, model, undefined, this.#options) }
        : {}),
    }) as AnyAgent;
    this.#agents.set(agent, copy);
    GOVERNED.add(copy);
    handoffs.push(...agent.handoffs.map((handoff) => this.#handoff(handoff)));
    this.#override(copy);
    return copy;
  }

  /**
   * Governs everything that the copy makes later: copies of itself, itself as a tool, and the tools of its MCP servers.
   */
  #override(copy: AnyAgent): void {
    const { getAllTools, clone, asTool } = copy;
    Object.defineProperties(copy, {
      getAllTools: {
        value: async (...given: Parameters<AnyAgent['getAllTools']>) =>
          (await getAllTools.apply(copy, given)).map((tool) => this.#tool(tool)),
      },
      clone: { value: (config: never) => this.agent(clone.call(copy, config)) },
      asTool: {
        value: (options: never) => {
          const tool = asTool.call(copy, options);
          // The framework identifies the agent by this object, so it is not copied.
          Object.assign(tool, governed(tool, this.#rules));
          GOVERNED.add(tool);
          return tool;
        },
      },
    });
  }

  #handoff(handoff: AnyAgent | AnyHandoff): AnyAgent | AnyHandoff {
    if (!('onInvokeHandoff' in handoff)) return this.agent(handoff);
    const { onInvokeHandoff } = handoff;
    return handoff.clone({
      agent: this.agent(handoff.agent),
      onInvokeHandoff: async (context, args) => this.agent(await onInvokeHandoff(context, args)),
    });
  }

  #tool<T extends Tool>(tool: T): T {
    if (GOVERNED.has(tool)) return tool;
    const known = this.#tools.get(tool);
    if (known !== undefined) return known as T;
    if (tool.type !== 'function') {
      if (this.#options.ungoverned?.includes(tool.name) === true) return tool;
      throw cannotBeGoverned(
        tool,
        'Remove the tool, or list its name in `ungoverned`: then it runs without a decision.',
      );
    }
    if (runsAgent(tool)) {
      throw cannotBeGoverned(
        tool,
        'Make the tool from a governed agent: `governAgent(mandate, agent).asTool(…)`.',
      );
    }
    const copy = { ...tool, ...governed(tool as AnyTool, this.#rules) } as T;
    this.#tools.set(tool, copy);
    GOVERNED.add(copy);
    return copy;
  }
}

/** The tool of an agent has event listeners. No other field shows which agent it runs. */
function runsAgent(tool: Tool): boolean {
  return 'on' in tool && typeof tool.on === 'function';
}

function cannotBeGoverned(tool: Tool, remedy: string): MandateError {
  return misused(`The tool "${tool.name}" (${tool.type}) cannot be governed.`, remedy);
}
