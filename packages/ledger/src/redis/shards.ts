/**
 * Calls the scripts of tenants' shards and of the registry. Each script of a shard first checks the epoch and
 * generation of the caller. If they are wrong, this file opens the tenant, adopts a newer epoch, or throws.
 */

import { type Clock, type Logger, systemClock } from '@mandate/runtime';
import { CAPS, DEFAULTS } from '@mandate/schemas/core';
import { type AnsweredCalls, createAnsweredCalls } from './answered-calls.ts';
import { createClockWatch } from './clock-watch.ts';
import type { Connection } from './connection.ts';
import { epochChanged, notReady, unavailable } from './failure.ts';
import { registryKeys, tenantKeys } from './keys.ts';

/**
 * The version of the stored data. Increase it if the format changes. A newer program rebuilds an older ledger. An
 * older program leaves a newer ledger alone, and stops (LEDGER_NEWER). Data without a generation (`meta`, flags and
 * commands: keys.ts) survives a rebuild. Older programs write this data too, because every program carries out a
 * kill. So its format must not change.
 */
const LAYOUT = 11;

/** The state after a rebuild. `epoch`: its name on the log. `generation`: the part of its keys in Redis. */
type Named = { epoch: string; generation: number };

/** The epoch and generation in force, from the registry. */
type Force = Named & { replayMemoryMs: number };

/** The state of a kill flag. */
export type FlagState = [killed: 1 | null, revision: number, reason: string, atMs: number];

/** Who killed, and the id of the command. */
export type KilledBy = [by: string | null, commandId: string | null];

/** The flag of everything, which is in the registry. */
export type EverythingFlag = { state: FlagState; named: KilledBy };

type Argument = string | number;

export type Shards = {
  readonly namespace: string;
  readonly log: Logger;
  /** The replay memory of the ledger in force, in milliseconds. */
  readonly replayMemoryMs: number;
  /** For each tenant, the number of deliveries above its limit that the ledger still recognizes. */
  readonly keptUnremembered: number;
  /** The calls that answered deliveries of this client. */
  readonly answered: AnsweredCalls;
  /** Returns the ledger in force, as far as this client knows. Null if it has never seen a ready ledger. */
  force(): Force | null;
  /** Reads the registry, and adopts the epoch in force. Throws LEDGER_UNAVAILABLE if no epoch is in force. */
  look(): Promise<Force & { everything: EverythingFlag | null }>;
  /**
   * Returns the reply of the script. Opens the tenant or adopts a newer epoch if needed. Throws LEDGER_UNAVAILABLE if
   * the ledger is not ready.
   */
  ask(tenant: string, script: string, args: readonly Argument[]): Promise<unknown[]>;
  /**
   * Does the same as `ask`, and returns the epoch of the reply too. Another epoch may be in force when the caller
   * reads the reply.
   */
  askNamingEpoch(
    tenant: string,
    script: string,
    args: readonly Argument[],
  ): Promise<{ reply: unknown[]; epoch: string }>;
  /** Does the same as `ask`, but the script runs under this epoch or not at all. Throws LEDGER_EPOCH_CHANGED. */
  askUnder(epoch: string, tenant: string, script: string, args: readonly Argument[]): Promise<unknown[]>;
  /**
   * Does the same as `ask` for a script that acts in every state of the shard. It still throws if the script refuses
   * the rest.
   */
  askAnyway(tenant: string, script: string, args: readonly Argument[]): Promise<unknown[]>;
  askRegistry(script: string, args: readonly Argument[]): Promise<unknown[]>;
  /** Resolves when the required replicas have all writes of these tenants. */
  replicated(tenants: readonly string[]): Promise<void>;
  /** Returns the highest generation that this client has seen. A rebuild uses a higher one. */
  highestGeneration(): number;
  noteGeneration(generation: number): void;
  /** Runs a script without any check. Used by a rebuild. */
  askClosed(
    tenant: string,
    generation: number,
    script: string,
    args: readonly Argument[],
  ): Promise<unknown[]>;
  /** Frees one page of a generation that is no longer in force. Returns the next cursor. */
  unlink(tenant: string, generation: number, what: string, cursor: string): Promise<unknown>;
  readonly connection: Connection;
};

