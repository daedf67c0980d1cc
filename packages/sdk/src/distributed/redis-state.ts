/**
 * What all processes of distributed mode share, in one Redis: the ledger, the kill switch, and what each agent has
 * spent. The ledger has a prefix of its own, so an SDK never touches the ledger of a plane on the same server.
 *
 * The processes get notices of kills by Pub/Sub. After an interruption they read the flags again, so no kill is missed.
 * Times come from Redis. The clock of this process only measures the time since the last time of Redis.
 */
import { randomUUID } from 'node:crypto';
import {
  createFold,
  LedgerNotReady,
  openKillBroadcast,
  openSharedLedger,
  type RedisLedger,
} from '@mandate/ledger';
import { isMandateError, MandateError, openInOrder, type Running, silentLogger } from '@mandate/runtime';
import { type RedisSettings, redisSettings } from '@mandate/runtime/settings';
import { type ActionType, DEFAULTS, type Decision, type Settlement } from '@mandate/schemas';
import type { OpenState } from '../engine-point.ts';
import { inTime } from '../in-time.ts';
import type { Cost, OnError } from '../types.ts';
import { DistributedKills } from './distributed-kills.ts';
import { openTallies, type Tallies } from './tallies.ts';

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

type Connected = OpenState & { tallies: Tallies } & Required<Running>;

/** Keeps the state in Redis. It connects at the first call, and again after a failure. */
export class RedisStateManager {
  readonly kills: DistributedKills;
  readonly #options: RedisStateOptions;
  readonly #timeoutMs: number;
  readonly #onError: OnError;
  #opening: Promise<Connected> | null = null;
  #isClosed = false;
  /** A time of Redis, and `performance.now()` of this process at that moment. */
  #known = { redisMs: 0, atMs: 0 };

  constructor(options: RedisStateOptions) {
    this.#options = options;
    this.#timeoutMs = options.timeoutMs ?? 2_000;
    this.#onError = options.onError ?? ((error) => console.error('mandate:', error));
    this.kills = new DistributedKills(async () => (await this.open()).ledger, this.#onError);
  }

  /** @throws MandateError LEDGER_UNAVAILABLE, within the time limit */
  async open(): Promise<Connected> {
    if (this.#isClosed) throw unavailable('The state is closed.');
    this.#opening ??= this.#connect();
    const opening = this.#opening;
    opening.catch(() => {
      if (this.#opening === opening) this.#opening = null;
    });
    return inTime(this.#timeoutMs, opening, () => unavailable('Redis did not answer in time.'));
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
    await opened?.stop();
  }

  #connect(): Promise<Connected> {
    const { url, prefix = 'mandate', requireAppendOnly = true } = this.#options;
    const settings = redisSettings.parse({
      REDIS_URL: url,
      REDIS_NAMESPACE: `${prefix}.sdk`,
      REDIS_COMMAND_TIMEOUT_MS: this.#timeoutMs,
      REDIS_REQUIRE_APPEND_ONLY: requireAppendOnly,
    });
    return openInOrder(async ({ closing }) => {
      const ledger = closing(await openLedger(settings), (one) => one.close());
      await prepare(ledger);
      const tallies = closing(await openTallies(settings), (one) => one.close());
      this.#known = { redisMs: await tallies.timeMs(), atMs: performance.now() };
      const broadcast = await openKillBroadcast(settings, silentLogger());
      closing(broadcast, (one) => one.close());
      await this.kills.follow(ledger, broadcast);
      // Nobody waits until a tally is counted.
      const count = (...change: Parameters<Tallies['add']>) =>
        void tallies.add(...change).catch(this.#onError);
      const clock = () => Math.floor(this.#known.redisMs + performance.now() - this.#known.atMs);
      return {
        ledger,
        clock,
        tallies,
        decided: ({ kind, verdict, agentId, type, chargedMicros, decidedAt }: Decision) => {
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

async function openLedger(settings: RedisSettings): Promise<RedisLedger> {
  const ledger = await openSharedLedger(settings, silentLogger());
  if (ledger === null) throw unavailable('No Redis is named.');
  return ledger;
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
  const remedy = 'Nothing was allowed, and the call is blocked. Check Redis, then try again.';
  return new MandateError('LEDGER_UNAVAILABLE', message, { remedy, retryable: true });
}
