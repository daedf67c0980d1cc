/** Evaluates a checked expression. Every node costs work, so the evaluation is bounded whatever the data are. */
import type { StepBudget } from '@mandate/policy/parts';
import type { Expression, Macro } from './expression.ts';
import { mapOfEntries } from './literal-map.ts';
import type { Operation } from './operation.ts';
import { failure, isA, isFailure, list, type Result, typeOf, type Value } from './values.ts';
import { spend } from './work.ts';

export type Scope = {
  readonly budget: StepBudget;
  /** Returns the value of a variable. Undefined if the run has no such variable yet. */
  readonly lookUp: (name: string) => Value | undefined;
};

/** @throws EvaluationEnded if the work exceeds the budget */
export function evaluate(expression: Expression, scope: Scope): Result {
  spend(scope.budget, 1);
  switch (expression.do) {
    case 'value':
      return expression.value;
    case 'variable': {
      const value = scope.lookUp(expression.name);
      return value === undefined ? failure(`${expression.name} has no value here`) : value;
    }
    case 'field':
      return field(evaluate(expression.of, scope), expression.name);
    case 'has':
      return has(evaluate(expression.of, scope), expression.name);
    case 'list': {
      const items = evaluateAll(expression.items, scope);
      return isItems(items) ? list(items) : items;
    }
    case 'map':
      return map(expression.entries, scope);
    case 'and':
      return connect(expression.left, expression.right, false, scope);
    case 'or':
      return connect(expression.left, expression.right, true, scope);
    case 'choose': {
      const condition = evaluate(expression.condition, scope);
      if (isFailure(condition)) return condition;
      if (typeof condition !== 'boolean') return failure(`? needs a bool, not ${typeOf(condition)}`);
      return evaluate(condition ? expression.whenTrue : expression.whenFalse, scope);
    }
    case 'call': {
      const operands = evaluateAll(expression.operands, scope);
      return isItems(operands) ? call(expression.operation, operands, scope) : operands;
    }
    default:
      return loop(expression, scope);
  }
}

function call(operation: Operation, operands: readonly Value[], { budget }: Scope): Result {
  const result = operation.run(operands, budget);
  if (result !== undefined) return result;
  return failure(`${operation.name} does not take (${operands.map(typeOf).join(', ')})`);
}

function field(of: Result, name: string): Result {
  if (isFailure(of)) return of;
  if (!isA(of, 'map')) return failure(`${typeOf(of)} has no field ${name}`);
  const value = of.get(name);
  return value === undefined ? failure(`the field ${name} is missing`) : value;
}

function has(of: Result, name: string): Result {
  if (isFailure(of)) return of;
  return isA(of, 'map') ? of.get(name) !== undefined : failure(`${typeOf(of)} has no fields`);
}

/** `&&` and `||`: if one operand decides the result, a failure of the other operand does not matter. */
function connect(left: Expression, right: Expression, decides: boolean, scope: Scope): Result {
  const first = evaluate(left, scope);
  if (first === decides) return decides;
  const second = evaluate(right, scope);
  if (second === decides) return decides;
  for (const operand of [first, second]) {
    if (isFailure(operand)) return operand;
    if (typeof operand !== 'boolean') {
      return failure(`${decides ? '||' : '&&'} needs bools, not ${typeOf(operand)}`);
    }
  }
  return !decides;
}

function map(entries: readonly (readonly [Expression, Expression])[], scope: Scope): Result {
  spend(scope.budget, entries.length * 2);
  const operands = evaluateAll(entries.flat(), scope);
  return isItems(operands) ? mapOfEntries(operands) : operands;
}

function evaluateAll(expressions: readonly Expression[], scope: Scope): Value[] | Result {
  const values: Value[] = [];
  for (const expression of expressions) {
    const value = evaluate(expression, scope);
    if (isFailure(value)) return value;
    values.push(value);
  }
  return values;
}

function isItems(values: Value[] | Result): values is Value[] {
  return Array.isArray(values);
}

function loop(macro: Macro, scope: Scope): Result {
  const over = evaluate(macro.over, scope);
  if (isFailure(over)) return over;
  const items = itemsOf(over);
  if (items === null) return failure(`a macro needs a list or a map, not ${typeOf(over)}`);
  let item: Value = null;
  const lookUp = (name: string) => (name === macro.variable ? item : scope.lookUp(name));
  const inside: Scope = { budget: scope.budget, lookUp };
  const ask = (value: Value) => {
    item = value;
    return evaluate(macro.test, inside);
  };
  if (macro.do === 'all') return quantify(items, false, ask);
  if (macro.do === 'exists') return quantify(items, true, ask);
  const collected: Value[] = [];
  for (const value of items) {
    const holds = ask(value);
    if (isFailure(holds)) return holds;
    if (typeof holds !== 'boolean') return failure(`a macro's test needs a bool, not ${typeOf(holds)}`);
    if (!holds) continue;
    const result = evaluate(macro.result, inside);
    if (isFailure(result)) return result;
    collected.push(result);
  }
  return macro.do === 'exists_one' ? collected.length === 1 : list(collected);
}

/** Like `&&` or `||` over all items. */
function quantify(items: readonly Value[], decides: boolean, ask: (item: Value) => Result): Result {
  let failed: Result = !decides;
  for (const item of items) {
    const holds = ask(item);
    if (holds === decides) return decides;
    if (isFailure(failed)) continue;
    if (isFailure(holds)) failed = holds;
    else if (typeof holds !== 'boolean')
      failed = failure(`a macro's test needs a bool, not ${typeOf(holds)}`);
  }
  return failed;
}

function itemsOf(value: Value): readonly Value[] | null {
  if (isA(value, 'list')) return value.items;
  return isA(value, 'map') ? value.keys() : null;
}
