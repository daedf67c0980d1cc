/** The entry to the SDK: an instance puts agents under their mandates, in the mode that its options choose. */
import type { Clock } from '@mandate/runtime';
import { CALL_CAPS } from '@mandate/schemas/core';
import type { AuditCounts, AuditTarget } from './audit/audit-output.ts';
import type { AuditOptions } from './audit.ts';
import { type CallKey, callKeyOf } from './call-key.ts';
import type { Charge } from './custom-charge.ts';
import type { ApprovalAnswer, DecisionPoint } from './decision-point.ts';
import type { RedisStateManager } from './distributed/redis-state.ts';
import { callHandler, instanceClosed, misused, safely } from './errors.ts';
import { Memo } from './memo.ts';
import type { PlaneOptions } from './plane/plane-options.ts';
import { runTool } from './run-tool.ts';
import { NO_SCOPE, type Scope, scopedCall, scopedOptions } from './scope.ts';
import { askAction, cancel, startAction } from './start-action.ts';
import type { StateManager } from './state.ts';
import type {
  Agent,
  AskedTool,
  Call,
  CallOptions,
  Cost,
  DeferOptions,
  DeferredQuestion,
  Kill,
  MandateDocument,
  OnError,
  ToolCaller,
  Tools,
} from './types.ts';
import { type AnyFunction, type FnOptions, type Wrapped, wrapFunction } from './wrap-function.ts';
import { type Executor, executorOf, type ToolOptions } from './wrapper.ts';

export type MandateOptions = PlaneOptions &
  DeferOptions & {
    /**
     * Where actions are decided. Default: `local`, in this process. `distributed`: in this process, with the state in
     * Redis. `plane`: by a plane.
     */
    mode?: 'local' | 'distributed' | 'plane';
    /** The Redis of distributed mode: `redis://…`. All processes with this Redis and prefix share their limits. */
    redis?: string;
    /** The beginning of all keys in Redis. Default: `mandate`. */
    redisPrefix?: string;
    /** The agent of this instance, if a call names no other agent. */
    agentId?: string;
    /**
     * The mandate of the agent as an object, or the path of a mandate file. If these options name no `agentId`, and the
     * object no `agents`, the object applies to every agent. An agent without a mandate may do nothing.
     */
    mandate?: MandateDocument | string;
    /**
     * The run of calls that state a `callId`, but no run. Default: a new id. After a restart, state the same id again.
     */
    runId?: string;
    /**
     * Computes the cost of a call, in micro-dollars: the estimate before the call, and the actual cost with the
     * outcome. Only local mode has this option. If the function fails before the call, the call is blocked.
     */
    charge?: Charge;
    /** The state of the agents. Default: a new state in the memory of this process, or in `redis`. */
    state?: StateManager | RedisStateManager;
    /** The clock of a new state. Default: a clock that does not follow changes of the system's clock. */
    clock?: Clock;
    /**
     * Where decisions and settlements are recorded. By default, nothing is recorded. With an object, waiting records
     * can survive a restart (`spillFolder`). Plane mode has no such option, because the plane records them.
     */
    audit?: readonly AuditTarget[] | AuditOptions;
    /**
     * Is called with errors that do not stop a call, such as an outcome that could not be settled. Default:
     * `console.error`.
     */
    onError?: OnError;
  };

export type AgentOptions = {
  /** Default: the agent of the instance. */
  agentId?: string;
  /** An additional mandate of the agent. It applies to all calls of the agent, together with all its other mandates. */
  mandate?: MandateDocument;
};

/** The options with which a decision point is opened. `onError` never throws. */
export type OpenOptions = MandateOptions & { onError: OnError };

type ExecutorOptions<T extends Tools> = AgentOptions & {
  /** The functions of tools, by name, so that `run` needs no function. */
  tools?: T;
  /** Checks of the results of these tools, by name. Options of a call replace them. */
  toolOptions?: ToolOptions<T>;
};

/** The parts of an instance that all its views share. */
type Shared = {
  options: MandateOptions;
  point: DecisionPoint | null;
  memo: Memo | null;
  isClosed: boolean;
};

/**
 * Uses only the port of decision points. A subclass opens the decision point of a mode, so a program loads no other
 * mode.
 */
export abstract class MandateInstance {
  #shared: Shared;
  #isView = false;
  #scope: Scope = NO_SCOPE;
  /** The agent of this view, if the view has its own. */
  #viewed: string | undefined = undefined;

