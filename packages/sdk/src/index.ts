/**
 * @mandate/sdk: the package that an agent imports. It puts the tools of the agent under a mandate. Each call is decided
 * before it runs, and its outcome is charged afterwards.
 *
 * The life of a call: the SDK makes an action with its own id (create-action.ts). The action is decided (authorize.ts)
 * at the decision point of its mode (decision-point.ts). Local mode uses the same engine, policy and ledger as a plane.
 * The call runs with a lease and an `AbortSignal`, its result may be verified (verify-result.ts), and the outcome
 * settles the charge (start-action.ts). So the SDK decides nothing itself.
 *
 * Promises: a tool runs only after an ALLOW, with exactly the decided arguments. An error of the SDK blocks the call.
 * Every refusal is an error with a code, a reason and a remedy, written for the model to act on. The result of a tool
 * never changes its charge, unless the caller says how to read the cost. After a kill no tool starts, and running tools
 * get the abort signal. Importing the package does nothing: no I/O, no timer, no listener.
 */
import type { DecisionPoint } from './decision-point.ts';
import { optionsFromEnvironment } from './environment.ts';
import { MandateInstance, type MandateOptions, type OpenOptions } from './mandate.ts';
import type { GovernedMemory, MemoryClient, MemoryOptions } from './memory/client.ts';
import { governMemory } from './memory/govern-memory.ts';
import { openPoint } from './modes.ts';
import type { TurnOptions } from './turn/open-turn.ts';
import type { Turn } from './turn/turn.ts';
import { type WrapOptions, type Wrappable, wrapClient } from './wrap-client.ts';

export type { AuditCounts, AuditOutput, AuditRecord, AuditTarget } from './audit/audit-output.ts';
export { fileOutput } from './audit/file-output.ts';
export { planeOutput } from './audit/plane-output.ts';
export { RecordsRefused } from './audit/records-refused.ts';
export { stdoutOutput } from './audit/stdout-output.ts';
export type { AuditOptions } from './audit.ts';
export type { Charge } from './custom-charge.ts';
export { type RecoverOptions, recoverRedis } from './distributed/recover-redis.ts';
export type { RedisStateOptions } from './distributed/redis-options.ts';
export { RedisStateManager } from './distributed/redis-state.ts';
export {
  findMandateError,
  isMandateError,
  MandateBlockedError,
  MandateDeferredError,
} from './errors.ts';
export { type AgentState, evaluate } from './evaluate.ts';
export { loadContentFinders } from './late-finders.ts';
export type { AgentOptions, MandateOptions } from './mandate.ts';
export type {
  GovernedMemory,
  MemoryCallOptions,
  MemoryClient,
  MemoryFacts,
  MemoryOptions,
  MemoryPruning,
  MemorySearch,
  MemoryTarget,
} from './memory/client.ts';
export { readMandate } from './policy.ts';
export type { Scope } from './scope.ts';
export { MemoryStateManager, type StateManager } from './state.ts';
export { templates } from './templates.ts';
export type { TurnOptions } from './turn/open-turn.ts';
export type { MemoryFilter, ReadableStore } from './turn/readable-stores.ts';
export type { Save } from './turn/saves.ts';
export type { ReadRequest, SaveRequest, Turn, TurnIntent, TurnRead, TurnSaves } from './turn/turn.ts';
export type {
  Action,
  Agent,
  AskedAction,
  BlockCode,
  Call,
  CallOptions,
  Cost,
  Decision,
  DeferOptions,
  DeferredQuestion,
  Kill,
  LLMCall,
  MandateDocument,
  Origin,
  RunningAction,
  RunningOutcome,
  RunOptions,
  StandardSchema,
  TokenUsage,
  Tool,
  ToolCall,
  ToolCallOptions,
  Tools,
  Validate,
} from './types.ts';
export type { FnOptions, Wrapped } from './wrap-function.ts';
export type { Executor } from './wrapper.ts';

/** Puts the calls of agents under mandates. The option `mode` says where they are decided. */
export class Mandate extends MandateInstance {
  protected override openPoint(options: OpenOptions): DecisionPoint {
    return openPoint(options);
  }

  /**
   * Returns a client of the same type, and puts its model calls under the mandate. The given client stays as it was.
   *
   * @throws MandateError MANDATES_INVALID, SDK_MISUSED
   */
  wrap<T extends Wrappable>(client: T, options?: WrapOptions<T>): T {
    return wrapClient(client, this, options ?? {});
  }

  /**
   * Asks whether the agent may take the prompt of a person. If it may, returns the turn that the prompt opens: the
   * tools that the model may see, the stores that may be read, and a view of the instance for all calls of the turn.
   *
   * @param text the words of the person, unchanged
   * @param options `principal`: the person
   * @throws MandateBlockedError, MandateDeferredError; MandateError MANDATES_INVALID, SDK_MISUSED
   */
  async turn(text: string, options?: TurnOptions): Promise<Turn<this>> {
    const { openTurn } = await import('./turn/open-turn.ts');
    return openTurn(this, text, options);
  }

  /**
   * Returns the operations of a memory client, each of which is decided before it runs. Where the policy limits turns,
   * wrap the client through a turn: `turn.mandate.memory(store, { client })`.
   *
   * @param store the name of the store in the policy
   * @throws MandateError SDK_MISUSED; its operations throw MandateBlockedError, MandateDeferredError
   */
  memory<C extends MemoryClient>(store: string, options: MemoryOptions<C>): GovernedMemory<C> {
    return governMemory(this, store, options);
  }
}

class DefaultMandate extends Mandate {
  protected override defaults(): MandateOptions {
    return optionsFromEnvironment();
  }
}

/** The default instance. `mandate.configure()` sets its options. The environment states the other options. */
export const mandate: Mandate = new DefaultMandate();
