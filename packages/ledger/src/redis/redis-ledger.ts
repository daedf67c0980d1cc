/**
 * The ledger in Redis, shared by any number of deciders. A batch of a tenant is one script (scripts/step.lua), so
 * nothing can happen in between, not even a kill. Redis contains a fold of the log. It is valid only in the server
 * run into which it was loaded. After a restart, a failover or a flush nothing is decided until a rebuild
 * (`beginRebuild`) has loaded the fold again.
 *
 * The code is the same for one server, a primary with replicas, or a cluster. Without `waitReplicas` a failover may
 * lose the last acknowledged writes. The ledger notices this, and is rebuilt from the log.
 */
import { type Clock, type Logger, silentLogger } from '@mandate/runtime';
import type { LedgerState } from '../memory/state.ts';
import { LedgerNotReady } from '../not-ready.ts';
import type { Ledger } from '../port.ts';
import { connect, type RedisAddress, type WaitReplicas } from './connection.ts';
import { epochChanged } from './failure.ts';
import * as operate from './operator-commands.ts';
import * as look from './queries.ts';
import { readState } from './read-state.ts';
import { beginRebuild, type Rebuild, type RebuildOptions } from './rebuild.ts';
import { type ResumeOptions, resume } from './resume.ts';
import { confirmTenant } from './scripts/step.ts';
import { checkServer, type ServerRequirements } from './server-checks.ts';
import { createShards } from './shards.ts';
import { step } from './step.ts';
import { usedShareOf } from './used-share.ts';

export type RedisLedgerOptions = RedisAddress &
  ServerRequirements & {
    /** The prefix of all keys. Several ledgers may share a server with different prefixes. Default `mandate`. */
    namespace?: string;
    waitReplicas?: WaitReplicas;
    /** A clock for tests. It replaces the clock of the server. */
    clock?: Clock;
    /** For each tenant, the number of deliveries above its limit that the ledger still recognizes. Default 10,000. */
    keptUnremembered?: number;
    log?: Logger;
  };

export type RedisLedger = Ledger & {
  /**
   * Begins a rebuild. Nothing is decided until the rebuild is finished. Throws LEDGER_UNAVAILABLE while another
   * rebuild is running. Throws LEDGER_EPOCH_CHANGED if no rebuild is needed, because an epoch other than `lostEpoch`
   * is in force and its ledger works.
   */
  beginRebuild(options: RebuildOptions): Promise<Rebuild>;
  /**
   * Puts the ledger in force again after its server was restarted, with the data that the server kept. Only for a
   * ledger without a log. Throws LEDGER_LOST if data is missing. Throws it too if data may be missing, unless the caller
   * accepts this.
   */
  resume(options: ResumeOptions): Promise<void>;
  /**
   * Reads the state from Redis, for tests that compare the state with a fold. If steps run at the same time, the
   * parts of the state are from different moments.
   */
  state(): Promise<LedgerState>;
};

/**
 * Connects, and refuses a server that could lose its data. Succeeds also if the ledger is not ready yet. Then `epoch`
 * is empty.
 */
export async function createRedisLedger(options: RedisLedgerOptions): Promise<RedisLedger> {
  const log = options.log ?? silentLogger();
  const connection = await connect(options, { log, waitReplicas: options.waitReplicas });
  const shards = createShards({
    connection,
    namespace: options.namespace ?? 'mandate',
    log,
    clock: options.clock,
    keptUnremembered: options.keptUnremembered,
  });
  try {
    await Promise.all(connection.masters().map((server) => checkServer(server, options, log)));
  } catch (error) {
    connection.close();
    throw error;
  }
  await shards.look().catch((error: unknown) => {
    // Logged as information and not as a fault, because Redis is empty at every first start.
    if (error instanceof LedgerNotReady) log.info({ reason: error.message }, 'the ledger is not ready');
    else log.warn({ err: error }, 'the ledger is not ready');
  });

  return {
    system: 'redis',
    get epoch() {
      return shards.force()?.epoch ?? '';
    },
    get generation() {
      return shards.force()?.generation ?? 0;
    },
    get replayMemoryMs() {
      return shards.replayMemoryMs;
    },
    step: (batch) => step(shards, batch),

    async confirm(epoch, published) {
      // The registry is checked first, because a rebuild changes the registry before the new epoch begins on the log.
      const { epoch: inForce } = await shards.look();
      if (inForce !== epoch) throw epochChanged(epoch, inForce);
      const byTenant = Map.groupBy(published, ({ tenant }) => tenant);
      await Promise.all(
        [...byTenant].map(([tenant, operations]) => confirmTenant(shards, epoch, tenant, operations)),
      );
    },

    kill: (target, command) => operate.kill(shards, target, command),
    revive: (target, revision, commandId) => operate.revive(shards, target, revision, commandId),
    revived: (target, commandId) => operate.revived(shards, target, commandId),
    flag: (target) => look.flag(shards, target),
    killStatus: (tenant, agentId, ancestry = {}) => look.killStatus(shards, tenant, agentId, ancestry),
    killed: (tenant) => look.killed(shards, tenant),

    adjust: (adjustment) => operate.adjust(shards, adjustment),
    approve: (approval) => operate.approve(shards, approval),
    question: (question) => look.question(shards, question),
    waiting: (tenant) => look.waiting(shards, tenant),

    balances: (tenant) => look.balances(shards, tenant),
    spent: (tenant, budgets) => look.spent(shards, tenant, budgets),
    open: (tenant, agentId) => look.open(shards, tenant, agentId),
    unpublished: (tenant) => look.unpublished(shards, tenant),
    tenants: () => look.tenants(shards),
    remembered: (tenant) => look.remembered(shards, tenant),
    usedShare: () => usedShareOf(connection.masters()),

    beginRebuild: (options) => beginRebuild(shards, options),
    resume: (options) => resume(shards, options),
    state: () => readState(shards),

    ping: async () => void (await shards.look()),
    close: async () => connection.close(),
  };
}
