/**
 * The port that each mode implements: it decides and settles actions, kills agents, and reports costs. `Mandate` uses
 * only this port, so every mode has the same interface, and a program loads only its own mode.
 */
import type { Action, ActionRequested, ActionType, Decision, Outcome } from '@mandate/schemas';
import type { AuditCounts } from './audit/audit-output.ts';
import type { AskedTool, Cost, Kill, MandateDocument, RunningOutcome, ToolCaller } from './types.ts';

/** A record that can be decided, or its faults, as phrases. */
export type ReadAction =
  | { ok: true; value: ActionRequested }
  | { ok: false; fault: { reason: string; remedy: string } };

export type Kills = {
  /** Stops an agent. Its next calls are blocked, and the listeners abort its running calls. */
  kill(agentId: string, reason: string): Promise<void>;
  killAll(reason: string): Promise<void>;
  /** Resolves to false if a kill of everything still stops the agent. */
  revive(agentId: string): Promise<boolean>;
  reviveAll(): Promise<void>;
  isKilled(agentId: string): Promise<boolean>;
  /**
   * Calls the listener after each kill, until the returned function is called. A listener must not throw. A passive
   * listener does not keep the process alive.
   *
   * @param options.agentId the agent of the call that the listener stops. The API key of this agent can be used to read
   * the reason of a kill
   */
  onKill(listener: (kill: Kill) => void, options?: { isPassive?: boolean; agentId?: string }): () => void;
  /**
   * True if listeners may learn of a kill by another process late, or not at all while every listener is passive.
   * Default: false.
   */
  readonly mayMissKills?: boolean;
};

/** The person who answers a question, and the reason. */
export type ApprovalAnswer = { by: string; reason: string; expiresInMs?: number | undefined };

/** The questions to persons about deferred calls. */
export type Approvals = {
  /**
   * Waits until the question of this DEFER is no longer open. Writes no decision. Resolves to false if the question is
   * still open after the time, or when the signal aborts.
   */
  answered(
    decision: Decision,
    waiting: { timeoutMs: number; signal?: AbortSignal | undefined },
  ): Promise<boolean>;
  approve(approvalId: string, answer: ApprovalAnswer): Promise<void>;
  deny(approvalId: string, answer: ApprovalAnswer): Promise<void>;
};

/** The prices that a program itself states for its calls. */
export type Prices = {
  /** Returns the estimate of a call, in micro-dollars. An error blocks the call. */
  estimate(action: Action): number;
  /** Returns the outcome with its actual cost. Null: the cost is unknown, so the reservation stays charged. */
  outcomeOf(action: Action, outcome: RunningOutcome): RunningOutcome | null;
};

export type DecisionPoint = {
  /** Absent if the mandate prices the calls. */
  readonly prices?: Prices;
  /** Returns the fault of a name, as a phrase. Absent if the mode checks names when it decides. */
  nameFault?(name: string): string | null;
  /**
   * Reads the JSON of an `action.requested` record. The returned action is decided, and runs.
   *
   * @param whole the same record before large arguments became digests. Everything except its size is checked
   */
  readAction(json: string, whole: string): ReadAction;
  /** @param record a record that `readAction` returned, perhaps with a higher attempt or another id */
  decide(record: ActionRequested): Promise<Decision>;
  /**
   * For each tool: false if the policies refuse every call of it. Null: this mode cannot tell. Limits do not count. A
   * permitted call must still be decided.
   */
  permits(caller: ToolCaller, tools: readonly AskedTool[]): Promise<(boolean | null)[]>;
  /** Settles an allowed action. `type` is the kind of the action. */
  settle(outcome: Outcome, type: ActionType): Promise<void>;
  readonly kills: Kills;
  readonly approvals: Approvals;
  costOf(agentId: string): Promise<Cost>;
  /** How many calls of the agent were allowed so far. Null: the exact number is unknown. */
  callsOf(agentId: string): Promise<number | null>;
  /** The smallest remaining amount of the agent's budgets, in micro-dollars. Null if no budget limits the agent. */
  remainingBudgetOf(agentId: string): Promise<number | null>;
  /**
   * Adds a mandate that the code states for the agent.
   *
   * @throws MandateError MANDATES_INVALID, SDK_MISUSED
   */
  addMandate(agentId: string, mandate: MandateDocument): void;
  /**
   * Makes an agent the sub-agent of another agent. The sub-agent is allowed no more than its parent, and its calls are
   * charged to both. Absent if the mode itself knows the parent of each agent.
   *
   * @throws MandateError MANDATES_INVALID, SDK_MISUSED
   */
  delegate?(parentId: string, agentId: string, mandate: MandateDocument | undefined): void;
  /** Resolves when all earlier reports have been delivered, or after `timeoutMs`. Never rejects. */
  flush(options?: { timeoutMs?: number }): Promise<void>;
  /** The number of audit records by state. Absent if the mode itself records nothing. */
  auditCounts?(): AuditCounts;
  close(options?: { timeoutMs?: number }): Promise<void>;
};
