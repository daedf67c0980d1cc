/**
 * The ledger that several deciders share. The memory ledger takes the place of Redis, with the registry of ADR 8.
 * There is one epoch and one lease for all tenants. A call is executed as one step under its caller's epoch, or
 * refused. Flags and commands belong to no generation, so they survive a rebuild. The Redis scripts are not
 * simulated; their contract is tested on real servers.
 */
import {
  createMemoryLedger,
  LedgerNotReady,
  type LedgerState,
  type MemoryLedger,
  type Operation,
  type StepResult,
} from '@mandate/ledger';
import type { RedisLedger } from '@mandate/ledger/redis';
import { type Clock, MandateError } from '@mandate/runtime';
import { DEFAULTS, type KillTarget } from '@mandate/schemas';

export type LedgerCall = 'step' | 'confirm' | 'operate' | 'look' | 'begin' | 'renew' | 'load' | 'finish';

/** Calls the ledger: `effect` happens at some later time, atomically. */
export type LedgerPorts = { call<T>(what: LedgerCall, effect: () => T): Promise<T> };

export type OnStep = (batch: readonly Operation[], results: readonly StepResult[]) => void;

type Force = { epoch: string; generation: number };
type Registry = Force & { state: 'ready' | 'rebuilding'; leaseUntilMs: number; run: number };

const MOST_TURNS = 6;
const LEASE_MS = 60_000;

export class SharedLedger {
  /** The clock of the server. */
  readonly clock: Clock;
  readonly #onStep: OnStep;
  #aheadMs = 0;
  #registry: Registry | null = null;
  #ledger: MemoryLedger;
  /** The number of the server's current run, from 1. After a restart, the server may lack the newest writes. */
  #run = 1;

  /** @param onStep is called for each step of the ledger, when the step takes effect */
  constructor(clock: Clock, onStep: OnStep) {
    this.clock = () => clock() + this.#aheadMs;
    this.#onStep = onStep;
    this.#ledger = createMemoryLedger({ clock: this.clock, epoch: '' });
  }

  /** Returns the ledger in force, or null if there is none. */
  get inForce(): MemoryLedger | null {
    return this.#registry?.state === 'ready' && this.#registry.run === this.#run ? this.#ledger : null;
  }

  /** Loses the ledger's data, like a failover to an empty server. The new server has its own clock. */
  lose(aheadMs: number): void {
    this.#aheadMs = aheadMs;
    this.#registry = null;
    this.#ledger = createMemoryLedger({ clock: this.clock, epoch: '' });
  }

  /** Restarts the server. No data is missing, but no process can know that. */
  restart(): void {
    this.#run += 1;
  }

