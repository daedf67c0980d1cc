/**
 * The processes of a simulated plane: deciders that share a ledger and a gateway, or one process with its own ledger
 * (`mandate up`). Each process runs the real code, and the scheduler controls all its calls. The log and the shared
 * ledger are in memory, and survive the processes.
 */

import type { Bus } from '@mandate/bus';
import { startDecider } from '@mandate/decider';
import { CommandJournal, kill, LastKills, revive } from '@mandate/gateway';
import type { Ledger, MemoryLedger, Operation, StepResult } from '@mandate/ledger';
import { restoreLedger, superviseLedger } from '@mandate/ledger-log';
import type { MandateOfFile } from '@mandate/policy';
import { mandatesOfFile } from '@mandate/policy';
import { isMandateError, MandateError, silentLogger } from '@mandate/runtime';
import { GROUPS, type KillTarget, TOPICS } from '@mandate/schemas';
import { HttpProblem, type Metrics } from '@mandate/server';
import type { Checker, Order } from './checker.ts';
import { openLog } from './log-client.ts';
import type { LogCall, LogPorts } from './log-ports.ts';
import { MemoryLog } from './memory-log.ts';
import type { Life, Point, Scheduler } from './scheduler.ts';
import {
  type LedgerCall,
  type LedgerPorts,
  type OnStep,
  SharedLedger,
  unavailable,
} from './shared-ledger.ts';

export type PlaneOptions = {
  /** The number of deciders that share a ledger. If 0, one process has its own ledger. */
  deciders: number;
  actionPartitions: number;
  decisionPartitions: number;
  maxBatch: number;
  /**
   * The share of records that are not in the partition of their key. Producers that use other keys, or no keys, put
   * records into other partitions.
   */
  astray: number;
  /**
   * If true, a lost ledger comes back on a server with a wrong clock. The clock is wrong by too little to be noticed.
   * Then no process announces an epoch late on the log, because ADR 10 says what a late epoch can make void.
   */
  clocksApart: boolean;
  /** A snapshot is saved each time after this number of records. */
  snapshotAfterRecords: number;
  /** How many deliveries of a tenant the ledger can remember. */
  maxRemembered: number;
  mandates: readonly MandateOfFile[];
};

type Snapshots = NonNullable<Parameters<typeof restoreLedger>[0]['snapshots']>;
type Operators = { life: Life; ledger: Ledger; journal: CommandJournal };

const QUIET = silentLogger();
/** The time for an order that never gets an answer. The order may still take effect at any time. */
const NEVER = Number.MAX_SAFE_INTEGER;
const SESSION_MS = 10_000;
const RESTART_MS = 5_000;
const BEFORE_STEP = 'crash before the step';
const BEFORE_PUBLISH = 'crash between step and publish';
const BEFORE_COMMIT = 'crash between publish and commit';
const AFTER_COMMIT = 'crash after the commit';
const REBUILDING = 'crash in a rebuild';
const OPERATING = 'crash of a gateway at work';

const LEDGER_GAPS: Partial<Record<LedgerCall, Point['gaps']>> = {
  step: [BEFORE_STEP, BEFORE_PUBLISH],
  confirm: [BEFORE_COMMIT, BEFORE_COMMIT],
  operate: [OPERATING, OPERATING],
  begin: [REBUILDING, REBUILDING],
  renew: [REBUILDING, REBUILDING],
  load: [REBUILDING, REBUILDING],
  finish: [REBUILDING, REBUILDING],
};

export class Plane {
  readonly log: MemoryLog;
  readonly shared: SharedLedger | null;
  readonly orders: (Order & { life: Life })[] = [];
  /** The errors of processes that ended, although they should not have ended. */
  readonly ended: unknown[] = [];
  readonly #scheduler: Scheduler;
  readonly options: PlaneOptions;
  #own: MemoryLedger | null = null;
  #operators: Operators | null = null;
  #snapshot: string[] | null = null;

