/** Says which tools an agent may call at all, so that a program shows a model only these tools. */
import type { Action, Code, ToolCall } from '@mandate/schemas';
import { type MandatesInForce, planInForce } from './mandates-in-force.ts';

/** The agent that would call the tools, and everything that its calls state besides tool and arguments. */
export type ToolCaller = Pick<Action, 'agentId' | 'principal' | 'mandateId' | 'context'>;

/** A tool. `args`: the arguments, if they are known already. Then a call with exactly these arguments is meant. */
export type AskedTool = Pick<ToolCall, 'tool' | 'args'>;

/** With these codes a policy refuses the tool, or every tool, whatever the arguments of the call are. */
const OF_THE_TOOL: ReadonlySet<Code> = new Set([
  'TENANT_CLOSED',
  'GRANT_REQUIRED',
  'MANDATE_NOT_FOUND',
  'MANDATE_EXPIRED',
  'TOOL_DENIED',
  'UNKNOWN_TOOL',
  'TOOL_NOT_ALLOWED',
  'ROLE_NOT_ALLOWED',
]);

/**
 * For each tool: false if the policies in force refuse every call of it. Limits do not count, because they change with
 * each call. A policy that only observes refuses nothing.
 *
 * This is no decision. A permitted call may be refused, and each call must be decided.
 */
export function permittedTools(
  mandates: MandatesInForce,
  tenant: string,
  caller: ToolCaller,
  tools: readonly AskedTool[],
  atMs: number,
): boolean[] {
  return tools.map(({ tool, args }) => {
    const probe: Action = { ...caller, id: 'probe', type: 'tool_call', tool, args: args ?? {} };
    const { refusal, observe } = planInForce(mandates, tenant, probe, atMs);
    if (refusal === null || observe) return true;
    return !(
      OF_THE_TOOL.has(refusal.code) ||
      (args !== undefined && refusal.code === 'ARGUMENT_VALIDATION_FAILED')
    );
  });
}
