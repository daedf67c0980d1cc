/**
 * Puts the steps of each tenant into the order of its ledger, the order of their sequence numbers. This is needed
 * because partitions are read at different speeds. A step waits for the steps before it, and for the beginning of its
 * epoch on every partition. After that beginning, no record of an older epoch counts. So sequence numbers that never
 * reached the log are no longer waited for.
 */
import type { Read } from './read-record.ts';
import type { Step } from './step.ts';

/**
 * `isWhole` is true if every earlier step of the epoch is on the log. Then the state that the ledger used is known
 * exactly.
 */
export type OnStep = (step: Step, isWhole: boolean) => void;

type Tenant = {
  readonly waiting: Map<number, Step>;
  /** The sequence number of the next step to pass on. */
  next: number;
  last: number;
  epoch: string | null;
  isWhole: boolean;
  /** The highest sequence number that was read, by partition. */
  readonly highest: Map<number, number>;
};

/**
 * @param partitions the number of partitions of the decisions topic
 * @param onTwice called for a step that has the sequence number of another step
 */
export function createInOrder(partitions: number, onStep: OnStep, onTwice: (step: Step) => void) {
  const tenants = new Map<string, Tenant>();
  const generations = new Map<string, number>();
  /** The generation in force at the present reading position, by partition. */
  const begun = new Map<number, number>();
  /**
   * The highest sequence number on the log when an epoch began, by epoch and tenant. The epoch's own numbers continue
   * after this number.
   */
  const bases = new Map<string, Map<string, number>>();
  let begunEverywhere = 0;

  function tenantOf(name: string): Tenant {
    const known = tenants.get(name);
    if (known !== undefined) return known;
    const none = { waiting: new Map(), next: 1, last: 0, epoch: null, isWhole: true, highest: new Map() };
    tenants.set(name, none);
    return none;
  }

  const generationOf = ({ epoch }: Step) => generations.get(epoch) ?? 0;
  const baseOf = (epoch: string, tenant: string) => bases.get(epoch)?.get(tenant) ?? 0;

  function give(tenant: Tenant, step: Step): void {
    const isNext = step.epoch === tenant.epoch;
    const before = isNext ? tenant.last : baseOf(step.epoch, step.tenant);
    tenant.isWhole = (!isNext || tenant.isWhole) && step.sequence === before + 1;
    tenant.epoch = step.epoch;
    tenant.last = step.sequence;
    tenant.next = Math.max(tenant.next, step.sequence + 1);
    tenant.waiting.delete(step.sequence);
    onStep(step, tenant.isWhole);
  }

  function giveFollowing(tenant: Tenant): void {
    for (;;) {
      const step = tenant.waiting.get(tenant.next);
      if (step === undefined || generationOf(step) > begunEverywhere) return;
      give(tenant, step);
    }
  }

  function giveAll(tenant: Tenant, which: (step: Step) => boolean): void {
    const steps = [...tenant.waiting.values()].filter(which);
    for (const step of steps.sort((one, other) => one.sequence - other.sequence)) give(tenant, step);
  }

  function begin({ id, generation }: NonNullable<Read['begins']>, partition: number): void {
    generations.set(id, generation);
    begun.set(partition, generation);
    const base = bases.get(id) ?? new Map<string, number>();
    bases.set(id, base);
    for (const [name, { highest }] of tenants) {
      base.set(name, Math.max(base.get(name) ?? 0, highest.get(partition) ?? 0));
    }
    if (begun.size < partitions) return;
    const everywhere = Math.min(...begun.values());
    if (everywhere === begunEverywhere) return;
    begunEverywhere = everywhere;
    for (const [name, tenant] of tenants) {
      giveAll(tenant, (step) => generationOf(step) < everywhere);
      if (everywhere === generation) tenant.next = Math.max(tenant.next, baseOf(id, name) + 1);
      giveFollowing(tenant);
    }
  }

  return {
    takes(
      { log, begins, isOvertaken }: Pick<Read, 'log' | 'begins' | 'isOvertaken'>,
      steps: readonly Step[],
    ): void {
      const { partition } = log.position;
      if (begins !== null) begin(begins, partition);
      for (const step of steps) {
        const tenant = tenantOf(step.tenant);
        tenant.highest.set(partition, Math.max(tenant.highest.get(partition) ?? 0, step.sequence));
        if (isOvertaken) {
          // The sequence number of an operator's command does not determine its place in the ledger. So the command
          // counts whenever it is read.
          if (step.did !== 'adjust') continue;
          tenant.isWhole = false;
          onStep(step, false);
        } else if (step.sequence < tenant.next || tenant.waiting.has(step.sequence)) {
          // Only these steps are reported, because an operator's command may be on the log twice.
          if (step.did === 'decide' || step.did === 'settle') onTwice(step);
        } else {
          tenant.waiting.set(step.sequence, step);
          giveFollowing(tenant);
        }
      }
    },
    /** Passes on the remaining steps, because nothing more is read. */
    end(): void {
      for (const tenant of tenants.values()) giveAll(tenant, () => true);
    },
  };
}