  constructor(scheduler: Scheduler, checker: Checker, options: PlaneOptions) {
    const clock = () => scheduler.nowMs;
    this.#scheduler = scheduler;
    this.options = options;
    this.log = new MemoryLog({
      partitionsOf: (topic) =>
        topic === TOPICS.actions ? options.actionPartitions : options.decisionPartitions,
      clock,
      splitsAppends: options.deciders > 0,
      onAppend: (record) => {
        const { early } = checker;
        checker.onAppend(record);
        if (checker.early > early) this.#outcomeIsEarly();
      },
      onCommit: (_, topicPartition, from, to) => checker.onCommit(topicPartition, from, to),
    });
    const onStep = (batch: readonly Operation[], results: readonly StepResult[]) =>
      checker.onStep(batch, results, scheduler.steps);
    this.shared = options.deciders > 0 ? new SharedLedger(clock, onStep) : null;
    if (this.shared === null) this.#start('plane', (life) => this.#liveAlone(life, onStep));
    else {
      for (let n = 0; n < options.deciders; n += 1) this.#start(`decider ${n}`, (life) => this.#decide(life));
      this.#start('gateway', (life) => this.#listen(life));
    }
  }

  /** Returns the ledger in force, or null if there is none. */
  get ledger(): MemoryLedger | null {
    return this.shared === null ? this.#own : this.shared.inForce;
  }

  /** Returns a description of the work that is left, or null if no work is left. */
  waitsFor(): string | null {
    const { ledger } = this;
    const operators = this.#operators;
    if (this.#scheduler.late > 0) return 'calls that are late';
    if (ledger === null) return 'a ledger';
    if (operators?.life.alive !== true) return 'a gateway';
    if (operators.journal.unlogged > 0) return 'commands that are not on the log';
    if (this.orders.some(({ endedAt }) => endedAt === Number.POSITIVE_INFINITY))
      return 'orders that are not answered';
    if (this.#behind()) return 'requests that are not committed';
    const unpublished = [...ledger.state().tenants.values()].some((tenant) => tenant.unpublished.size > 0);
    return unpublished ? 'answers that are not published' : null;
  }

  /** Gives the order to a gateway. Does nothing if there is no gateway. */
  order(what: Order['do'], id: string, target: KillTarget): void {
    const operators = this.#operators;
    if (operators?.life.alive !== true) return;
    const { life, ledger, journal } = operators;
    const before = this.orders.find((order) => order.id === id);
    const startedAt = before?.startedAt ?? this.#scheduler.steps;
    const order: Order & { life: Life } = {
      do: what,
      id,
      life,
      target,
      startedAt,
      endedAt: Infinity,
      acknowledged: null,
    };
    this.orders.push(order);
    const command = { id, by: 'operator', reason: 'because' };
    const clock = () => this.#scheduler.nowMs;
    const controlRevision = () => 0;
    const [lastKills, measures] = [new LastKills(), NO_METRICS as never];
    const gateway = { ledger, journal, clock, log: QUIET, measures, controlRevision, lastKills };
    this.#scheduler.post(life, async () => {
      try {
        if (what === 'kill') order.acknowledged = await kill(gateway, target, command);
        else await revive(gateway, target, command);
      } catch (error) {
        if (!isAnswer(error)) this.ended.push(error);
      }
      order.endedAt = this.#scheduler.steps;
    });
  }

  /** Removes a live member from the group, as if the member were dead. The member continues with its batch. */
  expel(): void {
    const members = this.log.members(GROUPS.decider);
    if (members.length > 0) this.log.leave(GROUPS.decider, this.#scheduler.pick(members));
  }

  move(): void {
    const partition = this.#scheduler.below(this.options.actionPartitions);
    this.log.move(GROUPS.decider, { topic: TOPICS.actions, partition });
  }

  /**
   * Is called when the log has an outcome before its decision. Only the current ledger knows which of them came
   * first. So this is a good moment to lose the ledger.
   */
  #outcomeIsEarly(): void {
    if (!this.#scheduler.faulty || this.#scheduler.chance(0.5)) return;
    this.loseLedger('ledger lost behind an early outcome');
  }

  /** Loses the ledger: another server replaces the ledger's server. */
  loseLedger(what: string): void {
    if (this.shared === null) return;
    this.#scheduler.count(what);
    const { clocksApart } = this.options;
    const aheadMs = clocksApart ? this.#scheduler.pick([0, -50, -2_000, -50_000, 2_000, 50_000]) : 0;
    if (aheadMs < 0) this.#scheduler.count('clock of the ledger behind');
    this.shared.lose(aheadMs);
  }

  #behind(): boolean {
    return this.log
      .ranges(TOPICS.actions)
      .some(
        ({ topic, partition, endOffset }) =>
          this.log.position(GROUPS.decider, { topic, partition }) < endOffset,
      );
  }

