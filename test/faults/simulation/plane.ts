/**
 * The processes of a plane, each a life behind ports that the scheduler owns: deciders that share a ledger, with a gateway
 * beside them, or one process with a ledger of its own (`mandate up`). What they run is the real code; the log and the
 * shared ledger are memory, and outlive them.
 */

import type { Bus } from '@mandate/bus';
import { startDecider } from '@mandate/decider';
import { CommandJournal, kill, LastKills, revive } from '@mandate/gateway';
import type { Ledger, MemoryLedger, Operation, StepResult } from '@mandate/ledger';
import { keepLedger, restoreLedger } from '@mandate/ledger-log';
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
  /** How many share a ledger; 0: one process has its own. */
  deciders: number;
  actionPartitions: number;
  decisionPartitions: number;
  maxBatch: number;
  /** How many of one record lie where their key does not say, as producers with other keys or none put them. */
  astray: number;
  /**
   * Whether a lost ledger comes back on servers with clocks that are wrong by less than is noticed. Then no process says
   * late on the log that an epoch begins: what that may make void stands in ADR 10.
   */
  clocksApart: boolean;
  /** A fold of so many records leaves a snapshot behind. */
  snapshotAfterRecords: number;
  /** How many deliveries of a tenant the ledger remembers. */
  maxRemembered: number;
  mandates: readonly MandateOfFile[];
};

type Snapshots = NonNullable<Parameters<typeof restoreLedger>[0]['snapshots']>;
type Operators = { life: Life; ledger: Ledger; journal: CommandJournal };

const QUIET = silentLogger();
/** What such a gateway sent may arrive at any time. */
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
  /** Why a process ended that should not have. */
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
      onCommit: (_, place, from, to) => checker.onCommit(place, from, to),
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

  /** The ledger in force; null while there is none. */
  get ledger(): MemoryLedger | null {
    return this.shared === null ? this.#own : this.shared.inForce;
  }

  /** What is left to do; null where nothing is. */
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

  /** Has a gateway carry it out; nothing happens where none is there. */
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

  /** A member that is alive is thought dead, and goes on with what it has in hand. */
  expel(): void {
    const members = this.log.members(GROUPS.decider);
    if (members.length > 0) this.log.leave(GROUPS.decider, this.#scheduler.pick(members));
  }

  move(): void {
    const partition = this.#scheduler.below(this.options.actionPartitions);
    this.log.move(GROUPS.decider, { topic: TOPICS.actions, partition });
  }

  /** What the log has in this order, only a ledger that was there before can tell. */
  #outcomeIsEarly(): void {
    if (!this.#scheduler.faulty || this.#scheduler.chance(0.5)) return;
    this.loseLedger('ledger lost behind an early outcome');
  }

  /** Another server takes its place. */
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

  /** Whatever ends, by a crash or by itself, is started again a little later, as by the machine it runs on. */
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
    const keeper = keepLedger({ bus, ledger, clock, log, snapshots, snapshotAfterRecords });
    const decider = await this.#startDecider(life, bus, ledger, keeper.mend);
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

  #startDecider(life: Life, bus: Bus, ledger: Ledger, mend: (error: unknown) => void = () => {}) {
    const { clock, log } = this.#tools(life);
    const { mandates, maxBatch, maxRemembered } = this.options;
    return startDecider({
      bus,
      ledger,
      mend,
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
    // Processes on several machines do not agree on the time.
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
          // Behind what is held up it would be late itself.
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

  /** One file, replaced by the next: who has read its first line may find another by the time it reads on. */
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

/** A ledger in the process: no answer is lost, but the process may die before and after each. */
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

/** What an operator is told, in the place of what was ordered. */
function isAnswer(error: unknown): boolean {
  return isMandateError(error) || error instanceof HttpProblem;
}

const nothing = { inc() {}, set() {}, startTimer: () => () => {} };
/** Counts nothing: a registry for each of so many lives would take longer than they do. */
const NO_METRICS = {
  counter: () => nothing,
  gauge: () => nothing,
  histogram: () => nothing,
  kills: nothing,
  revives: nothing,
} as unknown as Metrics;
