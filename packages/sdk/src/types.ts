/** The types of the SDK's interface. Amounts are whole micro-dollars, except in mandates, which people write. */

import type {
  Action,
  Code,
  Decision,
  KillTarget,
  MemoryOperation,
  MemoryRead,
  MemoryWrite,
  Output,
  Prompt,
  RiskLevel,
  ToolHints,
  MandateDocument as WholeDocument,
} from '@mandate/schemas';

export type { Action, Decision, LlmCall as LLMCall, Origin, ToolCall } from '@mandate/schemas';

/**
 * A mandate as an object, with the fields of a mandate file. Amounts are in dollars, with at most six decimals. In code
 * the fields `version`, `id` and `agents` may be left out.
 */
export type MandateDocument = Omit<WholeDocument, 'version' | 'id' | 'agents'> &
  Partial<Pick<WholeDocument, 'version' | 'id' | 'agents'>>;

/**
 * Why a call did not run, or did not finish: a code of a decision, or one of the SDK's own codes.
 * - `INVALID_ACTION`: the call cannot be stated as an action. Example: the arguments are no JSON object.
 * - `LEASE_EXPIRED`: the call was aborted because it took longer than its lease.
 * - `UNKNOWN_OBLIGATION`: the decision demands something that this SDK, or the program that uses it, cannot do.
 * - `UNGOVERNED_CALL`: the adapter cannot decide the call, and its caller did not list the call in `ungoverned`.
 * - `VERIFICATION_FAILED`: the call ran, but `verifyResult` did not accept its result.
 */
export type BlockCode =
  | Exclude<Code, 'ALLOWED' | 'APPROVAL_REQUIRED'>
  | 'INVALID_ACTION'
  | 'LEASE_EXPIRED'
  | 'UNKNOWN_OBLIGATION'
  | 'UNGOVERNED_CALL'
  | 'VERIFICATION_FAILED';

/**
 * The action of an error: a tool call has `tool`, an LLM call `model`. It has no arguments if they could not be
 * redacted, because errors are often logged.
 */
export type ActionOfError = Pick<Action, 'id' | 'agentId' | 'type'> & { tool?: string; model?: string };

/** The function of a tool. `signal` aborts when the call must stop: after a kill, or at the end of its lease. */
export type Tool<Args = never, Result = unknown> = (
  args: Args,
  signal: AbortSignal,
) => Result | PromiseLike<Result>;

/** Tools by name. */
export type Tools = Readonly<Record<string, Tool>>;

/**
 * Is called with errors that must not disturb a call, such as an outcome that could not be reported. It must not throw.
 */
export type OnError = (error: unknown) => void;

/** Options for calls that a person must approve. */
export type DeferOptions = {
  /**
   * `throw`: the call ends with a MandateDeferredError. `wait`: the call waits for the person, and then runs exactly as
   * it was approved, once. Default: `throw`.
   */
  onDefer?: 'throw' | 'wait';
  /** How long the call waits for a person, in milliseconds. Then it throws. Default: one hour. */
  deferTimeoutMs?: number;
  /** Called once when a call begins to wait for a person. An error of the function goes to `onError`. */
  onDeferred?: (question: DeferredQuestion) => void;
};

/** A call that a person must approve. A `MandateDeferredError` has the same fields. */
export type DeferredQuestion = {
  readonly approvalId: string;
  readonly reason: string;
  readonly action: ActionOfError;
  readonly decision: Decision | null;
};

