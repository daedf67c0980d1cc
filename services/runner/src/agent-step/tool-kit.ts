/** Everything that a model is offered in a step: its system prompt, its tools and its skills. */
import type { ModelReply, OfferedTool } from '../models/model-clients.ts';
import type { BoundTool, ToolServers } from '../tools/tool-servers.ts';
import type { ToolCallOfModel } from './call-event.ts';
import { offeredNames } from './offered-tools.ts';
import { LOAD_SKILL, skillTool, sortSkills } from './skills.ts';
import type { AgentStep, StepTool } from './step.ts';
import { systemPromptOf } from './system-prompt.ts';

/** `bound` is null for an inline tool that no server is bound to. */
type FoundTool = { tool: StepTool; bound: BoundTool | null };

export type ToolKit = {
  system: string;
  offered: readonly OfferedTool[];
  skills: ReturnType<typeof sortSkills>;
  /** The tools of the agent by their names in Mandate. */
  found: ReadonlyMap<string, FoundTool>;
  offeredName(call: ToolCallOfModel): string;
  /** Returns the reply with Mandate's names of the tools. */
  inMandate(reply: ModelReply): ModelReply;
};

/** @throws ToolUnavailable */
export async function openToolKit(
  step: AgentStep,
  toolServers: ToolServers,
  signal: AbortSignal,
): Promise<ToolKit> {
  const found = await Promise.all(
    step.tools.map(
      async (tool): Promise<FoundTool> => ({ tool, bound: await toolServers.find(tool, signal) }),
    ),
  );
  const skills = sortSkills(step.skills, step.contextStrategy);
  const names = offeredNames(step.tools.map(({ name }) => name));
  const named = (tool: string) => names.get(tool) ?? plainName(tool);
  const tools = new Map([...names].map(([tool, name]) => [name, tool]));
  const loadSkills = skillTool(skills);
  const offered = found.flatMap(({ tool, bound }): OfferedTool[] => {
    if (bound === null) return [];
    const { description, inputSchema } = bound;
    const said = tool.kind === 'inline' ? tool : { description, parameters: inputSchema };
    return [{ name: named(tool.name), description: said.description, parameters: said.parameters }];
  });
  const unbound = found.flatMap(({ tool, bound }) => (bound === null ? [named(tool.name)] : []));
  const inMandate = (call: ToolCallOfModel): ToolCallOfModel =>
    loadSkills !== null && call.tool === LOAD_SKILL
      ? { ...call, loadsSkill: true }
      : { ...call, tool: tools.get(call.tool) ?? call.tool };
  return {
    system: systemPromptOf(step, skills, unbound),
    offered: loadSkills === null ? offered : [...offered, loadSkills],
    skills,
    found: new Map(found.map((one) => [one.tool.name, one])),
    offeredName: ({ tool, loadsSkill }) => (loadsSkill ? LOAD_SKILL : named(tool)),
    inMandate: (reply) => ({ ...reply, toolCalls: reply.toolCalls.map(inMandate) }),
  };
}

/** A provider refuses messages with a name that it does not accept, even if a model invented the name. */
function plainName(tool: string): string {
  return tool.replace(/[^\w-]/g, '_').slice(0, 64) || '_';
}
