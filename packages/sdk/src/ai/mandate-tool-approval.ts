/**
 * The `toolApproval` of AI SDK 7 under a mandate: a refused call is denied in the way of the framework, and for a call
 * that a person must approve, the framework asks the user. Approval by the user alone runs nothing, because `execute`
 * asks Mandate again.
 */
import type { AgentSource } from '../adapters/agent-source.ts';
import { findMandateError } from '../errors.ts';
import type { AgentOptions } from '../mandate.ts';
import { agentOfTool, ungovernedTool } from './mandate-tools.ts';

/** The result of an approval check in the AI SDK. */
export type Approval =
  | { type: 'not-applicable'; reason?: never }
  | { type: 'approved' | 'denied' | 'user-approval'; reason?: string };

type GivenStatus = undefined | Approval['type'] | Approval;

/** The question of the SDK. */
export type ApprovalQuestion = {
  toolCall: { toolName: string; toolCallId: string; input?: unknown };
  tools?: unknown;
  toolsContext?: unknown;
  runtimeContext?: unknown;
  messages: readonly unknown[];
};

// biome-ignore-start lint/suspicious/noExplicitAny: the SDK types these functions by the tools of each call
type Also =
  | ((question: any) => GivenStatus | PromiseLike<GivenStatus>)
  | Readonly<
      Record<
        string,
        GivenStatus | ((input: any, options: any) => GivenStatus | PromiseLike<GivenStatus>) | undefined
      >
    >;
// biome-ignore-end lint/suspicious/noExplicitAny: the SDK types these functions by the tools of each call

export type ToolApprovalOptions<T> = AgentOptions & {
  /** The tools that `mandateTools` returned. */
  tools: T;
  /** Your own `toolApproval`. It can deny and ask, but it cannot approve what the mandate refuses. */
  also?: Also;
};

/**
 * Returns a function for the option `toolApproval`. The own `needsApproval` of a tool still asks the user. The decision
 * of an allowed call is the one that `execute` uses. A tool without `execute` runs elsewhere, so it is decided only
 * here, for the agent of the options, and its reservation stays charged.
 *
 * @throws MandateError MANDATES_INVALID, SDK_MISUSED
 */
export function mandateToolApproval<T extends Readonly<Record<string, object>>>(
  mandate: AgentSource,
  { tools, also, ...options }: ToolApprovalOptions<T>,
): (question: ApprovalQuestion) => Promise<Approval> {
  const elsewhere = mandate.agent(options);
  return async (question) => {
    const { toolName, toolCallId, input } = question.toolCall;
    // The tools that are decided here must be the tools that run.
    const tool = own(question.tools, toolName) ?? own(tools, toolName);
    const status = await ownStatus(tool, also, question);
    // The user comes first, because an allowed call would hold its reservation while the user thinks.
    if (status.type === 'denied' || status.type === 'user-approval') return status;
    const agent = tool === undefined || isExecutable(tool) ? agentOfTool(tool) : elsewhere;
    if (agent === undefined) return { type: 'denied', reason: ungovernedTool(toolName).message };
    try {
      await agent.ask({ type: 'tool_call', tool: toolName, args: input, options: { callId: toolCallId } });
      return status;
    } catch (thrown) {
      const error = findMandateError(thrown);
      if (error?.code === 'APPROVAL_REQUIRED') return { type: 'user-approval', reason: error.reason };
      return { type: 'denied', reason: error?.message ?? `The call could not be decided: ${String(thrown)}` };
    }
  };
}

function own(members: unknown, name: string): object | undefined {
  if (typeof members !== 'object' || members === null || !Object.hasOwn(members, name)) return undefined;
  return (members as Record<string, object | undefined>)[name];
}

function isExecutable(tool: object): boolean {
  return typeof (tool as { execute?: unknown }).execute === 'function';
}

/** Returns the answer of the app itself, without the mandate. */
async function ownStatus(
  tool: object | undefined,
  also: Also | undefined,
  question: ApprovalQuestion,
): Promise<Approval> {
  const { toolName, toolCallId, input } = question.toolCall;
  const { messages, runtimeContext } = question;
  const context = own(question.toolsContext, toolName);
  let stated: unknown;
  if (typeof also === 'function') {
    stated = await also(question);
  } else {
    const one: unknown = own(also, toolName);
    stated =
      typeof one === 'function'
        ? await one(input, { toolCallId, messages, toolContext: context, runtimeContext })
        : one;
  }
  const status = (typeof stated === 'string' ? { type: stated } : stated) as Approval | null | undefined;
  if (status !== null && status !== undefined && status.type !== 'not-applicable') return status;
  const { needsApproval } = (tool ?? {}) as { needsApproval?: unknown };
  const needs =
    typeof needsApproval === 'function'
      ? await needsApproval.call(tool, input, { toolCallId, messages, context })
      : needsApproval;
  return { type: needs ? 'user-approval' : 'not-applicable' };
}
