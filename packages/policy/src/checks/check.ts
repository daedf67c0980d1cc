/**
 * Defines checks. A check first gets the facts that all calls of a kind share. It returns a function for single
 * calls, or null if it does not apply. A static check decides about the request under one policy. A limit, which
 * policies may share, names counters. The ledger checks the counters in its atomic step, and then the limit puts the
 * facts into words. No check does I/O, reads a clock or throws.
 */
import type {
  Action,
  ActionKind,
  ActionType,
  Check,
  Code,
  Duties,
  Json,
  Limit,
  LimitFact,
  OriginViolation,
} from '@mandate/schemas';
import type { ContentFinders } from '../governance/output/content-finders.ts';
import type { Policy, ToolPolicy } from '../mandate/mandate.ts';
import type { KnownCall } from '../models/known-call.ts';
import type { Price } from '../price.ts';
import type { StepBudget } from '../step-budget.ts';

/** Calls of one kind under one policy, with the facts that every such call shares. */
export type Calls = {
  type: ActionType;
  /**
   * Says whether calls of this kind are checked as calls of tools or of models. This decides which lists, prices and
   * limits apply.
   */
  judgedAs: ActionKind['judgedAs'];
  /** True if the calls state an estimate above $0. */
  statesEstimate: boolean;
  policy: Policy;
  /** The index of the policy in its mandate. */
  at: number;
  /** The rules of the policy for this tool. Null if the policy has no rules for it. */
  tool: ToolPolicy | null;
};

/** A single call of this kind, with its facts. */
export type Subject = {
  action: Action;
  /**
   * The action as it is published. Texts of a check may quote only from this action, because other values may be
   * secret.
   */
  redacted: Action;
  /** The name of the used tool or model, as the request spells it. */
  name: string;
  /** What is known about the model and provider of an LLM call. Null for other actions. */
  call: KnownCall | null;
  price: Price;
  atMs: number;
  /** The step budget that is left for this action. All checks share it. */
  stepBudget: StepBudget;
  /** The ancestors of the agent, the nearest first. */
  ancestors: readonly string[];
  /** What finds personal data and profane words. Null if the program that decides gave none. */
  finders: ContentFinders | null;
};

/** The reason for a verdict, and the remedy: what the caller can do. */
export type Words = { reason: string; remedy: string };

export type Violation = Words & { code: Code };

/**
 * The result of a check. The result of a passed check is recorded as it is. A check that blocks, or that imposes an
 * obligation, returns more fields.
 */
export type Finding = Passed | Obliging | Blocked;
export type Passed = Check & { result: 'pass' };
type Obliging = {
  result: 'oblige';
  check: Check;
  duties: Duties;
  dutiesOfIntent?: Readonly<Record<string, Duties>>;
  /** What a model chose that was left out. */
  violations?: readonly OriginViolation[];
  /** The intent of the turn that an ALLOW opens. */
  opensTurn?: string;
};
type Blocked = {
  result: 'block';
  check: Check;
  violation: Violation;
  /** What a model chose that it must not choose. */
  violations?: readonly OriginViolation[];
};

export type CheckFn = (subject: Subject) => Finding;

/** Makes the check for calls of one kind. Null if the check does not apply to such calls. */
export type StaticCheck = (calls: Calls) => CheckFn | null;

/**
 * A check about all policies together, for calls of one kind. It runs after the static checks, if none of them blocks.
 * Null if the check does not apply. `of`: the policy that the finding is about.
 */
export type JointCheck = (calls: readonly Calls[]) => {
  check: string;
  run(subject: Subject): JointFinding;
} | null;
export type JointFinding = Finding & { of?: Policy };

export function passed(check: string, evidence: Json): Passed {
  return { check, result: 'pass', evidence };
}

/** Returns a passed check with duties. The program that executes the action must fulfil their obligations. */
export function obliging(check: string, evidence: Json, duties: Duties): Obliging {
  return { result: 'oblige', check: { check, result: 'pass', evidence }, duties };
}

export function blocked(check: string, evidence: Json, violation: Violation): Blocked {
  return { result: 'block', check: { check, result: 'block', evidence }, violation };
}

/** Returns the counter and the limit for a call. Null if the limit does not apply to this call. */
export type LimitOf<L extends Limit = Limit> = (subject: Subject) => L | null;

/**
 * Adds to a limit the name of the policy that sets the limit, and the ancestor that has the policy. Adds no name if the
 * policy has none, and no ancestor if the agent itself has the policy. `otherLimits`: other limits on the same counter.
 */
export function under<L extends Limit>(
  { name: policy, ancestor }: Pick<Policy, 'name' | 'ancestor'>,
  limit: LimitOf<L>,
  otherLimits: readonly NonNullable<L['otherLimits']>[number][] = [],
): LimitOf<L> {
  if (otherLimits.length > 0) {
    const alone = under({ name: policy, ancestor }, limit);
    return (subject) => withFields(alone(subject), { otherLimits });
  }
  if (policy === null)
    return ancestor === null ? limit : (subject) => withFields(limit(subject), { ancestor });
  if (ancestor === null) return (subject) => withFields(limit(subject), { policy });
  return (subject) => withFields(limit(subject), { policy, ancestor });
}

function withFields<L extends Limit>(limit: L | null, fields: object): L | null {
  return limit === null ? null : { ...limit, ...fields };
}

export type LimitCheck<L extends Limit = Limit, F extends LimitFact = LimitFact> = {
  name: string;
  /**
   * Returns the limits of a call under all policies of a mandate, in the order in which they are checked. Each
   * counter is listed once.
   */
  limits(calls: readonly Calls[]): readonly LimitOf<L>[];
  /**
   * Returns the evidence about one limit for the record. `cost` is the amount that the call would reserve, in the
   * unit of the limit.
   */
  evidence(limit: L, fact: F, cost: number): Json;
  /** Returns the reason and remedy of a refusal. The ledger's step decides the verdict and the code. */
  violation(limit: L, fact: F): Words;
};
