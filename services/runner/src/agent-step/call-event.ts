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
      /** The outcome that was reported to Mandate. Null: the call was refused, so there is nothing to report. */
      outcome: CallOutcome | null;
    }
  /** A person has said that an uncertain call was not carried out. The call is made again. */
  | { event: 'call.resolved'; actionId: string; agentId: string; done: false }
  /**
   * A person retries a failed run. This call was refused, or its answer was unusable. It is made again as another
   * action.
   */
  | { event: 'call.retried'; actionId: string; agentId: string };

/** A repeated call must state the same facts, so the event of a model call contains all of them. */
export type BegunCall =
  | { type: 'model'; provider: string; model: string; inputTokens: number; maxOutputTokens: number }
  | { type: 'tool'; tool: string };

export type CallAnswer =
  | { type: 'model'; text: string; toolCalls: readonly ToolCallOfModel[]; stop: ModelStop }
  | { type: 'tool'; text: string; isError: boolean }
  /** Mandate refused the call. If the step continues after it, the model gets `text`. */
  | { type: 'refused'; code: string; text: string }
  /** The call failed without a result. A further attempt of the step makes it again. */
  | { type: 'failed'; code: string; message: string };

export type Refused = Extract<CallAnswer, { type: 'refused' }>;

export type ModelStop = 'end' | 'tools' | 'length' | 'refusal';

export type ToolCallOfModel = {
  /** Mandate's name of the tool. A tool that the agent does not have keeps the name that the model wrote. */
  tool: string;
  /** Null: the model did not write a JSON object, or wrote one that a record cannot contain. */
  args: { readonly [name: string]: Json } | null;
  /** The call loads a skill of the manifest, so it is not an action. */
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
