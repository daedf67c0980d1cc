/** The tools that the agents of a manifest may call, by their names in Mandate. */
import { sameAddress } from '../addresses.ts';
import type { AgentTool } from '../catalog.ts';
import type { CompiledTool } from './compiled.ts';
import { type Member, placeOf } from './family.ts';
import { exactNameFault } from './ids.ts';
import type { Refuse } from './refusals.ts';
import type { CompiledStep } from './workflow-steps.ts';

/**
 * Refuses a name that two tools have, or a tool and a step. Otherwise an agent with this name would be allowed both.
 */
export function compiledTools(
  members: readonly Member[],
  steps: readonly CompiledStep[],
  refuse: Refuse,
): Map<string, CompiledTool> {
  const ofSteps = new Set(steps.map(({ tool }) => tool));
  const first = new Map<string, { tool: AgentTool; path: string }>();
  const compiled = new Map<string, CompiledTool>();
  for (const member of members) {
    for (const named of member.tools) {
      const { tool } = named;
      const { name, hash } = tool;
      const before = first.get(name);
      if (before?.tool === tool) continue;
      const path = placeOf(member, named);
      const known = compiled.get(name);
      if (before === undefined || known === undefined) {
        const fault = exactNameFault(name);
        if (fault !== null)
          refuse('COMPILE_ID_INVALID', path, `is called "${name}" in Mandate, which ${fault}`);
        if (ofSteps.has(name))
          refuse('TOOL_NAME_CLASH', path, `is called "${name}", as a step is: rename one`);
        first.set(name, { tool, path });
        compiled.set(name, compiledTool(tool));
        continue;
      }
      if (!isSame(before.tool, tool))
        refuse(
          'TOOL_NAME_CLASH',
          path,
          `is called "${name}", as another tool is (${before.path}): rename one`,
        );
      if (hash === null || hash === known.hash) continue;
      if (known.hash === undefined) known.hash = hash;
      else refuse('TOOL_HASH_CLASH', path, `has another hash than at ${before.path}`);
    }
  }
  return compiled;
}

function compiledTool({ risk, uri, hash, inline, entry }: AgentTool): CompiledTool {
  const kind = inline !== null ? 'inline' : entry !== null ? 'tool' : 'remote';
  return { kind, risk, ...(uri !== null && { uri }), ...(hash !== null && { hash }) };
}

function isSame(one: AgentTool, other: AgentTool): boolean {
  if (one.uri === null || other.uri === null) return one.uri === other.uri;
  return one.entry === other.entry && sameAddress(one.uri) === sameAddress(other.uri);
}