  open(ports: LedgerPorts): RedisLedger {
    let force: Force | null = null;
    let highest = 0;
    const { clock } = this;
    const knownEpoch = () => force?.epoch ?? '';

    const look = async (): Promise<Force> => {
      const believed = knownEpoch();
      const { epoch, generation } = await ports.call('look', () => this.#mustBeReady(believed));
      force = { epoch, generation };
      highest = Math.max(highest, generation);
      return force;
    };

    /**
     * Calls the ledger under the epoch that the process knows. If there is a newer epoch, calls again under the newer
     * one. Throws instead if the call must happen under the epoch `under`.
     */
    const ask = async <T>(
      what: LedgerCall,
      act: (ledger: MemoryLedger) => Promise<T>,
      under: string | null = null,
    ): Promise<T> => {
      let asked = force ?? (await look());
      for (let turn = 0; turn < MOST_TURNS; turn += 1) {
        const { epoch } = asked;
        const reply = await ports.call(what, async () => {
          const inForce = this.#mustBeReady(epoch);
          if (inForce.epoch !== epoch) return { other: inForce.epoch };
          return { answer: await act(this.#ledger) };
        });
        if (reply.other === undefined) return reply.answer;
        if (under !== null) throw epochChanged(under, reply.other);
        asked = await look();
      }
      throw unavailable('The ledger is being rebuilt again and again.');
    };

    return {
      system: 'redis',
      get epoch() {
        return force?.epoch ?? '';
      },
      get generation() {
        return force?.generation ?? 0;
      },
      replayMemoryMs: DEFAULTS.replayMemoryMs,
      // Makes one call for each tenant, as on a cluster.
      step: async (batch) => {
        const results = new Map<unknown, StepResult>();
        await Promise.all(
          [...Map.groupBy(batch, ({ tenant }) => tenant).values()].map(async (operations) => {
            const answers = await ask('step', async (ledger) => {
              const found = await ledger.step(operations);
              this.#onStep(operations, found);
              return found;
            });
            answers.forEach((answer, at) => void results.set(operations[at], answer));
          }),
        );
        return batch.flatMap((operation) => results.get(operation) ?? []);
      },
      confirm: async (epoch, published) => {
        const inForce = await look();
        if (inForce.epoch !== epoch) throw epochChanged(epoch, inForce.epoch);
        await Promise.all(
          [...Map.groupBy(published, ({ tenant }) => tenant).values()].map((operations) =>
            ask('confirm', (ledger) => ledger.confirm(ledger.epoch, operations), epoch),
          ),
        );
      },
      // Sets the kill flag. This works in every state of the ledger.
      kill: async (target, command) => {
        if (force === null) await look().catch(() => {});
        return ports.call('operate', () => {
          if (this.inForce === null) setFlag(this.#ledger.state(), target, command.reason, clock());
          this.#mustBeReady(knownEpoch());
          return this.#ledger.kill(target, command);
        });
      },
      revive: (target, revision, id) => ask('operate', (ledger) => ledger.revive(target, revision, id)),
      revived: (target, id) => ask('operate', (ledger) => ledger.revived(target, id)),
      flag: (target) => ask('operate', (ledger) => ledger.flag(target)),
      killStatus: (tenant, agentId) => ask('operate', (ledger) => ledger.killStatus(tenant, agentId)),
      killed: (tenant) => ask('operate', (ledger) => ledger.killed(tenant)),
      adjust: (adjustment) => ask('operate', (ledger) => ledger.adjust(adjustment)),
      approve: (approval) => ask('operate', (ledger) => ledger.approve(approval)),
      question: (question) => ask('operate', (ledger) => ledger.question(question)),
      waiting: (tenant) => ask('operate', (ledger) => ledger.waiting(tenant)),
      balances: (tenant) => ask('operate', (ledger) => ledger.balances(tenant)),
      spent: (tenant, budgets) => ask('operate', (ledger) => ledger.spent(tenant, budgets)),
      open: (tenant, agentId) => ask('operate', (ledger) => ledger.open(tenant, agentId)),
      unpublished: (tenant) => ask('operate', (ledger) => ledger.unpublished(tenant)),
      tenants: () => ask('operate', (ledger) => ledger.tenants()),
      remembered: (tenant) => ask('operate', (ledger) => ledger.remembered(tenant)),
      usedShare: async () => null,
      ping: async () => void (await look()),
      close: async () => {},
      state: async () => this.#ledger.state(),
      resume: async () => {
        throw new TypeError('a ledger with a log is rebuilt');
      },

      beginRebuild: async ({
        epoch,
        leaseMs = LEASE_MS,
        lostEpoch = knownEpoch(),
        highestOnLog = 0,
        ownEpoch = '',
      }) => {
        const begun = await ports.call('begin', () => {
          const known = this.#registry;
          if (this.inForce !== null && known !== null && known.epoch !== lostEpoch)
            return { rebuilt: known.epoch };
          const isBusy = known?.state === 'rebuilding' && known.leaseUntilMs > clock();
          if (isBusy && known.epoch !== ownEpoch) throw unavailable('Another rebuild is under way.');
          const generation = Math.max(
            (known?.generation ?? 0) + 1,
            Math.max(highest, highestOnLog) + 1,
            clock(),
          );
          const leaseUntilMs = clock() + leaseMs;
          this.#registry = { state: 'rebuilding', epoch, generation, leaseUntilMs, run: this.#run };
          return { generation };
        });
        if (begun.rebuilt !== undefined) {
          await look();
          throw epochChanged(lostEpoch, begun.rebuilt);
        }
        const { generation } = begun;
        const renew = () => this.#renew({ epoch, generation }, leaseMs);
        let loaded: LedgerState | null = null;
        return {
          epoch,
          generation,
          renew: async () => void (await ports.call('renew', renew)),
          load: (state) =>
            ports.call('load', () => {
              renew();
              loaded = structuredClone(state);
            }),
          finish: async () => {
            await ports.call('finish', () => {
              const registry = renew();
              if (loaded === null || registry.run !== this.#run) throw overtaken();
              keepFlags(loaded, this.#ledger.state());
              this.#ledger = createMemoryLedger({ clock, epoch, generation, state: loaded });
              registry.state = 'ready';
            });
            await look();
          },
        };
      },
    };
  }

  #mustBeReady(knownEpoch: string): Registry {
    if (this.inForce === null || this.#registry === null)
      throw new LedgerNotReady('The ledger is not ready.', knownEpoch, 'run');
    return this.#registry;
  }

  #renew({ epoch, generation }: Force, leaseMs: number): Registry {
    const registry = this.#registry;
    const isOurs = registry?.epoch === epoch && registry.generation === generation;
    if (registry?.state !== 'rebuilding' || !isOurs) throw overtaken();
    registry.leaseUntilMs = this.clock() + leaseMs;
    return registry;
  }
}

/**
 * Merges flags and commands, which belong to no generation. Of two flags, the flag with the higher revision wins.
 * With equal revisions, the kill wins.
 */
function keepFlags(loaded: LedgerState, kept: LedgerState): void {
  for (const [key, flag] of kept.flags) {
    const known = loaded.flags.get(key);
    const isNewer =
      known === undefined ||
      flag.revision > known.revision ||
      (flag.revision === known.revision && flag.killed);
    if (isNewer) loaded.flags.set(key, flag);
  }
  for (const [id, done] of kept.kills) if (!loaded.kills.has(id)) loaded.kills.set(id, done);
  for (const [id, done] of kept.revives) if (!loaded.revives.has(id)) loaded.revives.set(id, done);
}

function setFlag({ flags }: LedgerState, target: KillTarget, reason: string, atMs: number): void {
  const ofTenant = target.scope === 'all' ? '*' : target.tenant;
  const key = target.scope === 'agent' ? `${ofTenant}/${target.agentId}` : ofTenant;
  const revision = (flags.get(key)?.revision ?? 0) + 1;
  flags.set(key, { target, killed: true, revision, reason, atMs, heldSince: 0, pulled: null });
}

function overtaken(): MandateError {
  return unavailable('This rebuild was overtaken by another, or the server was replaced under it.');
}

export function unavailable(message: string): MandateError {
  return new MandateError('LEDGER_UNAVAILABLE', message, { remedy: 'Send it again.', retryable: true });
}

function epochChanged(believed: string, inForce: string): MandateError {
  const message = `The ledger was rebuilt: its epoch is ${inForce}, not ${believed}.`;
  return new MandateError('LEDGER_EPOCH_CHANGED', message, { remedy: 'Do not commit.', retryable: true });
}
