/**
 * What a check is. It is told once which calls it is about, and gives what it asks of each of them: a static check looks
 * at the request for one policy; a limit, which policies may share, names counters for the ledger to judge in its atomic step, and afterwards words what the
 * ledger saw. Neither does I/O, reads a clock or throws.
 */
import type {
  Action,
  ActionKind,
  ActionType,
  Check,
  Code,
  Json,
  Limit,
  LimitFact,
  Obligations,
} from '@mandate/schemas';
import type { Effort } from '../effort.ts';
import type { Policy, ToolPolicy } from '../mandate/mandate.ts';
import type { KnownCall } from '../models/known-call.ts';
import type { Price } from '../price.ts';

/** Calls of one kind under one policy, with the facts that every such call shares. */
export type Calls = {
  type: ActionType;
  /** Which lists, prices and limits judge them: those of tools, of models, or only their own. */
  judgedAs: ActionKind['judgedAs'];
  /** Whether the requests state an estimate above $0. */
  statesEstimate: boolean;
  policy: Policy;
  /** The index of the policy in its mandate. */
  at: number;
  /** The rules of the policy for this tool; null if it has none. */
  tool: ToolPolicy | null;
};

/** One of those calls. */
export type Subject = {
  action: Action;
  /** The action as it is published. A check must name only what this action still contains. */
  redacted: Action;
  /** What the action is about, as the request names it: the tool, the model. */
  name: string;
  /** The known facts about the model and provider of an LLM call; null for other actions. */
  call: KnownCall | null;
  price: Price;
  atMs: number;
  /** The rest of the budget of steps for this action, shared by all checks. */
  effort: Effort;
};

/** The reason for a verdict, and what to do about it. */
export type Words = { reason: string; remedy: string };

export type Objection = Words & { code: Code };

/** A check that passed gives what goes on the record. A check that blocked, or that obliges to something, gives that besides. */
type Finding = Passed | Obliging | Blocked;
type Passed = Check & { result: 'pass' };
type Obliging = { result: 'oblige'; check: Check; obligations: Obligations };
type Blocked = { result: 'block'; check: Check; objection: Objection };

export type Look = (subject: Subject) => Finding;

/** Null: such calls are not held to it. */
export type StaticCheck = (calls: Calls) => Look | null;

export function passed(check: string, evidence: Json): Passed {
  return { check, result: 'pass', evidence };
}

/** The check passed, and the program that executes the action must do what `obligations` name. */
export function obliging(check: string, evidence: Json, obligations: Obligations): Obliging {
  return { result: 'oblige', check: { check, result: 'pass', evidence }, obligations };
}

export function blocked(check: string, evidence: Json, objection: Objection): Blocked {
  return { result: 'block', check: { check, result: 'block', evidence }, objection };
}

/** The counter that a call is held to. */
export type LimitOf<L extends Limit = Limit> = (subject: Subject) => L;

/**
 * If a mandate has several policies, the limit also names the policy that sets it, and the ancestor that holds that policy.
 * `otherLimits`: other limits on the same counter.
 */
export function under<L extends Limit>(
  { name: policy, holder }: Pick<Policy, 'name' | 'holder'>,
  limit: LimitOf<L>,
  otherLimits: readonly NonNullable<L['otherLimits']>[number][] = [],
): LimitOf<L> {
  if (otherLimits.length > 0) {
    const alone = under({ name: policy, holder }, limit);
    return (subject) => ({ ...alone(subject), otherLimits });
  }
  if (policy === null) return limit;
  if (holder === null) return (subject) => ({ ...limit(subject), policy });
  return (subject) => ({ ...limit(subject), policy, holder });
}

export type LimitCheck<L extends Limit = Limit, F extends LimitFact = LimitFact> = {
  name: string;
  /**
   * The limits of a call under all policies of a mandate, in the order in which they are judged. Each counter is listed
   * once.
   */
  limits(calls: readonly Calls[]): readonly LimitOf<L>[];
  /** What the record says of one of them; `costMicros`: what the call was to reserve. */
  evidence(limit: L, fact: F, costMicros: number): Json;
  /** The words of a refusal. The step gives its verdict and code. */
  objection(limit: L, fact: F): Words;
};
