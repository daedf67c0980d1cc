/**
 * A rebuild loads the ledger from a fold of the log. It writes beside the data in Redis, and replaces that data at
 * once.
 *
 *   begin    takes a lease on the registry and a new generation, and closes every shard: from now on nothing is decided
 *   (caller) begins a new epoch on the log, and folds the log up to this epoch
 *   load     writes the fold into the new generation, a piece at a time
 *   finish   opens every shard, then the registry. The old generation is freed in the background
 *
 * A process can lose the lease if it crashes or is slow. Then it cannot finish, because the next rebuild has a higher
 * generation.
 */
import { DEFAULTS } from '@mandate/schemas/core';
import type { LedgerState } from '../memory/state.ts';
import { epochChanged, unavailable } from './failure.ts';
import { linesOf, registryLinesOf } from './load-state.ts';
import { runOf } from './server-checks.ts';
import { type FlagState, inGroups, type Shards } from './shards.ts';

export type RebuildOptions = {
  /** The epoch's name. Every call of `beginRebuild` needs a new epoch, even when it repeats a failed rebuild. */
  epoch: string;
  leaseMs?: number;
  /**
   * The lost epoch, from the error that requested the rebuild. Default: the epoch that this client believes to be in
   * force.
   */
  lostEpoch?: string;
  /** The highest generation on the log, as far as the caller knows. */
  highestOnLog?: number;
  /** The epoch of the caller's previous try. The lease of that try does not block the new try. */
  ownEpoch?: string;
};

export type Rebuild = {
  readonly epoch: string;
  /**
   * The generation of this rebuild. It is higher than every earlier generation. The record that begins the epoch on
   * the log contains the generation.
   */
  readonly generation: number;
  /** Writes a state in which everything is on the log, and renews the lease meanwhile. Call this once. */
  load(state: LedgerState): Promise<void>;
  /** Renews the lease while the caller folds the log. Throws LEDGER_UNAVAILABLE if another rebuild has begun. */
  renew(): Promise<void>;
  /** Puts the new epoch in force. */
  finish(): Promise<void>;
};

const LEASE_MS = 60_000;
/** The maximum number of lines in one call. A bucket, or a time of a rate, counts as one line. */
const LINES_A_CALL = 500;