  /** @throws MandateError MANDATES_INVALID, FILE_UNREADABLE, SDK_MISUSED */
  constructor(options: MandateOptions = {}) {
    this.#shared = { options, point: null, memo: null, isClosed: false };
    if (options.mandate !== undefined) this.#open();
  }

  /** @throws MandateError MANDATES_INVALID, FILE_UNREADABLE, SDK_MISUSED */
  protected abstract openPoint(options: OpenOptions): DecisionPoint;

  /** Returns the options for an instance that was not configured. Called once, at the first use of the instance. */
  protected defaults(): MandateOptions {
    return {};
  }

  /**
   * Sets the options of an instance that is not used yet. Options that are not given keep their values.
   *
   * @throws MandateError MANDATES_INVALID, FILE_UNREADABLE, SDK_MISUSED
   */
  configure(options: MandateOptions): void {
    const shared = this.#shared;
    if (shared.point !== null || this.#isView) {
      throw misused(
        'This instance is in use, and can no longer be configured.',
        'Configure it before its first use, or create another instance.',
      );
    }
    shared.options = { ...shared.options, ...options };
    if (shared.options.mandate !== undefined) this.#open();
  }

  /**
   * Returns a view of this instance. Each call that is made through the view has the fields of the scope. `agentId` is
   * the agent of calls that name no agent. Everything else, such as kills and costs, is shared.
   */
  with({ agentId = this.#viewed, ...scope }: Scope & { agentId?: string | undefined }): this {
    return this.#view(scopedOptions(this.#scope, scope as Partial<CallOptions>), agentId);
  }

  /**
   * Returns a view for a sub-agent of the agent of this instance. The sub-agent is allowed no more than its parent, and
   * its calls are charged to the budgets of both. In plane mode the plane knows the parent and the mandate of each
   * registered agent, so no mandate may be stated.
   *
   * @throws MandateError MANDATES_INVALID, SDK_MISUSED
   */
  delegate({ agentId, mandate }: { agentId: string; mandate?: MandateDocument }): this {
    const point = this.#open();
    const [parent, child] = [this.#agent(), this.#agent(agentId)];
    if (point.delegate !== undefined) point.delegate(parent, child, mandate);
    else if (mandate !== undefined) {
      throw misused(
        `The mandate of the sub-agent "${child}" is stated in the code.`,
        'Register the sub-agent with its parent at the plane, and leave `mandate` out.',
      );
    }
    return this.#view(this.#scope, child);
  }

  /**
   * Returns a function with the same parameters. Each call is decided before it runs.
   *
   * @throws MandateError SDK_MISUSED; the returned function throws what `run` of an executor throws
   */
  fn<F extends AnyFunction>(name: string, f: F, options: FnOptions<F> = {}): Wrapped<F> {
    const { agentId } = options;
    let executor: Executor | null = null;
    return wrapFunction(name, f, options, async (tool, args, work, run) => {
      // A function is often wrapped before the instance is configured.
      executor ??= this.createExecutor(agentId === undefined ? {} : { agentId });
      return executor.run(tool, args as never, work, run);
    });
  }

  /** Wraps functions by name, as `fn` does. */
  tools<T extends Readonly<Record<string, AnyFunction>>>(
    functions: T,
    options: { [Name in keyof T]?: FnOptions<T[Name]> } = {},
  ): { [Name in keyof T]: Wrapped<T[Name]> } {
    const wrapped = Object.entries(functions).map(([name, f]) => [
      name,
      this.fn(name, f, options[name as keyof T] as FnOptions),
    ]);
    return Object.fromEntries(wrapped) as { [Name in keyof T]: Wrapped<T[Name]> };
  }

  /**
   * Returns an agent that starts calls one by one. Adapters use it. Use `createExecutor` for tools.
   *
   * @throws MandateError MANDATES_INVALID, SDK_MISUSED
   */
  agent(options: AgentOptions = {}): Agent {
    const agentId = this.#agent(options.agentId);
    if (options.mandate !== undefined) this.#open().addMandate(agentId, options.mandate);
    const starting = (stated: Call) => {
      const call = scopedCall(this.#scope, stated);
      const callKey = this.#callKey(agentId, call);
      return {
        agentId,
        call,
        point: this.#opened(),
        onError: this.#onError(),
        deferring: this.#shared.options,
        remembered: callKey && { memo: this.#memory(), callKey },
      };
    };
    return {
      agentId,
      start: async (call) => startAction(starting(call)),
      ask: async (call) => askAction(starting(call)),
    };
  }

  /**
   * Returns an executor for the tools of one agent. It runs a tool only after the call is allowed.
   *
   * @throws MandateError MANDATES_INVALID, SDK_MISUSED
   */
  createExecutor<T extends Tools>(options: ExecutorOptions<T> = {}): Executor<T> {
    const agent = this.agent(options);
    const { tools = {} as T, toolOptions } = options;
    return executorOf(agent.agentId, { tools, toolOptions }, (name, args, fn, stated) => {
      const run = scopedOptions(this.#scope, stated);
      const callKey = this.#callKey(agent.agentId, { type: 'tool_call', tool: name, args, options: run });
      const work = () => runTool(agent, { name, args, fn, options: run, onError: this.#onError() });
      return callKey === null ? work() : this.#memory().once(callKey, work);
    });
  }

  /**
   * For each tool: false if the policies refuse every call of it. Null: this mode cannot tell. Use it to show a model
   * only tools that it may call. Limits do not count, and a permitted call must still be decided.
   *
   * @param caller `agentId`: default, the agent of the instance
   * @throws MandateError PLANE_UNAVAILABLE, or with the code of the refusal
   */
  async permits(
    tools: readonly AskedTool[],
    { agentId, ...caller }: Partial<ToolCaller> = {},
  ): Promise<(boolean | null)[]> {
    const { principal, context } = scopedOptions(this.#scope, caller as CallOptions);
    const stated = { ...(principal && { principal }), ...(context && { context }) };
    return this.#open().permits({ ...caller, ...stated, agentId: this.#agent(agentId) }, tools);
  }

  /**
   * Stops an agent and its sub-agents: their next calls are blocked, and their running calls are aborted. In force at
   * once.
   */
  kill(agentId: string, reason: string): Promise<void> {
    return this.#noted((kills) => kills.kill(agentId, reason));
  }

  /** Stops every agent. In force at once. */
  killAll(reason: string): Promise<void> {
    return this.#noted((kills) => kills.killAll(reason));
  }

  /** Lets an agent continue. Resolves to false if a kill of every agent still stops it. */
  revive(agentId: string): Promise<boolean> {
    return this.#noted((kills) => kills.revive(agentId));
  }

  /** Ends a kill of every agent. Agents that were killed one by one stay stopped. */
  reviveAll(): Promise<void> {
    return this.#noted((kills) => kills.reviveAll());
  }

  /**
   * Approves a deferred call, once and with exactly its arguments. In plane mode this needs a key with the scope
   * `operate`, and the plane records the holder of the key instead of `by`.
   *
   * @param question the error of the call, or its `approvalId`
   * @throws MandateError APPROVAL_NOT_FOUND, APPROVAL_NOT_WAITING
   */
  async approve(question: DeferredQuestion | string, answer: Partial<ApprovalAnswer> = {}): Promise<void> {
    const { by = 'sdk', reason = 'approved', expiresInMs } = answer;
    const isOfPolicy = typeof question !== 'string' && expiresInMs === undefined;
    const lasts = isOfPolicy ? question.decision?.deferral?.grantMs : expiresInMs;
    return this.#open().approvals.approve(idOf(question), { by, reason, expiresInMs: lasts });
  }

  /** Denies a deferred call. The same applies as to `approve`. */
  async deny(
    question: DeferredQuestion | string,
    { by = 'sdk', reason = 'denied' }: Partial<Omit<ApprovalAnswer, 'expiresInMs'>> = {},
  ): Promise<void> {
    return this.#open().approvals.deny(idOf(question), { by, reason });
  }

  async isKilled(agentId?: string): Promise<boolean> {
    return this.#open().kills.isKilled(this.#agent(agentId));
  }

  /** Calls the listener after each kill, until the returned function is called. */
  onKill(listener: (kill: Kill) => void): () => void {
    const onError = this.#onError();
    const handling = new Set<string>();
    return this.#open().kills.onKill((kill) => {
      // A listener may kill too. It is not called again for the target that it is handling.
      const target = JSON.stringify([kill.agentId, kill.target]);
      if (handling.has(target)) return;
      handling.add(target);
      void callHandler(listener, kill, onError).finally(() => handling.delete(target));
    });
  }

  /**
   * The spend of the agent so far. In plane mode, the total contains the spend of its sub-agents, as far as it counts
   * in its `maxCostTotal`. With such spend, the parts are null. In the other modes, the calls of sub-agents count only
   * for the sub-agents.
   */
  async getCost(agentId?: string): Promise<Cost> {
    return this.#open().costOf(this.#agent(agentId));
  }

  /** How many calls of the agent were allowed so far. Null if the plane does not know the exact number now. */
  async getCallCount(agentId?: string): Promise<number | null> {
    return this.#open().callsOf(this.#agent(agentId));
  }

  /**
   * The remaining budget of the agent, in micro-dollars: the smallest remaining amount of its budgets. Null if no
   * budget limits the agent. Negative if a budget is overdrawn. Budgets of a principal count only calls without a
   * principal.
   */
  async getRemainingBudget(agentId?: string): Promise<number | null> {
    return this.#open().remainingBudgetOf(this.#agent(agentId));
  }

  /**
   * Resolves when all earlier reports have been delivered, or after `timeoutMs` (default: 5 seconds). `getAuditCounts`
   * counts the records that were not delivered.
   */
  async flush(options?: { timeoutMs?: number }): Promise<void> {
    await this.#shared.point?.flush(options);
  }

  /** The number of audit records by state, summed over all outputs. */
  getAuditCounts(): AuditCounts {
    return this.#shared.point?.auditCounts?.() ?? { written: 0, waiting: 0, spilled: 0, lost: 0 };
  }

  /** Flushes, and ends the instance. Later calls are blocked, and other functions throw. A state from the options stays open. */
  async close(options?: { timeoutMs?: number }): Promise<void> {
    const point = this.#opened();
    this.#shared.point = { ...point, decide: refuseAsClosed };
    this.#shared.isClosed = true;
    await point.close(options);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #open(): DecisionPoint {
    if (this.#shared.isClosed) throw instanceClosed();
    return this.#opened();
  }

  /** Running calls of a closed instance still settle, and later calls are blocked. */
  #opened(): DecisionPoint {
    const shared = this.#shared;
    if (shared.point !== null) return shared.point;
    const options = { ...this.defaults(), ...shared.options };
    if (options.agentId !== undefined) checkAgent(options.agentId);
    const point = this.openPoint({ ...options, onError: safely(options.onError) });
    // An instance that could not be opened can still be configured.
    shared.options = { ...options, runId: options.runId ?? `run_${crypto.randomUUID()}` };
    shared.point = point;
    return point;
  }

  #memory(): Memo {
    const shared = this.#shared;
    if (shared.memo !== null) return shared.memo;
    const point = this.#opened();
    const memo = new Memo((decision) => cancel(point, decision, this.#onError()));
    point.kills.onKill((kill) => void memo.killed(kill), { isPassive: true });
    shared.memo = memo;
    return memo;
  }

  #callKey(agentId: string, call: Call): CallKey | null {
    return callKeyOf(agentId, call, this.#shared.options.runId ?? '');
  }

  #onError(): OnError {
    return safely(this.#shared.options.onError);
  }

  #view(scope: Scope, agentId: string | undefined): this {
    const View = this.constructor as new () => this;
    const view = new View();
    view.#shared = this.#shared;
    view.#isView = true;
    view.#scope = scope;
    view.#viewed = agentId;
    return view;
  }

  /**
   * Also passes an error of a kill to `onError`. If the caller does not wait for the promise, the error must be
   * reported and must not end the process.
   */
  #noted<T>(work: (kills: DecisionPoint['kills']) => Promise<T>): Promise<T> {
    const change = (async () => work(this.#open().kills))();
    change.catch(this.#onError());
    return change;
  }

  /** Returns the agent that a call names, or the agent of the instance. */
  #agent(named?: string): string {
    const point = this.#open();
    const agentId = named ?? this.#viewed ?? this.#shared.options.agentId;
    if (agentId === undefined) {
      throw misused('No agent is named.', 'State `agentId`, here or in the options of the instance.');
    }
    checkAgent(agentId, point.nameFault);
    return agentId;
  }
}

/** @throws MandateError SDK_MISUSED */
function checkAgent(agentId: unknown, nameFault: DecisionPoint['nameFault'] = () => null): void {
  const fault = agentFault(agentId) ?? nameFault(agentId as string);
  if (fault === null) return;
  throw misused(`The agent cannot be used: agentId ${fault}.`, 'Use 1 to 200 visible characters without *.');
}

/** Returns the fault of an agent's id, as a phrase. Null if there is none. */
function agentFault(agentId: unknown): string | null {
  if (typeof agentId !== 'string') return 'must be a text';
  if (agentId.length === 0 || agentId.length > CALL_CAPS.idUnits)
    return `must have 1 to ${CALL_CAPS.idUnits} characters`;
  return agentId.includes('*') ? 'must not contain *' : null;
}

async function refuseAsClosed(): Promise<never> {
  throw instanceClosed();
}

function idOf(question: DeferredQuestion | string): string {
  return typeof question === 'string' ? question : question.approvalId;
}
