/**
 * The state that all processes of distributed mode share in one Redis: the ledger, the kill switch, and the spend of
 * each agent. The ledger has its own prefix, so an SDK never touches the ledger of a plane on the same server.
 *
 * The processes get notices of kills by Pub/Sub. After an interruption, the processes read the flags again, so no kill
 * is missed. Times come from Redis. The clock of this process only measures the time since the last answer of Redis.
 */

import { LedgerNotReady, openKillBroadcast, type RedisLedger } from '@mandate/ledger';
import { connectRedis } from '@mandate/ledger/connect-redis';
import { isMandateError, MandateError, openInOrder, type Running, silentLogger } from '@mandate/runtime';
import type { RedisSettings } from '@mandate/runtime/settings';
import { type ActionType, DEFAULTS, type Decision, type Settlement } from '@mandate/schemas';
import { inTime } from '../bounded-wait.ts';
import type { OpenState } from '../engine-point.ts';
import { safely } from '../errors.ts';
import type { Cost, OnError } from '../types.ts';
import { isAccepted, ledgerLost } from './accepted-ledgers.ts';
import { openLedger, prepareLedger } from './begin-ledger.ts';
import { DistributedKills } from './distributed-kills.ts';
import { type RedisStateOptions, settingsOf } from './redis-options.ts';
import { type RedisClient, type Tallies, talliesIn } from './tallies.ts';

type Connected = OpenState & {
  ledger: RedisLedger;
  tallies: Tallies;
  client: RedisClient;
} & Required<Running>;

/** Keeps the state in Redis. It connects at the first call, and again after a failure. */
export class RedisStateManager {
  readonly kills: DistributedKills;
  readonly #settings: RedisSettings;
  readonly #beginsLedger: boolean;
  readonly #onError: OnError;
  #opening: Promise<Connected> | null = null;
  #resuming: Promise<void> | null = null;
  #isClosed = false;
  /** A time of Redis, and `performance.now()` of this process at that moment. */
  #known = { redisMs: 0, atMs: 0 };
  /** The epoch of the ledger in which this process decides, and the sequence of its newest known decision. */
  #trusted = { epoch: '', sequence: 0 };