/** The options of a call of any kind. */
export type CallOptions = DeferOptions & {
  /**
   * A key of the caller. Calls with the same key are one action. The action runs once, and again only as a retry after
   * a failure. The key must always state the same tool and arguments.
   */
  idempotencyKey?: string;
  /** The id of the action. By default, the SDK makes an id. Use it to send a deferred action again. */
  actionId?: string;
  /**
   * The id that a model or a framework gave this call. Within its run, a second request for the same call gets the
   * first answer, and the call runs once. A call with other arguments is another call. A request that differs in
   * its context, estimate, parent or principal is refused with `DUPLICATE_ACTION`.
   */
  callId?: string;
  /** The run to which `callId` belongs, such as a conversation. Default: the run of the instance. */
  runId?: string;
  /**
   * The expected cost of the call, in micro-dollars. If the price in the mandate is higher, the price counts instead.
   */
  estimatedCostMicros?: number;
  /** The user for whom the agent acts. */
  principal?: Action['principal'];
  /** The claims of the caller about the situation of the call, such as `environment: prod`. */
  context?: Action['context'];
  /** The action that caused this one. */
  parentActionId?: string;
  /** The turn in which the call is made: the id of the prompt that opened it. `mandate.turn` states it in each call. */
  turnId?: string;
  /**
   * The obligations of the decision that the caller carries out. An ALLOW with any other obligation is a BLOCK. The SDK
   * itself carries out `arguments`: it gives a tool the defaults of absent arguments. Default: none.
   */
  carriesOut?: readonly string[];
  /** Aborts the call. Its effect is then unknown, so it is charged as if its lease had ended. */
  signal?: AbortSignal;
};

/** A schema of zod 4, valibot, arktype and others: see standardschema.dev. */
export type StandardSchema = {
  readonly '~standard': {
    readonly validate: (value: unknown) => StandardResult | Promise<StandardResult>;
  };
};

type StandardResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        readonly message: string;
        readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
      }[];
    };

/** Returns the arguments to use, perhaps changed, or throws. */
export type Validate = ((args: unknown) => unknown) | StandardSchema;

/** The options of a call of a tool. */
export type ToolCallOptions = CallOptions & {
  /**
   * Validates the arguments, and may change them. It gets a copy of the arguments as JSON. The arguments that it
   * returns are decided, recorded and run. If it throws, the call is refused with `ARGUMENT_VALIDATION_FAILED`.
   */
  validate?: Validate;
};

export type RunOptions<Result = unknown> = ToolCallOptions & {
  /**
   * The cost of a successful call, in micro-dollars, or a function that reads the cost from the result. If it is
   * absent, or not a whole number of 0 or more, the reservation is charged. Nothing else in a result changes a charge.
   */
  actualCostMicros?: number | ((result: Result) => number | null | undefined);
  /**
   * Checks the result of a call that succeeded. If the check returns anything but true, throws, or takes longer than
   * `verifyTimeoutMs`, the call ends with `VERIFICATION_FAILED`, and is charged as a failure.
   */
  verifyResult?: (result: Result, checking: { signal: AbortSignal }) => boolean | PromiseLike<boolean>;
  /**
   * How long `verifyResult` may take, in milliseconds. The end of the lease also ends the check. Default: 30 seconds.
   */
  verifyTimeoutMs?: number;
};

/** The fields that a call of this kind states itself. */
type Own<Kind extends Action> = Omit<
  Kind,
  keyof CallOptions | 'id' | 'agentId' | 'tenant' | 'mandateId' | 'attempt' | 'requestedAt' | 'deadlineMs'
>;

/**
 * A call that an agent is about to make. `mandate.turn` and `mandate.memory` make the calls about texts and memory, and
 * carry out the obligations of their decisions.
 */
export type Call =
  | {
      type: 'tool_call';
      tool: string;
      args: unknown;
      /** The hints of the server about the tool. By default, a person must approve a destructive tool. */
      hints?: ToolHints;
      /** The risk of the tool, for rules and for people who approve its calls. */
      risk?: RiskLevel;
      options?: ToolCallOptions;
    }
  | {
      type: 'llm_call';
      provider?: string;
      model: string;
      /** All input tokens, cached or not. Absent if the number is unknown. */
      inputTokens?: number;
      /** The maximum number of tokens that the model may write. */
      maxOutputTokens?: number;
      options?: CallOptions;
    }
  | ((Own<Prompt> | Own<Output> | Own<MemoryRead> | Own<MemoryWrite> | Own<MemoryOperation>) & {
      options?: CallOptions;
    });

