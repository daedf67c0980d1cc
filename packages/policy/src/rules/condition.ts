/**
 * Conditions, compiled. They are true, false or unknown: of a field that is missing, or of another type than an operator
 * compares, nothing is known, and nothing follows from it, under `not` either. Unknown is no match. Whoever means a
 * missing field says so, with `exists`.
 */
import {
  type Action,
  type Condition,
  type FieldCondition,
  type Json,
  type Scalar,
  stepsOf,
} from '@mandate/schemas';
import { linearPattern } from '../arguments/linear-pattern.ts';

/** What conditions are about. */
export type ConditionSubject = {
  agent: { readonly [attribute: string]: Json };
  action: Action;
};

/** Null: unknown. */
type Truth = boolean | null;

/** Where a field stands: `['context', 'environment']`. */
export type FieldPath = readonly string[];

export type CompiledCondition = {
  holds(subject: ConditionSubject): Truth;
  /** Every field that it may look at: where these are the same, so is the answer. */
  fields: readonly FieldPath[];
};

/** @throws PatternRefused for a pattern that is none, or could not be looked for in linear time */
export function compileCondition(condition: Condition): CompiledCondition {
  if ('all' in condition) return together(condition.all, (truths) => conjunction(truths));
  if ('any' in condition) return together(condition.any, (truths) => disjunction(truths));
  if ('not' in condition) return together(condition.not, (truths) => negation(disjunction(truths)));
  const field = stepsOf(condition.field);
  const holds = operatorOf(condition);
  return {
    holds(subject) {
      const value = fieldOf(subject, field);
      if (condition.op === 'exists') return (value !== undefined) === condition.value;
      return value === undefined ? null : holds(value);
    },
    fields: [field],
  };
}

/** Undefined where it is missing. A list has no fields, and what an object inherits is none of its own. */
export function fieldOf({ agent, action }: ConditionSubject, [root, ...steps]: FieldPath): Json | undefined {
  const from = { agent, action, context: action.context }[root as 'agent' | 'action' | 'context'];
  let value: Json | undefined = from as Json | undefined;
  for (const step of steps) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    value = Object.hasOwn(value, step) ? value[step] : undefined;
  }
  return value;
}

type Asked = (subject: ConditionSubject) => Iterable<Truth>;

function together(
  conditions: readonly Condition[],
  combine: (truths: Iterable<Truth>) => Truth,
): CompiledCondition {
  const compiled = conditions.map(compileCondition);
  // One by one, for as long as the answer is open.
  const asked: Asked = function* (subject) {
    for (const { holds } of compiled) yield holds(subject);
  };
  return {
    holds: (subject) => combine(asked(subject)),
    fields: compiled.flatMap(({ fields }) => fields),
  };
}

function conjunction(truths: Iterable<Truth>): Truth {
  let all: Truth = true;
  for (const truth of truths) {
    if (truth === false) return false;
    if (truth === null) all = null;
  }
  return all;
}

function disjunction(truths: Iterable<Truth>): Truth {
  let any: Truth = false;
  for (const truth of truths) {
    if (truth === true) return true;
    if (truth === null) any = null;
  }
  return any;
}

function negation(truth: Truth): Truth {
  return truth === null ? null : !truth;
}

function operatorOf(condition: FieldCondition): (value: Json) => Truth {
  switch (condition.op) {
    case '==':
      return ofScalars((value) => value === condition.value);
    case '!=':
      return ofScalars((value) => value !== condition.value);
    case 'in':
    case 'not_in': {
      const values = new Set<Json>(condition.value);
      return ofScalars((value) => values.has(value) === (condition.op === 'in'));
    }
    case 'contains':
      return (value) => contains(value, condition.value);
    case '>':
      return ofNumbers((value) => value > condition.value);
    case '>=':
      return ofNumbers((value) => value >= condition.value);
    case '<':
      return ofNumbers((value) => value < condition.value);
    case '<=':
      return ofNumbers((value) => value <= condition.value);
    case 'matches': {
      const pattern = linearPattern(condition.value);
      return ofTexts((value) => pattern.test(value));
    }
    case 'starts_with':
      return ofTexts((value) => value.startsWith(condition.value));
    case 'exists':
      return () => condition.value;
  }
}

/** A list holds it as an element, a text as a part. */
function contains(value: Json, sought: Scalar): Truth {
  if (Array.isArray(value)) return value.includes(sought);
  return typeof value === 'string' && typeof sought === 'string' ? value.includes(sought) : null;
}

/** A list or an object is neither equal to a value nor different from it. */
function ofScalars(compare: (value: Json) => boolean): (value: Json) => Truth {
  return (value) => (typeof value === 'object' && value !== null ? null : compare(value));
}

function ofNumbers(compare: (value: number) => boolean): (value: Json) => Truth {
  return (value) => (typeof value === 'number' ? compare(value) : null);
}

function ofTexts(compare: (value: string) => boolean): (value: Json) => Truth {
  return (value) => (typeof value === 'string' ? compare(value) : null);
}