  /** Starts a process. If the process crashes or ends, it is started again a little later, as a supervisor does. */
  #start(process: string, live: (life: Life) => Promise<void>): void {
    const scheduler = this.#scheduler;
    const life: Life = {
      process,
      alive: true,
      onDeath: () => {
        for (const order of this.orders)
          if (order.life === life && order.endedAt === Infinity) order.endedAt = NEVER;
        scheduler.after(scheduler.below(SESSION_MS), null, () => {
          for (const member of this.log.members(GROUPS.decider))
            if (member.owner === life) this.log.leave(GROUPS.decider, member);
        });
        scheduler.after(scheduler.below(RESTART_MS), null, () => this.#start(process, live));
      },
    };
    scheduler.post(life, async () => {
      try {
        await live(life);
      } catch (error) {
        if (!(isMandateError(error) && error.retryable)) this.ended.push(error);
        scheduler.crash(life, 'process ended by itself');
      }
    });
  }

  async #decide(life: Life): Promise<void> {
    const { bus, clock, log, snapshots } = this.#tools(life);
    const { snapshotAfterRecords } = this.options;
    const ledger = this.#shared().open(this.#ledgerPorts(life));
    await ledger.ping().catch(() => {});
    const keeper = superviseLedger({ bus, ledger, clock, log, snapshots, snapshotAfterRecords });
    const decider = await this.#startDecider(life, bus, ledger, keeper.requestRebuild);
    await Promise.race([decider.finished, keeper.finished]);
  }

  async #listen(life: Life): Promise<void> {
    const { bus, log } = this.#tools(life);
    const ledger = this.#shared().open(this.#ledgerPorts(life));
    await ledger.ping().catch(() => {});
    this.#operators = { life, ledger, journal: new CommandJournal({ bus, log, maxUnlogged: 100 }) };
  }

  async #liveAlone(life: Life, onStep: OnStep): Promise<void> {
    const { bus, clock, log, snapshots } = this.#tools(life);
    const { snapshotAfterRecords } = this.options;
    this.#own = null;
    const restored = await restoreLedger({ bus, clock, log, snapshots, snapshotAfterRecords });
    this.#own = restored.ledger;
    const ledger = behindPorts(restored.ledger, this.#ledgerPorts(life), onStep);
    this.#operators = { life, ledger, journal: new CommandJournal({ bus, log, maxUnlogged: 100 }) };
    const decider = await this.#startDecider(life, bus, ledger);
    await decider.finished;
  }

  #startDecider(life: Life, bus: Bus, ledger: Ledger, requestRebuild: (error: unknown) => void = () => {}) {
    const { clock, log } = this.#tools(life);
    const { mandates, maxBatch, maxRemembered } = this.options;
    return startDecider({
      bus,
      ledger,
      requestRebuild,
      control: () => mandatesOfFile(mandates, 1),
      redact: (action) => action,
      clock,
      deadlines: true,
      maxRemembered: () => maxRemembered,
      log,
      metrics: NO_METRICS,
      maxBatch,
    });
  }

  #tools(life: Life) {
    // How far the clock of this process differs from the clocks of others, as on several machines.
    const apartMs = this.#scheduler.pick([1_000, 1_000, 60_000]);
    const skewMs = this.shared === null ? 0 : this.#scheduler.below(apartMs) - apartMs / 2;
    const clock = () => this.#scheduler.nowMs + skewMs;
    return {
      bus: openLog(this.log, this.#logPorts(life)),
      clock,
      log: QUIET,
      snapshots: this.#snapshots(life),
    };
  }

  #shared(): SharedLedger {
    if (this.shared === null) throw new Error('nothing is shared');
    return this.shared;
  }

  #logPorts(life: Life): LogPorts {
    const scheduler = this.#scheduler;
    const error = () =>
      new MandateError('BUS_UNAVAILABLE', 'the log is away', { remedy: 'wait', retryable: true });
    const pointOf = (what: LogCall): Point => {
      switch (what.do) {
        case 'append': {
          const line = `append ${what.topic} ${what.partition}`;
          if (life.process === 'gateway')
            return { name: line, error, gaps: [OPERATING, OPERATING], behind: line };
          const gaps = what.named
            ? ([REBUILDING, REBUILDING] as const)
            : ([BEFORE_PUBLISH, BEFORE_COMMIT] as const);
          // A punctual append does not wait for a delayed append, because it would then be late itself.
          const punctual = what.named && this.options.clocksApart;
          return punctual ? { name: line, error, gaps, punctual } : { name: line, error, gaps, behind: line };
        }
        case 'commit':
          return { name: 'commit', error, gaps: [BEFORE_COMMIT, AFTER_COMMIT] };
        case 'heartbeat':
          return { name: what.do, error };
        case 'look':
          return { name: what.do, error, punctual: this.options.clocksApart };
        default:
          return { name: what.do };
      }
    };
    return {
      owner: life,
      call: (what, effect) => scheduler.call(life, pointOf(what), effect),
      post: (run) => scheduler.post(life, run),
      sleep: (ms, signal) => scheduler.sleep(life, ms, signal),
    };
  }

  #ledgerPorts(life: Life): LedgerPorts {
    const lost = this.shared === null ? {} : { error: () => unavailable('The server does not answer.') };
    return {
      call: (what, effect) => {
        const gaps = LEDGER_GAPS[what];
        const punctual = this.options.clocksApart && (what === 'begin' || what === 'renew');
        return this.#scheduler.call(life, { name: what, ...lost, ...(gaps && { gaps }), punctual }, effect);
      },
    };
  }

  /**
   * There is only one snapshot file, which each new snapshot replaces. So after a reader has read the first line, the
   * file may be another one.
   */
  #snapshots(life: Life): Snapshots {
    const call = <T>(name: string, effect: () => T) => this.#scheduler.call(life, { name }, effect);
    const held = () => this.#snapshot ?? [];
    const lines = async function* () {
      yield* await call('read snapshot', held);
    };
    return {
      async *newestFirst() {
        const { length } = await call('look for snapshot', held);
        if (length > 0)
          yield { name: 'snapshot', head: () => call('read head', () => held()[0] ?? ''), lines };
      },
      save: async (given) => {
        const whole = [...given];
        await call('save snapshot', () => {
          this.#snapshot = whole;
        });
        return { name: 'snapshot', bytes: 0 };
      },
    };
  }
}