export async function beginRebuild(
  shards: Shards,
  {
    epoch,
    leaseMs = LEASE_MS,
    lostEpoch = shards.force()?.epoch ?? '',
    highestOnLog = 0,
    ownEpoch = '',
  }: RebuildOptions,
): Promise<Rebuild> {
  const begun = await shards.askRegistry('begin-rebuild', [
    epoch,
    leaseMs,
    lostEpoch,
    Math.max(shards.highestGeneration(), highestOnLog),
    ownEpoch,
  ]);
  if (begun[0] === 'BUSY') throw unavailable(`Another rebuild is under way, of epoch ${String(begun[1])}.`);
  if (begun[0] === 'REBUILT') {
    await shards.look();
    throw epochChanged(lostEpoch, String(begun[1]));
  }
  const [, , generation, registered] = begun as ['OK', number, number, string[]];
  const before = new Map<string, number>();

  async function close(tenant: string): Promise<void> {
    if (before.has(tenant)) return;
    const reply = await shards.askClosed(tenant, generation, 'close-tenant', [epoch, 'rebuilding']);
    // A shard may have a higher generation if the registry was lost and clocks differ. The next rebuild must begin
    // above this generation.
    if (reply[0] === 'LOST') shards.noteGeneration(Number(reply[1]));
    mustBeOurs(reply);
    before.set(tenant, Number(reply[2]));
  }

  let renewedAtMs = performance.now();
  async function renew(): Promise<void> {
    mustBeOurs(await shards.askRegistry('renew-rebuild', [epoch, generation, leaseMs, '', '', 0, '']));
    renewedAtMs = performance.now();
  }

  async function loadLines(tenant: string, lines: readonly unknown[][]): Promise<void> {
    if (performance.now() - renewedAtMs > leaseMs / 3) await renew();
    mustBeOurs(await shards.askClosed(tenant, generation, 'load', [JSON.stringify(lines)]));
  }

  /**
   * Copies the flag for everything from the registry to every shard, including shards of tenants that are not on the
   * log.
   */
  async function carryFlag(flag: FlagState | null): Promise<number> {
    if (flag === null) return 0;
    const line = ['flag', '*', [flag[0] === 1, ...flag.slice(1, 4), '', false]];
    await inGroups([...before.keys()], (tenant) => loadLines(tenant, [line]));
    return flag[1];
  }

  /**
   * Ends the rebuild and returns null. If the flag for everything has changed since it was copied, the rebuild does
   * not end, and the flag is returned.
   */
  async function end(revision: number): Promise<FlagState | null> {
    const runs = await Promise.all(shards.connection.masters().map(runOf));
    const tenants = JSON.stringify([...before.keys()]);
    const args = [epoch, generation, leaseMs, runs.join(' '), tenants, revision, replayMemoryMs];
    const reply = await shards.askRegistry('renew-rebuild', args);
    mustBeOurs(reply);
    return reply[0] === 'FLAG' ? (reply[2] as FlagState) : null;
  }

  let replayMemoryMs: number = DEFAULTS.replayMemoryMs;
  await inGroups(registered, close);
  return {
    epoch,
    generation,
    renew,
    async load(state) {
      replayMemoryMs = state.replayMemoryMs;
      await renew();
      await shards.askRegistry('load-registry', [JSON.stringify(registryLinesOf(state))]);
      const pieces = new Map<string, { lines: unknown[][]; weight: number }>();
      for (const { tenant, line, weight } of linesOf(state)) {
        let piece = pieces.get(tenant);
        if (piece === undefined) {
          await close(tenant);
          piece = { lines: [], weight: 0 };
          pieces.set(tenant, piece);
        }
        piece.lines.push(line);
        piece.weight += weight;
        if (piece.weight < LINES_A_CALL) continue;
        await loadLines(tenant, piece.lines);
        pieces.set(tenant, { lines: [], weight: 0 });
      }
      await inGroups([...pieces.keys()], async (tenant) => {
        const lines = pieces.get(tenant)?.lines ?? [];
        if (lines.length > 0) await loadLines(tenant, lines);
      });
    },
    async finish() {
      await renew();
      const [, , everything] = await shards.askRegistry('load-registry', ['[]']);
      let revision = await carryFlag(everything as FlagState | null);
      await inGroups([...before.keys()], async (tenant) =>
        mustBeOurs(await shards.askClosed(tenant, generation, 'close-tenant', [epoch, 'ready'])),
      );
      await shards.connection.replicated();
      for (let flag = await end(revision); flag !== null; flag = await end(revision)) {
        revision = await carryFlag(flag);
      }
      await shards.connection.replicated();
      await shards.look();
      freeOldGeneration(shards, before);
    },
  };
}

function mustBeOurs(reply: unknown[]): void {
  if (reply[0] !== 'LOST') return;
  throw unavailable(
    `This rebuild was overtaken by another, or a Redis server was replaced under it (${reply.slice(1).join(', ')}).`,
  );
}

/** Frees the memory of the old generation in the background. No decision depends on it. */
function freeOldGeneration(shards: Shards, before: ReadonlyMap<string, number>): void {
  const old = new Map([...before].filter(([, generation]) => generation > 0));
  inGroups([...old.keys()], (tenant) => unlink(shards, tenant, old.get(tenant) ?? 0)).catch((error) =>
    shards.log.warn({ err: error }, 'the ledger from before the rebuild is still in Redis'),
  );
}

async function unlink(shards: Shards, tenant: string, generation: number): Promise<void> {
  for (const what of ['windows', 'rates', 'rest']) {
    let cursor = '0';
    do {
      const reply: unknown = await shards.unlink(tenant, generation, what, cursor);
      cursor = String(reply);
    } while (cursor !== '0');
  }
}
