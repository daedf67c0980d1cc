/** The report about one law: how much was checked, and the records that break the law. */
import type { Decision, Settlement } from '@mandate/schemas';

/** The name of a law in docs/operations.md. */
export type LawName =
  | 'one-decision'
  | 'audit-rows'
  | 'charges'
  | 'limits'
  | 'outcomes'
  | 'kill'
  | 'offsets'
  | 'void';

export type Breach = {
  /** The faulty record as `topic/partition/offset`. Null if there is no such record. */
  at: string | null;
  /** Ids that help an operator to find the fault: of actions, agents, decisions and budgets. */
  ids: Readonly<Record<string, string | number>>;
  what: string;
};

export type LawReport = {
  law: LawName;
  checked: number;
  /**
   * How much could not be checked, because it was removed from the log, has not reached the log yet, or was dropped
   * by retention.
   */
  leftOut: number;
  broken: number;
  /** The first breaches that were found. */
  breaches: readonly Breach[];
};

const SHOWN = 10;

/** Collects the findings about one law. */
export class Findings {
  readonly #law: LawName;
  #checked = 0;
  #leftOut = 0;
  #broken = 0;
  readonly #breaches: Breach[] = [];

  constructor(law: LawName) {
    this.#law = law;
  }

  checked(count = 1): void {
    this.#checked += count;
  }

  leftOut(count = 1): void {
    this.#leftOut += count;
  }

  /** Counts a breach. `breach` is called for the first breaches only. */
  broken(breach: () => Breach): void {
    this.#broken += 1;
    if (this.#breaches.length < SHOWN) this.#breaches.push(breach());
  }

  report(): LawReport {
    return {
      law: this.#law,
      checked: this.#checked,
      leftOut: this.#leftOut,
      broken: this.#broken,
      breaches: [...this.#breaches],
    };
  }
}

export function named({ id, tenant, agentId, actionId, attempt }: Decision | Settlement): Breach['ids'] {
  return { id, tenant, agent: agentId, action: actionId, attempt };
}

export function positionName(position: { topic: string; partition: number; offset: number }): string {
  return `${position.topic}/${position.partition}/${position.offset}`;
}