/**
 * Returns the ledger of one process, with calls that the scheduler controls. No answer is lost, but the process may
 * die before and after each call.
 */
function behindPorts(ledger: MemoryLedger, { call }: LedgerPorts, onStep: OnStep): Ledger {
  const through =
    <A extends unknown[], R>(what: LedgerCall, act: (...args: A) => Promise<R>) =>
    async (...args: A) =>
      await call(what, () => act(...args));
  return {
    ...ledger,
    step: through('step', async (batch: readonly Operation[]) => {
      const results = await ledger.step(batch);
      onStep(batch, results);
      return results;
    }),
    confirm: through('confirm', ledger.confirm),
    kill: through('operate', ledger.kill),
    revive: through('operate', ledger.revive),
    revived: through('operate', ledger.revived),
    flag: through('operate', ledger.flag),
    killed: through('operate', ledger.killed),
  };
}

/** True if an operator may get this error as an answer. */
function isAnswer(error: unknown): boolean {
  return isMandateError(error) || error instanceof HttpProblem;
}

const nothing = { inc() {}, set() {}, startTimer: () => () => {} };
/**
 * Metrics that count nothing. With a real registry for each of the many processes, the simulation would take much
 * longer.
 */
const NO_METRICS = {
  counter: () => nothing,
  gauge: () => nothing,
  histogram: () => nothing,
  kills: nothing,
  revives: nothing,
} as unknown as Metrics;
