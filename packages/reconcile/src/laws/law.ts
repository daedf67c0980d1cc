/** What a law is told as: how much it was asked of, and what breaks it. */
import type { Decision, Settlement } from '@mandate/schemas';

/** A law of docs/operations.md, by which an operator asks after it. */
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
  /** `topic/partition/offset` of the record at fault; null where none is. */
  at: string | null;
  /** By which it is found: of actions, agents, decisions, budgets. */
  ids: Readonly<Record<string, string | number>>;
  what: string;
};

export type LawReport = {
  law: LawName;
  checked: number;
  /** What cannot be told: not on the log any more, not yet on it, or dropped by retention. */
  leftOut: number;
  broken: number;
  /** The first of them. */
  breaches: readonly Breach[];
};

const SHOWN = 10;

/** Gathers what is found about one law. */
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

  /** `breach` is made for the first of them only. */
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

export function placeName(place: { topic: string; partition: number; offset: number | string }): string {
  return `${place.topic}/${place.partition}/${place.offset}`;
}