/**
 * The tokens that a provider billed. `inputTokens` are all input tokens, cached or not. `outputTokens` are all output
 * tokens, with the tokens of reasoning.
 */
export type TokenUsage = {
  inputTokens: number;
  cachedInputTokens?: number;
  cacheWriteTokens?: number;
  outputTokens: number;
  reasoningTokens?: number;
};

/** The tool calls in the answer of a model, by tool. An empty name stands for all tools without an entry. */
export type ToolCalls = { tool: string; calls: number }[];

/** The outcome of a call. Amounts are in micro-dollars. */
export type RunningOutcome = {
  status: 'success' | 'failure' | 'cancelled';
  /** The actual cost of the call. Absent if the cost is unknown. */
  actualCostMicros?: number;
  /** The tokens of an LLM call, from which its cost is computed. */
  usage?: TokenUsage;
  /**
   * The tool calls in the answer of a model. Limits on tool calls count them. Empty: the answer has none. Absent: they
   * are unknown.
   */
  toolCalls?: ToolCalls;
  /** Whether a check of the result passed. Absent if no check ran. */
  verification?: { ok: boolean };
};

/** A call that is allowed, and runs. */
export type RunningAction = {
  /** The action as it was decided. Arguments that are too large for a record are digests in it. */
  readonly action: Action;
  /** The arguments of a tool call, with which the tool must be called. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly decision: Decision;
  /** Aborts after a kill, at the end of the lease, and with the signal of the caller. Its reason is the error to throw. */
  readonly signal: AbortSignal;
  /**
   * Settles the charge. Never throws: an error goes to `onError`. Only the first outcome counts. A call that was
   * aborted keeps its reservation charged, unless it succeeds later or fails with a known cost. A call that is never
   * settled also keeps its reservation charged.
   */
  settle(outcome: RunningOutcome): Promise<void>;
};

/** An allowed call that may not have started yet. */
export type AskedAction = Pick<RunningAction, 'action' | 'args' | 'decision'>;

/** An agent under its mandate. Executors and adapters start all their calls here. */
export type Agent = {
  readonly agentId: string;
  /**
   * Resolves if the call is allowed. The caller must then make the call with `signal`, and settle it.
   *
   * @throws MandateBlockedError, MandateDeferredError, or the reason of the caller's signal
   */
  start(call: Call): Promise<RunningAction>;
  /**
   * Decides a call that may start later, for hooks that a framework calls before a tool. The call must state `callId`.
   * A later `start` of the same call uses this decision. If no `start` follows, the reservation stays charged when its
   * lease ends. To release the reservation, start the call, and settle it as `cancelled`. For a call that has already
   * started, `ask` returns its decision, and the call cannot start again.
   *
   * @throws MandateBlockedError, MandateDeferredError; MandateError SDK_MISUSED
   */
  ask(call: Call): Promise<AskedAction>;
};

/** The agent that would call tools, and everything that its calls state besides the tool and its arguments. */
export type ToolCaller = Pick<Action, 'agentId' | 'principal' | 'mandateId' | 'context'>;

/**
 * A tool. `args`: the arguments, if they are already known. Then the question is about a call with exactly these
 * arguments.
 */
export type AskedTool = { tool: string; args?: Readonly<Record<string, unknown>> };

/** A kill that has just taken effect. `agentId`: the stopped agent. Null: every agent. */
export type Kill = { agentId: string | null; reason: string; target: KillTarget };

/**
 * The spend of an agent, in micro-dollars. Running calls count with their reservations. The parts are null if the plane
 * does not know them exactly now.
 */
export type Cost = { totalMicros: number; llmMicros: number | null; toolMicros: number | null };
