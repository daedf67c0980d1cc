/** The state of the agents of a process: the ledger with its kill switch, and the spend of each agent. */
import { randomUUID } from 'node:crypto';
import { createMemoryLedger, type Ledger } from '@mandate/ledger';
import { type Clock, monotonic } from '@mandate/runtime';
import type { ActionType, Decision, Settlement } from '@mandate/schemas';
import { KillSwitch } from './kill.ts';
import { steadyClock } from './steady-clock.ts';
import type { Cost } from './types.ts';

/** The state that several instances of `Mandate` may share. */
export type StateManager = {
  readonly clock: Clock;
  readonly ledger: Ledger;
  readonly kills: KillSwitch;
  /** Adds the charge of a decision to the spend of its agent. */
  decided(decision: Decision): void;
  /** Adds the change of an outcome to the spend. `type` is the kind of the action. */
  settled(settlement: Settlement, type: ActionType): void;
  /** The spend of the agent, and the number of its allowed calls. */
  costOf(agentId: string): Cost;
  callsOf(agentId: string): number;
  close(): Promise<void>;
};

type Options = {
  /**
   * The clock of all decisions. Default: the time of the system at the start, and the time that has passed since then.
   * A change of the system's clock moves no window. The clock never runs backwards.
   */
  clock?: Clock;
  /** How long ids and idempotency keys are remembered, in milliseconds. Default: 24 hours. */
  replayMemoryMs?: number;
  /**
   * How many deliveries are remembered at most. A call that ran needs two, a refused call one. Each takes about 375
   * bytes. At the limit, calls are blocked, because an id that is forgotten early could run twice. Default: 500,000.
   */
  mostRemembered?: number;
};

type Tally = { calls: number; llmMicros: number; toolMicros: number };

/** Keeps the state in the memory of this process. The state ends with the process. */
export class MemoryStateManager implements StateManager {
  readonly clock: Clock;
  readonly ledger: Ledger;
  readonly kills: KillSwitch;
  readonly #tallies = new Map<string, Tally>();

  constructor({ clock, mostRemembered = MOST_REMEMBERED, ...limits }: Options = {}) {
    this.clock = clock === undefined ? steadyClock() : monotonic(clock);
    const epoch = `ep_${randomUUID()}`;
    this.ledger = createMemoryLedger({ clock: this.clock, epoch, mostRemembered, ...limits });
    this.kills = new KillSwitch(this.ledger);
  }

  decided({ kind, verdict, agentId, type, chargedMicros }: Decision): void {
    if (verdict !== 'ALLOW' || kind !== 'first') return;
    const tally = this.#tally(agentId);
    tally.calls += 1;
    tally[type === 'llm_call' ? 'llmMicros' : 'toolMicros'] += chargedMicros;
  }

  settled({ agentId, deltaMicros, excessMicros }: Settlement, type: ActionType): void {
    this.#tally(agentId)[type === 'llm_call' ? 'llmMicros' : 'toolMicros'] += deltaMicros + excessMicros;
  }

  costOf(agentId: string): Cost {
    const { llmMicros, toolMicros } = this.#tallies.get(agentId) ?? NOTHING;
    return { totalMicros: llmMicros + toolMicros, llmMicros, toolMicros };
  }

  callsOf(agentId: string): number {
    return (this.#tallies.get(agentId) ?? NOTHING).calls;
  }

  close(): Promise<void> {
    return this.ledger.close();
  }

  #tally(agentId: string): Tally {
    let tally = this.#tallies.get(agentId);
    if (tally === undefined) {
      tally = { ...NOTHING };
      this.#tallies.set(agentId, tally);
    }
    return tally;
  }
}

/** A model that repeats a refused call must not fill the memory of its process. */
const MOST_REMEMBERED = 500_000;

const NOTHING: Readonly<Tally> = { calls: 0, llmMicros: 0, toolMicros: 0 };
