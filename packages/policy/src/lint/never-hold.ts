/** Conditions that contradict each other, so that a rule which asks all of them never applies. */
import { type Condition, type FieldCondition, type Json, llmCall, stepsOf, toolCall } from '@mandate/schemas';
import type { Effort } from '../effort.ts';
import { compileCondition } from '../rules/condition.ts';
import { conjuncts } from '../rules/rule.ts';

/** Whether no action of any agent meets all of them. False as well where that is not known. */
export function neverHold(conditions: readonly Condition[], effort: Effort): boolean {
  const all = conditions.flatMap(conjuncts);
  const ofFields = all.filter((one): one is FieldCondition => 'field' in one);
  const impossible = [...byField([...ofFields, ...ofFields.flatMap(implied)]).values()].some((asked) =>
    isImpossible(asked, effort),
  );
  if (impossible) return true;
  const choices = all.flatMap((one) => ('any' in one ? [one.any] : []));
  return choices.some((any) => any.every((choice) => neverHold([...ofFields, choice], effort)));
}

function byField(conditions: readonly FieldCondition[]): Map<string, FieldCondition[]> {
  const fields = new Map<string, FieldCondition[]>();
  for (const condition of conditions) {
    const field = JSON.stringify(stepsOf(condition.field));
    fields.set(field, [...(fields.get(field) ?? []), condition]);
  }
  return fields;
}

const TYPES = [toolCall, llmCall].map(({ shape }) => ({ type: shape.type.value, fields: shape }));

/** What is asked of a field that only some actions have says of which type they are. */
function implied(condition: FieldCondition): FieldCondition[] {
  const [root, name = ''] = stepsOf(condition.field);
  if (root !== 'action' || !needsValue(condition)) return [];
  const value = TYPES.filter(({ fields }) => Object.hasOwn(fields, name)).map(({ type }) => type);
  return value.length === 0 ? [] : [{ field: 'action.type', op: 'in', value }];
}

function needsValue(condition: FieldCondition): boolean {
  return condition.op !== 'exists' || condition.value;
}

/** Of one field. Where some condition says which values it may have, each is tried; else what none can have is looked for. */
function isImpossible(asked: readonly FieldCondition[], effort: Effort): boolean {
  const isThere = asked.some(needsValue);
  if (!isThere) return false;
  if (!asked.every(needsValue)) return true;
  const named = asked.flatMap((one) =>
    one.op === '==' ? [[one.value]] : one.op === 'in' ? [one.value] : [],
  );
  const [values] = named;
  if (values !== undefined) {
    const compiled = asked.map(holdsOf);
    const isMet = values.some((value) => compiled.every((holds) => holds(value, effort)));
    return !isMet && effort.left >= 0;
  }
  return (
    KINDS.every((kind) => !asked.every((one) => isOf(kind, one))) || isEmptyRange(asked) || differ(asked)
  );
}

const SAID = ['context', 'said'];

function holdsOf(condition: FieldCondition): (value: Json, effort: Effort) => boolean {
  const { holds } = compileCondition({ ...condition, field: SAID });
  return (said, effort) => {
    const action = { context: { said } } as unknown as Parameters<typeof holds>[0]['action'];
    return holds({ agent: {}, action }, effort) === true;
  };
}

const KINDS = ['number', 'text', 'other scalar', 'list'] as const;

/** Whether a value of the kind may meet it. */
function isOf(kind: (typeof KINDS)[number], condition: FieldCondition): boolean {
  switch (condition.op) {
    case '>':
    case '>=':
    case '<':
    case '<=':
      return kind === 'number';
    case 'matches':
    case 'starts_with':
      return kind === 'text';
    case 'contains':
      return kind === 'list' || (kind === 'text' && typeof condition.value === 'string');
    case '!=':
    case 'not_in':
      return kind !== 'list';
    default:
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

/** No text begins with both. */
function differ(asked: readonly FieldCondition[]): boolean {
  const starts = asked.flatMap((one) => (one.op === 'starts_with' ? [one.value] : []));
  const longest = starts.reduce((one, other) => (one.length < other.length ? other : one), '');
  return starts.some((start) => !longest.startsWith(start));
}
