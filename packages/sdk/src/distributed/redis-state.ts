/**
 * What all processes of distributed mode share, in one Redis: the ledger, the kill switch, and what each agent has
 * spent. The ledger has a prefix of its own, so an SDK never touches the ledger of a plane on the same server.
 *
 * The processes hear of kills by Pub/Sub. After an interruption they read the flags again, so no kill is missed.
 * Times come from Redis. The clock of this process only measures how long ago Redis told the time.
 */
import { randomUUID } from 'node:crypto';
import {
  createFold,
  type KillBroadcast,
  type Ledger,
  LedgerNotReady,
  openKillBroadcast,
  openSharedLedger,
  type RedisLedger,
} from '@mandate/ledger';
import { isMandateError, MandateError, silentLogger } from '@mandate/runtime';
import { redisSettings } from '@mandate/runtime/settings';
import { type ActionType, DEFAULTS, type Decision, type Settlement } from '@mandate/schemas';
import type { OnError } from '../audit/audit-output.ts';
import type { Cost } from '../types.ts';
import { DistributedKills } from './distributed-kills.ts';
import { openTallies, type Tallies } from './tallies.ts';
import { within } from './within.ts';

export type RedisStateOptions = {
  /** `redis://…`, `rediss://…`, or `redis+sentinel://…`. */
  url: string;
  /** Begins all keys, with `.sdk` after it. Processes with the same prefix share their limits. Absent: `mandate`. */
  prefix?: string;
  /** The longest wait for Redis, in milliseconds. Then the call is blocked. Absent: 2,000. */
  timeoutMs?: number;
  /** False: accepts a Redis without an append-only file, which forgets what was spent when it restarts. */
  requireAppendOnly?: boolean;
  /** Gets errors that block no call, such as a tally that could not be counted. Absent: `console.error`. */
  onError?: OnError;
};

/** A connected state. */
export type OpenState = { ledger: Ledger; clock: () => number; tallies: Tallies };

/** Keeps the state in Redis. It connects at the first call, and again after a failure. */
export class RedisStateManager {
  readonly kills: DistributedKills;
  readonly #options: RedisStateOptions;
  readonly #timeoutMs: number;
  readonly #onError: OnError;
  #opening: Promise<OpenState & { broadcast: KillBroadcast }> | null = null;
  #isClosed = false;
  /** A time of Redis, and the reading of this process's stopwatch at that moment. */
  #known = { redisMs: 0, atMs: 0 };

  constructor(options: RedisStateOptions) {
    this.#options = options;
    this.#timeoutMs = options.timeoutMs ?? 2_000;
    this.#onError = options.onError ?? ((error) => console.error('mandate:', error));
    this.kills = new DistributedKills(async () => (await this.open()).ledger, this.#onError);
  }

  /** @throws MandateError LEDGER_UNAVAILABLE, within the time limit */
  async open(): Promise<OpenState> {
    if (this.#isClosed) throw unavailable('The state is closed.');
    this.#opening ??= this.#connect();
    const opening = this.#opening;
    opening.catch(() => {
      if (this.#opening === opening) this.#opening = null;
    });
    return within(this.#timeoutMs, opening, 'Redis did not answer in time.');
  }

  /** Counts what a decision charged to its agent. Nobody waits for it. */
  decided({ tallies }: OpenState, decision: Decision): void {
    const { kind, verdict, agentId, type, chargedMicros, decidedAt } = decision;
    this.#known = { redisMs: Date.parse(decidedAt), atMs: performance.now() };
    if (verdict !== 'ALLOW' || kind !== 'first') return;
    tallies.add(agentId, { calls: 1, micros: chargedMicros, type }).catch(this.#onError);
  }

  /** Counts what an outcome changed. `type` is the kind of the action. Nobody waits for it. */
  settled({ tallies }: OpenState, settlement: Settlement, type: ActionType): void {
    const { agentId, deltaMicros, excessMicros } = settlement;
    tallies.add(agentId, { calls: 0, micros: deltaMicros + excessMicros, type }).catch(this.#onError);
  }

  async costOf(agentId: string): Promise<Cost> {
    return (await (await this.open()).tallies.of(agentId)).cost;
  }

  async callsOf(agentId: string): Promise<number> {
    return (await (await this.open()).tallies.of(agentId)).calls;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const opened = await this.#opening?.catch(() => null);
    this.#opening = null;
    opened?.broadcast.close();
    await opened?.tallies.close();
    await opened?.ledger.close();
  }

  async #connect(): Promise<OpenState & { broadcast: KillBroadcast }> {
    const { url, prefix = 'mandate', requireAppendOnly = true } = this.#options;
    const namespace = `${prefix}.sdk`;
    const settings = redisSettings.parse({
      REDIS_URL: url,
      REDIS_NAMESPACE: namespace,
      REDIS_COMMAND_TIMEOUT_MS: this.#timeoutMs,
      REDIS_REQUIRE_APPEND_ONLY: requireAppendOnly,
    });
    const log = silentLogger();
    const ledger = await openSharedLedger(settings, log);
    if (ledger === null) throw unavailable('No Redis is named.');
    try {
      await prepare(ledger);
      const tallies = await openTallies({ url, namespace, timeoutMs: this.#timeoutMs });
      const redisMs = await tallies.timeMs();
      this.#known = { redisMs, atMs: performance.now() };
      const broadcast = await openKillBroadcast(settings, log);
      await this.kills.follow(ledger, broadcast);
      const clock = () => Math.floor(this.#known.redisMs + performance.now() - this.#known.atMs);
      return { ledger, clock, tallies, broadcast };
    } catch (error) {
      await ledger.close();
      throw error;
    }
  }
}

/**
 * Begins the ledger if Redis has none under this prefix. A ledger that Redis lost is not begun again, because its
 * limits would then count from zero.
 */
async function prepare(ledger: RedisLedger): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await ledger.ping();
    } catch (error) {
      if (!(error instanceof LedgerNotReady) || tries >= MOST_TRIES) throw error;
      if (error.lostEpoch !== '') throw lost(error);
      await begin(ledger);
    }
  }
}

const MOST_TRIES = 50;
const RETRY_MS = 20;

async function begin(ledger: RedisLedger): Promise<void> {
  try {
    const rebuild = await ledger.beginRebuild({ epoch: `ep_${randomUUID()}`, lostEpoch: '', leaseMs: 5_000 });
    await rebuild.load(createFold({ replayMemoryMs: DEFAULTS.replayMemoryMs }).state);
    await rebuild.finish();
  } catch (error) {
    // Another process has begun the ledger, or is doing it.
    if (!isMandateError(error)) throw error;
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

function lost(cause: LedgerNotReady): MandateError {
  return new MandateError('LEDGER_UNAVAILABLE', `Redis has lost the ledger: ${cause.message}`, {
    remedy:
      'Every call is blocked, because nobody knows what was spent. To begin with new budgets, use another `redisPrefix`.',
    retryable: false,
    cause,
  });
}

function unavailable(message: string): MandateError {
  const remedy = 'Nothing was decided, and the call is blocked. Check Redis, then try again.';
  return new MandateError('LEDGER_UNAVAILABLE', message, { remedy, retryable: true });
}