/** The state of a client that has not seen a ready ledger. A shard that is not ready refuses its generation 0. */
const NOTHING: Force = { epoch: '', generation: 0, replayMemoryMs: DEFAULTS.replayMemoryMs };

/**
 * The maximum number of tries of a script. Opening a tenant uses one try, and so does a rebuild that ends at the same
 * time.
 */
const MOST_TURNS = 6;

export function createShards(options: {
  connection: Connection;
  namespace: string;
  log: Logger;
  clock?: Clock | undefined;
  keptUnremembered?: number | undefined;
}): Shards {
  const { connection, namespace, clock, log, keptUnremembered = CAPS.unrememberedKept } = options;
  let inForce: Force | null = null;
  let seenMs = 0;
  let highestGeneration = 0;

  const watchClock = clock === undefined ? createClockWatch(log) : () => {};
  const time = (): string => (clock === undefined ? `beside ${systemClock()}` : String(clock()));

  function adopt(force: Force): void {
    if (inForce !== null && inForce.generation !== force.generation) {
      log.warn({ from: inForce.epoch, to: force.epoch }, 'the ledger was rebuilt; its new epoch is in force');
    }
    inForce = force;
    noteGeneration(force.generation);
  }

  function noteGeneration(generation: number): void {
    highestGeneration = Math.max(highestGeneration, generation);
  }

  async function askRegistry(script: string, args: readonly Argument[]): Promise<unknown[]> {
    const lostEpoch = inForce?.epoch ?? '';
    const reply = await connection.run(script, registryKeys(namespace), [time(), LAYOUT, seenMs, ...args]);
    mustBeReady(reply, lostEpoch);
    noteTime(reply);
    return reply;
  }

  function noteTime([status, now]: unknown[]): void {
    if (status === 'OK' && typeof now === 'number') seenMs = Math.max(seenMs, now);
  }

  async function enter(tenant: string, note: 'opening' | 'open', generation: Argument) {
    const reply = await askRegistry('enter-registry', [tenant, note, generation]);
    const [, , epoch, inGeneration, runs, everything, noted, memoryMs] = reply as [
      string,
      number,
      string,
      string,
      string,
      unknown[] | null,
      'opening' | 'open' | null,
      string | null,
    ];
    // The default is needed, because a ledger from an older program does not have this field.
    const replayMemoryMs = Number(memoryMs ?? DEFAULTS.replayMemoryMs);
    const force = { epoch, generation: Number(inGeneration), replayMemoryMs };
    adopt(force);
    return { force, runs, everything: everything && everythingFlag(everything), noted };
  }

  async function open(tenant: string): Promise<void> {
    const { force, runs, everything, noted } = await enter(tenant, 'opening', '');
    const keys = tenantKeys(namespace, tenant, force.generation);
    const flag =
      everything === null ? '' : JSON.stringify([everything.state[0] === 1, ...everything.state.slice(1)]);
    const turn = async (becomes: 'opening' | 'ready', known: string) =>
      mustBeReady(
        await connection.run('open-tenant', keys, [
          time(),
          LAYOUT,
          force.generation,
          force.epoch,
          runs,
          becomes,
          known,
          flag,
        ]),
        force.epoch,
      );
    await turn('opening', noted ?? 'opening');
    const opened = await enter(tenant, 'open', force.generation);
    // If a rebuild ran in between, the caller's next call is refused, and the tenant is opened again.
    if (opened.noted === 'open' && opened.force.generation === force.generation) await turn('ready', 'open');
  }

  const shards: Shards = {
    namespace,
    log,
    connection,
    get replayMemoryMs() {
      return (inForce ?? NOTHING).replayMemoryMs;
    },
    keptUnremembered,
    answered: createAnsweredCalls(),
    force: () => inForce,
    highestGeneration: () => highestGeneration,
    noteGeneration,
    async look() {
      const { force, everything } = await enter('', 'opening', '');
      return { ...force, everything };
    },
    ask: async (tenant, script, args) => (await askTenant(tenant, script, args, adoptEpoch(tenant))).reply,
    askNamingEpoch: (tenant, script, args) => askTenant(tenant, script, args, adoptEpoch(tenant)),
    askAnyway: async (tenant, script, args) =>
      (await askTenant(tenant, script, args, adoptEpoch(tenant), inForce ?? NOTHING)).reply,
    askUnder: async (epoch, tenant, script, args) => {
      const changed = async (there: Named) => {
        throw epochChanged(epoch, there.epoch);
      };
      return (await askTenant(tenant, script, args, changed)).reply;
    },
    askRegistry,
    // Any generation is right here, because all keys of a tenant are on one server.
    replicated: (tenants) =>
      connection.replicated(tenants.flatMap((tenant) => tenantKeys(namespace, tenant, 0).slice(0, 1))),
    askClosed: (tenant, generation, script, args) =>
      connection.run(script, tenantKeys(namespace, tenant, generation), [
        time(),
        LAYOUT,
        generation,
        ...args,
      ]),
    unlink: (tenant, generation, what, cursor) =>
      connection.run('unlink', tenantKeys(namespace, tenant, generation), [generation, what, cursor]),
  };

  async function askTenant(
    tenant: string,
    script: string,
    args: readonly Argument[],
    onEpoch: (there: Named, asked: Force) => Promise<void>,
    asking: Force | null = inForce,
  ): Promise<{ reply: unknown[]; epoch: string }> {
    let force = asking ?? (await shards.look());
    for (let turn = 0; turn < MOST_TURNS; turn += 1) {
      const keys = tenantKeys(namespace, tenant, force.generation);
      const asked = [time(), LAYOUT, force.generation, force.epoch, ...args];
      const reply = await connection.run(script, keys, asked);
      mustBeReady(reply, force.epoch);
      if (reply[0] === 'OPEN') await open(tenant);
      else if (reply[0] === 'EPOCH') {
        const [, generation, epoch] = reply as [string, string, string];
        await onEpoch({ epoch, generation: Number(generation) }, force);
      } else {
        noteTime(reply);
        watchClock(tenant, reply);
        return { reply, epoch: force.epoch };
      }
      force = inForce ?? force;
    }
    throw unavailable('The ledger is being rebuilt again and again.');
  }

  /**
   * Adopts a newer epoch only if the registry has it too. A shard with an older generation is either a copy from
   * before the last rebuild, or a tenant that the log and the registry did not know then. Opening the tenant compares
   * it with the registry.
   */
  function adoptEpoch(tenant: string) {
    return async (there: Named, asked: Force): Promise<void> => {
      const { generation, epoch } = await shards.look();
      if (generation !== asked.generation) return;
      if (there.generation >= generation) {
        throw notReady('behind', String(generation), String(there.generation), epoch);
      }
      await open(tenant);
    };
  }

  return shards;
}

/**
 * The maximum number of shards asked at once. With thousands, the requests would wait for each other until they time
 * out.
 */
const AT_ONCE = 50;

export async function inGroups<Answer>(
  tenants: readonly string[],
  act: (tenant: string) => Promise<Answer>,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let from = 0; from < tenants.length; from += AT_ONCE) {
    answers.push(...(await Promise.all(tenants.slice(from, from + AT_ONCE).map(act))));
  }
  return answers;
}

function mustBeReady(reply: unknown[], lostEpoch: string): void {
  if (reply[0] !== 'NOT_READY') return;
  const [, why, found, expected] = reply as string[];
  throw notReady(why ?? '', found ?? '', expected ?? '', lostEpoch);
}

/** Reads a flag as the registry stores it. Leaves out the elements that only the scripts use. */
function everythingFlag(stored: readonly unknown[]): EverythingFlag {
  const [by = null, commandId = null] = stored.slice(7, 9) as Partial<KilledBy>;
  return { state: stored.slice(0, 4) as FlagState, named: [by, commandId] };
}
