/** Finds conditions that contradict each other. A rule with all of these conditions never applies. */

import { compileCondition } from '@mandate/policy';
import { conjuncts, consume, type StepBudget, typeOf } from '@mandate/policy/parts';
import { type Condition, type FieldCondition, type Json, llmCall, stepsOf, toolCall } from '@mandate/schemas';

/** True if no action of any agent meets all conditions. Also false if this is unknown. */
export function neverHold(conditions: readonly Condition[], stepBudget: StepBudget): boolean {
  const all = conditions.flatMap(conjuncts);
  if (!consume(stepBudget, all.length)) return false;
  const ofFields = all.filter(isOfField);
  const excluded = all.flatMap((one) => ('not' in one ? one.not : [])).filter(isOfField);
  const excludedOf = byField(excluded);
  const fields = byField([...ofFields, ...ofFields.flatMap(implied)]);
  for (const [field, asked] of fields)
    if (isImpossible(asked, excludedOf.get(field) ?? [], stepBudget)) return true;
  const choices = all.flatMap((one) => ('any' in one ? [one.any] : []));
  return choices.some((any) => any.every((choice) => neverHold([...ofFields, choice], stepBudget)));
}

function isOfField(condition: Condition): condition is FieldCondition {
  return 'field' in condition;
}

function byField(conditions: readonly FieldCondition[]): Map<string, FieldCondition[]> {
  return Map.groupBy(conditions, ({ field }) => JSON.stringify(stepsOf(field)));
}

const TYPES = [toolCall, llmCall].map(({ shape }) => ({ type: shape.type.value, fields: shape }));

/**
 * Returns the conditions that follow from a condition. If only some types of action have the field, the action must
 * have one of these types.
 */
function implied(condition: FieldCondition): FieldCondition[] {
  const [root, name = ''] = stepsOf(condition.field);
  if (root !== 'action' || !needsValue(condition)) return [];
  const value = TYPES.filter(({ fields }) => Object.hasOwn(fields, name)).map(({ type }) => type);
  return value.length === 0 ? [] : [{ field: 'action.type', op: 'in', value }];
}

function needsValue(condition: FieldCondition): boolean {
  return condition.op !== 'exists' || condition.value;
}

/**
 * True if the conditions on one field contradict each other. If a condition lists the possible values, each value is
 * tried.
 */
function isImpossible(
  asked: readonly FieldCondition[],
  excluded: readonly FieldCondition[],
  stepBudget: StepBudget,
): boolean {
  const isThere = asked.some(needsValue);
  if (!isThere) return false;
  if (!asked.every(needsValue)) return true;
  const named = asked.flatMap((one) =>
    one.op === '==' ? [[one.value]] : one.op === 'in' ? [one.value] : [],
  );
  const [values] = named;
  if (values === undefined) {
    const all = [...asked, ...excluded];
    return (
      TYPES_OF_VALUES.every((type) => !all.every((one) => isKnownOf(type, one))) ||
      isEmptyRange(asked) ||
      differ(asked)
    );
  }
  const tests = [...asked.map((one) => told(one, true)), ...excluded.map((one) => told(one, false))];
  const isMet = values.some((value) => tests.every((isSo) => isSo(value, stepBudget)));
  return !isMet && stepBudget.left >= 0;
}

const SAID = ['context', 'said'];
/** The cost of compiling one condition. */
const OF_CONDITION = 10;

/**
 * Returns a test of values. The condition is compiled at the first test. Each test costs the number of steps that its
 * pattern needs.
 */
function told(condition: FieldCondition, truth: boolean): (value: Json, stepBudget: StepBudget) => boolean {
  let compiled: ReturnType<typeof compileCondition> | null = null;
  return (said, stepBudget) => {
    if (!consume(stepBudget, OF_CONDITION)) return false;
    compiled ??= compileCondition({ ...condition, field: SAID });
    const action = { context: { said } } as unknown as Parameters<typeof compiled.holds>[0]['action'];
    return compiled.holds({ agent: {}, action }, stepBudget) === truth;
  };
}

const TYPES_OF_VALUES = ['null', 'boolean', 'number', 'string', 'list', 'object'] as const;

/** True if the answer of the condition is known for values of this type. */
function isKnownOf(type: (typeof TYPES_OF_VALUES)[number], condition: FieldCondition): boolean {
  switch (condition.op) {
    case '>':
    case '>=':
    case '<':
    case '<=':
      return type === 'number';
    case 'matches':
    case 'starts_with':
      return type === 'string';
    case 'contains':
      return type === 'list' || (type === 'string' && typeof condition.value === 'string');
    case '==':
    case '!=':
      return type === typeOf(condition.value);
    case 'in':
    case 'not_in':
      return condition.value.some((value) => type === typeOf(value));
    case 'exists':
      return true;
  }
}

function isEmptyRange(asked: readonly FieldCondition[]): boolean {
  let [low, high, isOpen] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, false];
  for (const { op, value } of asked) {
    if (op === '>' || op === '>=') low = Math.max(low, value);
    if (op === '<' || op === '<=') high = Math.min(high, value);
  }
  for (const { op, value } of asked)
    if ((op === '>' && value === low) || (op === '<' && value === high)) isOpen = true;
  return low > high || (low === high && isOpen);
}

/** True if no text begins with all of the required prefixes. */
function differ(asked: readonly FieldCondition[]): boolean {
  const starts = asked.flatMap((one) => (one.op === 'starts_with' ? [one.value] : []));
  const longest = starts.reduce((one, other) => (one.length < other.length ? other : one), '');
  return starts.some((start) => !longest.startsWith(start));
}
