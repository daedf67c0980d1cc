/**
 * Compiles conditions. A condition is true, false or unknown. It is unknown if its field is missing, or has another
 * type than the operator compares. `not` of an unknown condition is unknown, and a rule applies only if all its
 * conditions are true. Only `exists` is never unknown.
 */

import type { Action, Condition, FieldCondition, Json, Scalar } from '@mandate/schemas';
import { isDigested, isModelCall, stepsOf } from '@mandate/schemas/core';
import { linearPattern } from '../arguments/linear-pattern.ts';
import { endlessRoom } from '../arguments/pattern-size.ts';
import { endOfFirst, type Segment, segmentOf } from '../glob-pattern.ts';
import { knownCall } from '../models/known-call.ts';
import { consume, type StepBudget } from '../step-budget.ts';

/** The agent and the action that conditions read. */
export type ConditionSubject = {
  agent: { readonly [attribute: string]: Json };
  action: Action;
};

/** Null means unknown. */
type Truth = boolean | null;

/** The path of a field, as names: `['context', 'environment']`. */
export type FieldPath = readonly string[];

export type CompiledCondition = {
  /**
   * Evaluates the condition. If the step budget is exceeded, the result is unknown and `stepBudget.left` is below 0.
   */
  holds(subject: ConditionSubject, stepBudget: StepBudget): Truth;
  /** Every field that the condition may read. The result and its steps depend on these fields only. */
  fields: readonly FieldPath[];
};

/** The fewest steps of one condition. The unit is the step of a pattern. */
const OF_CONDITION = 4;

/**
 * @param room the total size that its patterns may have; their sizes are subtracted
 * @throws PatternRefused for a pattern that is invalid, cannot run in linear time, or exceeds the room
 */
export function compileCondition(condition: Condition, room: StepBudget = endlessRoom()): CompiledCondition {
  const each = (parts: readonly Condition[]) => parts.map((part) => compileCondition(part, room));
  if ('all' in condition) return together(each(condition.all), (truths) => conjunction(truths));
  if ('any' in condition) return together(each(condition.any), (truths) => disjunction(truths));
  if ('not' in condition) return together(each(condition.not), (truths) => negation(disjunction(truths)));
  const field = stepsOf(condition.field);
  const holds = operatorOf(condition, room);
  return {
    holds(subject, stepBudget) {
      if (!consume(stepBudget, OF_CONDITION)) return null;
      const value = fieldOf(subject, field);
      // A rule that cannot read its field must not count as a rule that does not match. So the action is refused, as
      // if its step budget were used up.
      if (isDigested(value) || (Array.isArray(value) && value.some(isDigested))) {
        stepBudget.left = -1;
        return null;
      }
      if (condition.op === 'exists') return (value !== undefined) === condition.value;
      return value === undefined ? null : holds(value, stepBudget);
    },
    fields: [field],
  };
}

/**
 * Returns the value of a field. Undefined if the field is missing. If the field is inside a digested value, returns the
 * digest. A list has no fields, and inherited members do not count. The model and the provider of an LLM call are read
 * in their normal form. Otherwise an agent could evade a rule with another spelling.
 */
export function fieldOf({ agent, action }: ConditionSubject, [root, ...steps]: FieldPath): Json | undefined {
  if (root === 'action' && isModelCall(action) && steps.length === 1) {
    if (steps[0] === 'model') return knownCall(action).model;
    if (steps[0] === 'provider') return knownCall(action).provider ?? undefined;
  }
  const from = { agent, action, context: action.context }[root as 'agent' | 'action' | 'context'];
  let value: Json | undefined = from as Json | undefined;
  for (const step of steps) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    if (isDigested(value)) return value;
    value = Object.hasOwn(value, step) ? value[step] : undefined;
  }
  return value;
}

type Asked = (subject: ConditionSubject, stepBudget: StepBudget) => Iterable<Truth>;

function together(
  compiled: readonly CompiledCondition[],
  combine: (truths: Iterable<Truth>) => Truth,
): CompiledCondition {
  // Evaluates the conditions one by one, so the caller can stop once the result is known.
  const asked: Asked = function* (subject, stepBudget) {
    for (const { holds } of compiled) yield holds(subject, stepBudget);
  };
  return {
    holds: (subject, stepBudget) => combine(asked(subject, stepBudget)),
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

type Operator = (value: Json, stepBudget: StepBudget) => Truth;

function operatorOf(condition: FieldCondition, room: StepBudget): Operator {
  switch (condition.op) {
    case '==':
      return ofTypes([condition.value], (value) => value === condition.value);
    case '!=':
      return ofTypes([condition.value], (value) => value !== condition.value);
    case 'in':
    case 'not_in': {
      const values = new Set<Json>(condition.value);
      return ofTypes(condition.value, (value) => values.has(value) === (condition.op === 'in'));
    }
    case 'contains':
      return contains(condition.value);
    case '>':
      return ofNumbers((value) => value > condition.value);
    case '>=':
      return ofNumbers((value) => value >= condition.value);
    case '<':
      return ofNumbers((value) => value < condition.value);
    case '<=':
      return ofNumbers((value) => value <= condition.value);
    case 'matches': {
      const { test } = linearPattern(condition.value, room);
      return (value, stepBudget) => {
        if (typeof value !== 'string') return null;
        const is = test(value, stepBudget);
        return stepBudget.left < 0 ? null : is;
      };
    }
    case 'starts_with':
      return (value) => (typeof value === 'string' ? value.startsWith(condition.value) : null);
    case 'exists':
      return () => condition.value;
  }
}

/**
 * Up to this length of the sought text, the search of the JavaScript engine is used, because it is fast for short
 * texts. For longer texts another search is used that always takes linear time.
 */
const SHORT = 16;

/**
 * Returns the operator `contains`. A text contains another text as a part. A list contains a value if an element
 * equals it. If no element equals it, and an element has another type, the result is unknown.
 */
function contains(sought: Scalar): Operator {
  const segment: Segment | null =
    typeof sought === 'string' && sought.length > SHORT ? segmentOf(sought) : null;
  return (value, stepBudget) => {
    if (Array.isArray(value)) {
      if (!consume(stepBudget, value.length)) return null;
      return (
        value.includes(sought) ||
        (value.every((element) => typeOf(element) === typeOf(sought)) ? false : null)
      );
    }
    if (typeof value !== 'string' || typeof sought !== 'string') return null;
    if (!consume(stepBudget, value.length)) return null;
    return segment === null ? value.includes(sought) : endOfFirst(segment, value, 0, value.length) >= 0;
  };
}

/**
 * Returns the comparison `compare` as an operator. The result is unknown if the value has another type than all
 * values of `compared`.
 */
function ofTypes(compared: readonly Scalar[], compare: (value: Json) => boolean): Operator {
  const types = new Set(compared.map(typeOf));
  return (value) => (types.has(typeOf(value)) ? compare(value) : null);
}

/** Returns the type of a value. Null and lists have types of their own. */
export function typeOf(value: Json): 'null' | 'boolean' | 'number' | 'string' | 'list' | 'object' {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  return typeof value as 'boolean' | 'number' | 'string' | 'object';
}

function ofNumbers(compare: (value: number) => boolean): Operator {
  return (value) => (typeof value === 'number' ? compare(value) : null);
}
