/** The entry to the SDK: an instance holds the mandates of its agents, and the state that the agents share. */
import { type Clock, MandateError } from '@mandate/runtime';
import { DEFAULTS, plainId, readShape } from '@mandate/schemas';
import { type DecisionPoint, localDecisionPoint } from './decision-point.ts';
import { budgetsOf, MandatesOfAgents, readMandate, readMandateFile } from './policy.ts';
import { type OnError, runAction } from './run-action.ts';
import { MemoryStateManager, type StateManager } from './state.ts';
import type { Cost, Kill, MandateDocument, Tools } from './types.ts';
import { type Executor, executorOf } from './wrapper.ts';

export type MandateOptions = {
  /** The agent of this instance, if a call names no other agent. */
  agentId?: string;
  /**
   * The mandate of the agent as an object, or the path of a mandate file. An object without `agentId` is for every
   * agent. An agent without a mandate may do nothing.
   */
  mandate?: MandateDocument | string;
  /** The state of the agents. Absent: a new state in the memory of this process. */
  state?: StateManager;
  /** The clock of a new state. Absent: the clock of the system. */
  clock?: Clock;
  /** Gets errors that do not stop a call, such as an outcome that could not be settled. Absent: `console.error`. */
  onError?: OnError;
};

type ExecutorOptions<T extends Tools> = {
  /** The agent that calls the tools. Absent: the agent of the instance. */
  agentId?: string;
  /** A further mandate of the agent. It applies to all calls of the agent, together with every other one. */
  mandate?: MandateDocument;
  /** The functions of tools, by name, so that `run` needs no function. */
  tools?: T;
};

type Opened = { mandates: MandatesOfAgents; state: StateManager; point: DecisionPoint };

/** Decides in this process, by the policy and the ledger that a plane uses. Needs no server and no file. */
export class Mandate {
  #options: MandateOptions;
  #opened: Opened | null = null;

  /** @throws MandateError MANDATES_INVALID, FILE_UNREADABLE, SDK_MISUSED */
  constructor(options: MandateOptions = {}) {
    this.#options = options;
    if (options.mandate !== undefined) this.#open();
  }

  /**
   * Sets the options of an instance that was not used yet. Options that are not given keep their values.
   *
   * @throws MandateError MANDATES_INVALID, FILE_UNREADABLE, SDK_MISUSED
   */
  configure(options: MandateOptions): void {
    if (this.#opened !== null) {
      throw misused('This instance is in use, and cannot be configured any more.', {
        remedy: 'Configure the instance before its first use, or create another with `new Mandate(…)`.',
      });
    }
    this.#options = { ...this.#options, ...options };
    if (this.#options.mandate !== undefined) this.#open();
  }

  /** Returns what runs the tools of one agent. Each call is decided first. */
  createExecutor<T extends Tools>(options: ExecutorOptions<T> = {}): Executor<T> {
    const { mandates, point } = this.#open();
    const onError = safely(this.#options.onError);
    const agentId = this.#agent(options.agentId);
    if (options.mandate !== undefined) mandates.state(agentId, readMandate(options.mandate, agentId));
    return executorOf(agentId, options.tools ?? ({} as T), (tool, args, fn, run) =>
      runAction({ call: { agentId, tool, args, options: run }, tool: fn, point, onError }),
    );
  }

  /** Stops an agent: its next calls are blocked, and its running calls are aborted. In force at once. */
  kill(agentId: string, reason: string): Promise<void> {
    return this.#open().state.kills.kill(agentId, reason);
  }

  /** Stops every agent. In force at once. */
  killAll(reason: string): Promise<void> {
    return this.#open().state.kills.killAll(reason);
  }

  /** Lets an agent continue. Resolves to false if a kill of every agent still stops it. */
  revive(agentId: string): Promise<boolean> {
    return this.#open().state.kills.revive(agentId);
  }

  /** Ends a kill of every agent. Agents that were killed one by one stay stopped. */
  reviveAll(): Promise<void> {
    return this.#open().state.kills.reviveAll();
  }

  isKilled(agentId?: string): Promise<boolean> {
    return this.#open().state.kills.isKilled(this.#agent(agentId));
  }

  /** Calls the listener after each kill, until the returned function is called. */
  onKill(listener: (kill: Kill) => void): () => void {
    const onError = safely(this.#options.onError);
    return this.#open().state.kills.onKill((kill) => {
      // An async function is a listener too, and its promise may reject.
      new Promise<void>((resolve) => resolve(listener(kill))).catch(onError);
    });
  }

  /** What the agent has spent so far. */
  async getCost(agentId?: string): Promise<Cost> {
    return this.#open().state.costOf(this.#agent(agentId));
  }

  /** How many calls of the agent were allowed so far. */
  async getCallCount(agentId?: string): Promise<number> {
    return this.#open().state.callsOf(this.#agent(agentId));
  }

  /**
   * What the agent may still spend, in micro-dollars: the least that any of its budgets has left. Null if no budget
   * limits the agent. Negative if a budget is overdrawn. Budgets of a principal count only calls without a principal.
   */
  async getRemainingBudget(agentId?: string): Promise<number | null> {
    const { mandates, state } = this.#open();
    const budgets = budgetsOf(mandates, this.#agent(agentId), state.clock());
    const balances = await state.ledger.balances(DEFAULTS.tenant);
    const left = budgets.map(({ scope, subject, id, windowMs, maxMicros }) => {
      const balance = balances.find(
        ({ budget }) =>
          budget.scope === scope &&
          budget.subject === subject &&
          budget.id === id &&
          budget.windowMs === windowMs,
      );
      return (maxMicros ?? 0) - (balance?.spentMicros ?? 0);
    });
    return left.length === 0 ? null : Math.min(...left);
  }

  /** Ends the instance. Later calls are blocked. A state that was given stays open. */
  async close(): Promise<void> {
    const { state } = this.#open();
    if (this.#options.state === undefined) await state.close();
  }

  #open(): Opened {
    if (this.#opened !== null) return this.#opened;
    const {
      agentId,
      mandate,
      clock,
      state = new MemoryStateManager(clock === undefined ? {} : { clock }),
    } = this.#options;
    if (agentId !== undefined) this.#agent(agentId);
    const file = typeof mandate === 'string' ? readMandateFile(mandate) : [];
    const given = typeof mandate === 'object' ? [readMandate(mandate, agentId ?? null)] : file;
    const mandates = new MandatesOfAgents(given);
    this.#opened = { mandates, state, point: localDecisionPoint(mandates, state) };
    return this.#opened;
  }

  /** Returns the agent that a call names, or the agent of the instance. */
  #agent(named: string | undefined): string {
    const agentId = named ?? this.#options.agentId;
    if (agentId === undefined) {
      throw misused('No agent is named.', {
        remedy: 'State `agentId`, here or in the options of the instance.',
      });
    }
    const read = readShape(plainId, agentId, 1);
    if (read.ok) return agentId;
    throw misused(`The agent cannot be used: agentId ${read.faults[0]?.message}.`, {
      remedy: 'Use 1 to 200 visible characters without *.',
    });
  }
}

function misused(message: string, facts: { remedy: string }): MandateError {
  return new MandateError('SDK_MISUSED', message, facts);
}

/** Returns a handler that never throws, because an error of the handler must not disturb a call. */
function safely(onError: OnError = logError): OnError {
  return (error) => {
    try {
      onError(error);
    } catch (thrown) {
      logError(thrown);
    }
  };
}

function logError(error: unknown): void {
  console.error('mandate:', error);
}
