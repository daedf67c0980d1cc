/**
 * Asks the shards of tenants, and the registry. Each script of a shard checks first that it speaks of the state that the
 * caller believes in; here lies what follows when it does not: open the tenant, adopt a newer epoch, or give up.
 */

import { type Clock, type Logger, systemClock } from '@mandate/runtime';
import { CAPS, DEFAULTS } from '@mandate/schemas/core';
import { type AnsweredCalls, createAnsweredCalls } from './answered-calls.ts';
import { createClockWatch } from './clock-watch.ts';
import type { Connection } from './connection.ts';
import { epochChanged, notReady, unavailable } from './failure.ts';
import { registryKeys, tenantKeys } from './keys.ts';

/**
 * Increased when the form of the stored data changes. A newer program rebuilds an older ledger. An older program leaves a
 * newer ledger alone, and stops (LEDGER_NEWER). Data outside of any generation (`meta`, flags and commands: keys.ts)
 * survives a rebuild. Older programs write that data too, because every program carries out a kill. So its form must not
 * change.
 */
const LAYOUT = 8;

/** The state that a rebuild left. `epoch`: its name on the log. `generation`: where Redis keeps it. */
type Named = { epoch: string; generation: number };

/** The state in force, from the registry. */
type Force = Named & { replayMemoryMs: number };

/** The state of a flag. */
export type FlagState = [killed: 1 | null, revision: number, reason: string, atMs: number];

type Argument = string | number;

export type Shards = {
  readonly namespace: string;
  readonly log: Logger;
  /** The replay memory of the ledger in force. */
  readonly replayMemoryMs: number;
  /** How many deliveries without room the ledger still recognizes for each tenant. */
  readonly keptUnremembered: number;
  /** By this client. */
  readonly answered: AnsweredCalls;
  /** The ledger in force, as far as this client knows; null if it has never seen a ready ledger. */
  force(): Force | null;
  /** Looks at the registry, and adopts what is in force. Throws LEDGER_UNAVAILABLE when nothing is. */
  look(): Promise<Force & { everything: FlagState | null }>;
  /** Answers what the script answered, opened and adopted as it may need. Throws LEDGER_UNAVAILABLE when not ready. */
  ask(tenant: string, script: string, args: readonly Argument[]): Promise<unknown[]>;
  /** The same, and which epoch it was answered under: what is in force may be another by the time that one asks. */
  askNamingEpoch(
    tenant: string,
    script: string,
    args: readonly Argument[],
  ): Promise<{ reply: unknown[]; epoch: string }>;
  /** The same for what must happen under that epoch or not at all. Throws LEDGER_EPOCH_CHANGED. */
  askUnder(epoch: string, tenant: string, script: string, args: readonly Argument[]): Promise<unknown[]>;
  /** The same for what is carried out whatever state the shard is in; when it refuses the rest, this throws. */
  askAnyway(tenant: string, script: string, args: readonly Argument[]): Promise<unknown[]>;
  askRegistry(script: string, args: readonly Argument[]): Promise<unknown[]>;
  /** Resolves once what was written of these tenants is on the replicas that are required. */
  replicated(tenants: readonly string[]): Promise<void>;
  /** The highest generation that this client has met: a rebuild begins above it. */
  highestGeneration(): number;
  noteGeneration(generation: number): void;
  /** Without any check: for a rebuild. */
  askClosed(
    tenant: string,
    generation: number,
    script: string,
    args: readonly Argument[],
  ): Promise<unknown[]>;
  /** A page of a generation that is over; answers the next cursor. */
  unlink(tenant: string, generation: number, what: string, cursor: string): Promise<unknown>;
  readonly connection: Connection;
};

/** It has no generation: a shard that is not ready refuses it. */
const NOTHING: Force = { epoch: '', generation: 0, replayMemoryMs: DEFAULTS.replayMemoryMs };

/** Opening, and a rebuild that ends meanwhile, take a turn each. */
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
    const wanting = inForce?.epoch ?? '';
    const reply = await connection.run(script, registryKeys(namespace), [time(), LAYOUT, seenMs, ...args]);
    mustBeReady(reply, wanting);
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
      FlagState | null,
      'opening' | 'open' | null,
      string | null,
    ];
    // A ledger that an older program loaded says nothing of it.
    const replayMemoryMs = Number(memoryMs ?? DEFAULTS.replayMemoryMs);
    const force = { epoch, generation: Number(inGeneration), replayMemoryMs };
    adopt(force);
    // Without what the registry keeps beside it.
    const flag = everything === null ? null : (everything.slice(0, 4) as FlagState);
    return { force, runs, everything: flag, noted };
  }

  async function open(tenant: string): Promise<void> {
    const { force, runs, everything, noted } = await enter(tenant, 'opening', '');
    const keys = tenantKeys(namespace, tenant, force.generation);
    const flag = everything === null ? '' : JSON.stringify([everything[0] === 1, ...everything.slice(1, 4)]);
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
    // A rebuild happened meanwhile: the next call of the caller is refused, and opens the tenant again.
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
    // Any generation: all keys of a tenant lie together.
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
   * Only when the registry says so as well. Where the shard is behind, it is a copy from before the last rebuild, or of a
   * tenant that neither the log nor the registry knew then: the registry tells which when the tenant is opened.
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

/** Shards that are asked at once: of thousands, each would wait for all others until it is given up on. */
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

function mustBeReady(reply: unknown[], wanting: string): void {
  if (reply[0] !== 'NOT_READY') return;
  const [, why, found, expected] = reply as string[];
  throw notReady(why ?? '', found ?? '', expected ?? '', wanting);
}