  constructor(options: RedisStateOptions) {
    this.#settings = settingsOf(options);
    this.#beginsLedger = options.beginsLedger ?? true;
    this.#onError = safely(options.onError);
    this.kills = new DistributedKills(async () => {
      const opened = await this.#opened();
      // If the ledger stays unusable, the kill itself fails and reports this.
      await this.#afterRestart(opened, () => opened.ledger.ping()).catch(() => {});
      return opened.ledger;
    }, this.#onError);
  }

  /** @throws MandateError LEDGER_UNAVAILABLE, within the time limit; LEDGER_LOST */
  open(): Promise<OpenState> {
    return this.#opened();
  }

  async #opened(): Promise<Connected> {
    if (this.#isClosed) throw unavailable('The state is closed.');
    this.#opening ??= this.#connect();
    const opening = this.#opening;
    opening.catch(() => {
      if (this.#opening === opening) this.#opening = null;
    });
    const { REDIS_COMMAND_TIMEOUT_MS: timeoutMs } = this.#settings;
    const opened = await inTime(timeoutMs, opening, () => unavailable('Redis did not answer in time.'));
    await this.#trust(opened);
    return opened;
  }

  /** Runs one decision or settlement. After a restart of Redis that lost nothing, the work runs again. */
  async step<T>(work: (open: OpenState) => Promise<T>): Promise<T> {
    const opened = await this.#opened();
    const done = await this.#afterRestart(opened, () => work(opened));
    // The step may have found another ledger in Redis. Its ALLOW counts only if an operator has accepted the ledger.
    await this.#trust(opened);
    return done;
  }

  async costOf(agentId: string): Promise<Cost> {
    return (await (await this.#opened()).tallies.of(agentId)).cost;
  }

  async callsOf(agentId: string): Promise<number> {
    return (await (await this.#opened()).tallies.of(agentId)).calls;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.kills.stop();
    const opened = await this.#opening?.catch(() => null);
    this.#opening = null;
    await opened?.stop();
  }

  /** If the ledger was not ready, the refused work has changed nothing. So the work can run again. */
  async #afterRestart<T>({ ledger }: Connected, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof LedgerNotReady) || error.why === 'rebuilding') throw error;
      if (error.why !== 'run') throw ledgerLost(error);
      this.#resuming ??= this.#resume(ledger).finally(() => {
        this.#resuming = null;
      });
      await this.#resuming;
      return work();
    }
  }

  async #resume(ledger: RedisLedger): Promise<void> {
    const { epoch, sequence } = this.#trusted;
    // A ledger that begins again counts from 0.
    const sequences = new Map(ledger.epoch === epoch ? [[DEFAULTS.tenant, sequence]] : []);
    try {
      await ledger.resume({ sequences, acceptsLoss: false });
    } catch (error) {
      throw isMandateError(error, 'LEDGER_LOST') ? ledgerLost(error) : error;
    }
  }

  /** Uses another ledger only if an operator has accepted it. */
  async #trust({ ledger, client }: Connected): Promise<void> {
    const { epoch } = ledger;
    if (epoch === this.#trusted.epoch) return;
    const isFirst = this.#trusted.epoch === '';
    if (!isFirst && !(await isAccepted(client, this.#settings.REDIS_NAMESPACE, epoch)))
      throw ledgerLost(otherLedger());
    this.#trusted = { epoch, sequence: 0 };
    if (!isFirst) this.kills.ledgerChanged();
  }

  #connect(): Promise<Connected> {
    const settings = this.#settings;
    return openInOrder(async ({ closing }) => {
      const ledger = closing(await openLedger(settings), (one) => one.close());
      await prepareLedger(ledger, {
        mayBegin: this.#beginsLedger,
        resume: () => this.#resume(ledger),
        // The process cannot distinguish a new Redis from a Redis that lost everything, so it reports the new ledger.
        onBegun: () => this.#onError(begun(settings.REDIS_NAMESPACE)),
      });
      const client = closing(await connectRedis(settings, silentLogger()), async (one) => one.disconnect());
      const tallies = closing(talliesIn(client, settings.REDIS_NAMESPACE), (one) => one.counted());
      this.#known = { redisMs: await tallies.timeMs(), atMs: performance.now() };
      const broadcast = await openKillBroadcast(settings, silentLogger());
      closing(broadcast, (one) => one.close());
      await this.kills.follow(ledger, broadcast);
      // A call does not wait until its cost is added to the tally.
      const count = (...change: Parameters<Tallies['add']>) =>
        void tallies.add(...change).catch(this.#onError);
      const clock = () => Math.floor(this.#known.redisMs + performance.now() - this.#known.atMs);
      return {
        ledger,
        clock,
        client,
        tallies,
        decided: (decision: Decision) => {
          const { kind, verdict, agentId, type, chargedMicros, decidedAt } = decision;
          const { ledgerEpoch, ledgerSequence } = decision;
          if (ledgerEpoch === this.#trusted.epoch)
            this.#trusted.sequence = Math.max(this.#trusted.sequence, ledgerSequence);
          this.#known = { redisMs: Date.parse(decidedAt), atMs: performance.now() };
          if (verdict === 'ALLOW' && kind === 'first')
            count(agentId, { calls: 1, micros: chargedMicros, type });
        },
        settled: ({ agentId, deltaMicros, excessMicros }: Settlement, type: ActionType) =>
          count(agentId, { calls: 0, micros: deltaMicros + excessMicros, type }),
      };
    });
  }
}

function begun(namespace: string): MandateError {
  return new MandateError('LEDGER_BEGUN', `Redis was empty. A new ledger begins under "${namespace}".`, {
    remedy: 'If this is not the first start, Redis has lost what was spent, and all limits count from zero.',
  });
}

function otherLedger(): MandateError {
  return unavailable('Another process has begun a new ledger.');
}

function unavailable(message: string): MandateError {
  const remedy = 'Nothing was allowed, and the call is blocked. Check Redis, then try again.';
  return new MandateError('LEDGER_UNAVAILABLE', message, { remedy, retryable: true });
}
