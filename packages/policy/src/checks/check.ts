/**
 * What a check is. A static check reads the request and the mandate; a limit names counters for the ledger to judge
 * in its atomic step, and afterwards words what the ledger saw. Neither does I/O, reads a clock or throws.
 */
import type { Action, Code, Json, Limit, LimitFact } from '@mandate/schemas';
import type { Mandate, ToolPolicy } from '../mandate/mandate.ts';
import type { Price } from '../price.ts';

/** What a static check looks at. */
export type Subject = {
  action: Action;
  /** The action as it is published: what is redacted there must not be told by a check either. */
  shown: Action;
  mandate: Mandate;
  /** The mandate's policy for this very tool, if it has one. */
  tool: ToolPolicy | null;
  price: Price;
  atMs: number;
};

export type Objection = { code: Code; reason: string; remedy: string };

/** Undefined: the check does not apply. An objection blocks. `saw` goes on the record. */
export type Finding = { saw: Json; objection: Objection | null } | undefined;

export type StaticCheck = { name: string; look(subject: Subject): Finding };

export type LimitCheck<L extends Limit = Limit, F extends LimitFact = LimitFact> = {
  name: string;
  /** Adds the counters that this action is held to, in the order in which they are judged. */
  limits(subject: Subject, limits: Limit[]): void;
  /** What the record says of one of them; `costMicros`: what the call was to reserve. */
  saw(limit: L, fact: F, costMicros: number): Json;
  /** What is said where the ledger refused. */
  objection(limit: L, fact: F): Objection;
};
