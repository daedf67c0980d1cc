/** The types of the SDK's interface. Amounts are whole micro-dollars, except in mandates, which people write. */
import type { Action, Code, KillTarget, MandateDocument as WholeDocument } from '@mandate/schemas';

export type { Action, Decision, LlmCall as LLMCall, ToolCall } from '@mandate/schemas';

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
 * - `UNKNOWN_OBLIGATION`: the decision demands something that this SDK cannot do.
 */
export type BlockCode =
  | Exclude<Code, 'ALLOWED' | 'APPROVAL_REQUIRED'>
  | 'INVALID_ACTION'
  | 'LEASE_EXPIRED'
  | 'UNKNOWN_OBLIGATION';

/** The action of an error. It has no arguments if they could not be redacted, because errors are often logged. */
export type ActionOfError = Pick<Action, 'id' | 'agentId' | 'type'> & { tool: string };

/** Does the work of a tool. `signal` aborts when the call must stop: after a kill, or at the end of its lease. */
export type Tool<Args = never, Result = unknown> = (
  args: Args,
  signal: AbortSignal,
) => Result | PromiseLike<Result>;

/** Tools by name. */
export type Tools = Readonly<Record<string, Tool>>;

export type RunOptions<Result = unknown> = {
  /**
   * A key of the caller. Calls with the same key are one action: it runs once, and again only as a retry after it
   * failed. The key must always state the same tool and arguments.
   */
  idempotencyKey?: string;
  /** The id of the action. Absent: the SDK makes one. Use it to send a deferred action again. */
  actionId?: string;
  /** What the caller expects the call to cost, in micro-dollars. A higher price of the mandate counts instead. */
  estimatedCostMicros?: number;
  /**
   * What a successful call cost, in micro-dollars, or a function that reads it from the result. Absent, or no whole
   * number of 0 or more: the reservation is charged. Nothing else in a result changes a charge.
   */
  actualCostMicros?: number | ((result: Result) => number | null | undefined);
  /** The user for whom the agent acts. */
  principal?: Action['principal'];
  /** What the caller says about the situation of the call. */
  context?: Action['context'];
  /** The action that caused this one. */
  parentActionId?: string;
  /** Aborts the call. It is charged as if its lease had run out, because nobody knows how far it came. */
  signal?: AbortSignal;
};

/** A kill that has just taken effect. `agentId`: the stopped agent. Null: every agent. */
export type Kill = { agentId: string | null; reason: string; target: KillTarget };

/** What an agent has spent, in micro-dollars. Running calls count with their reservations. */
export type Cost = { totalMicros: number; llmMicros: number; toolMicros: number };
