/** The calls of models and tools on the log of a run. */
import type { Json } from '@mandate/schemas';

/**
 * An event of a call on the log. `call.begun` is appended before the decision about the call is requested,
 * `call.completed` before its outcome is reported. A call may begin again after it failed.
 */
export type CallEvent =
  | { event: 'call.begun'; actionId: string; agentId: string; call: BegunCall }
  | {
      event: 'call.completed';
      actionId: string;
      agentId: string;
      attempt: number | null;
      answer: CallAnswer;
      /** What was reported to Mandate. Null: the call was refused, so there is nothing to report. */
      outcome: CallOutcome | null;
    }
  /** A person has said that an uncertain call was not carried out. The call is made again. */
  | { event: 'call.resolved'; actionId: string; agentId: string; done: false }
  /** A person lets a failed run go on. This call was refused, or its answer was of no use. It is asked again, as another action. */
  | { event: 'call.retried'; actionId: string; agentId: string };

/** A repeated call must state the same facts, so the event of a model call holds all of them. */
export type BegunCall =
  | { type: 'model'; provider: string; model: string; inputTokens: number; maxOutputTokens: number }
  | { type: 'tool'; tool: string };

export type CallAnswer =
  | { type: 'model'; text: string; toolCalls: readonly ToolCallOfModel[]; stop: ModelStop }
  | { type: 'tool'; text: string; isError: boolean }
  /** Mandate refused the call. If the step goes on after it, the model is told `text`. */
  | { type: 'refused'; code: string; text: string }
  /** The call failed and had no result. A further attempt of the step makes it again. */
  | { type: 'failed'; code: string; message: string };

export type Refused = Extract<CallAnswer, { type: 'refused' }>;

export type ModelStop = 'end' | 'tools' | 'length' | 'refusal';

export type ToolCallOfModel = {
  /** The name in Mandate. A tool that the agent does not have keeps the name that the model wrote. */
  tool: string;
  /** Null: the model wrote no JSON object, or one that a record cannot hold. */
  args: { readonly [name: string]: Json } | null;
  /** The call loads a skill of the manifest, so it is no action. */
  loadsSkill?: true;
};

export type CallOutcome = {
  status: 'success' | 'failure' | 'cancelled';
  actualCostMicros?: number;
  usage?: {
    inputTokens: number;
    cachedInputTokens?: number;
    cacheWriteTokens?: number;
    outputTokens: number;
    reasoningTokens?: number;
  };
};
