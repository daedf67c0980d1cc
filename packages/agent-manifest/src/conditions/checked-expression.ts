/**
 * Turns the parser's tree into a checked expression. The parser accepts every name, so names, functions, macros and
 * patterns are checked here.
 */
import type { parse } from '@bufbuild/cel';
import type { StepBudget } from '@mandate/policy/parts';
import type { Expression, Macro } from './expression.ts';
import { FUNCTIONS, METHODS } from './functions.ts';
import { patternFault } from './linear-match.ts';
import { OPERATORS } from './operators.ts';
import { TYPE_NAMES, type Value } from './values.ts';

type Parsed = ReturnType<typeof parse>['expr'];
type Kind<C extends Parsed['exprKind']['case']> = Extract<Parsed['exprKind'], { case: C }>['value'];

/** The variables of every expression in a manifest. */
const VARIABLES: ReadonlySet<string> = new Set(['inputs', 'state', 'steps', 'run']);
const MACROS: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'existsOne', 'map', 'filter']);

/** The fault of an expression, in words for its author. */
export class ExpressionFault extends Error {}

/** The surroundings of a part of an expression. */
type Place = {
  /** The variable of the macro around the part. Null outside of macros. */
  readonly variable: string | null;
  /** The size that is left for further patterns of the expression. */
  readonly patterns: StepBudget;
};

/**
 * @param patterns the size that the patterns of the expression may have together; their size is subtracted
 * @throws ExpressionFault
 */
export function checkedExpression(parsed: Parsed, patterns: StepBudget): Expression {
  return checked(parsed, { variable: null, patterns });
}

function checked(parsed: Parsed | undefined, place: Place): Expression {
  const kind = parsed?.exprKind;
  const inner = (part: Parsed | undefined) => checked(part, place);
  switch (kind?.case) {
    case 'constExpr':
      return { do: 'value', value: constant(kind.value) };
    case 'identExpr':
      return named(kind.value.name, place.variable);
    case 'selectExpr': {
      const { operand, field, testOnly } = kind.value;
      return { do: testOnly ? 'has' : 'field', of: inner(operand), name: field };
    }
    case 'listExpr':
      return { do: 'list', items: kind.value.elements.map(inner) };
    case 'structExpr':
      return mapOf(kind.value, inner);
    case 'callExpr':
      return call(kind.value, place);
    case 'comprehensionExpr':
      return macro(kind.value, place);
    default:
      throw new ExpressionFault('the expression is not complete');
  }
}

function constant({ constantKind }: Kind<'constExpr'>): Value {
  switch (constantKind.case) {
    case 'nullValue':
      return null;
    case 'uint64Value':
      return { is: 'uint', value: constantKind.value };
    case 'boolValue':
    case 'int64Value':
    case 'doubleValue':
    case 'stringValue':
    case 'bytesValue':
      return constantKind.value;
    default:
      throw new ExpressionFault('the expression has a constant that is not known');
  }
}

function named(name: string, variable: string | null): Expression {
  if (name === variable || VARIABLES.has(name)) return { do: 'variable', name };
  if (TYPE_NAMES.has(name)) return { do: 'value', value: { is: 'type', name } };
  throw new ExpressionFault(
    `${name} is not known: an expression may use ${[...VARIABLES].join(', ')}, as in state.score`,
  );
}

function mapOf(
  { messageName, entries }: Kind<'structExpr'>,
  inner: (part: Parsed | undefined) => Expression,
): Expression {
  if (messageName !== '')
    throw new ExpressionFault(`${messageName} {…} is not known: write a map, {"key": value}`);
  return {
    do: 'map',
    entries: entries.map(({ keyKind, value }) => {
      if (keyKind.case !== 'mapKey') throw new ExpressionFault('a map needs values as keys, {"key": value}');
      return [inner(keyKind.value), inner(value)] as const;
    }),
  };
}

function call({ function: name, target, args }: Kind<'callExpr'>, place: Place): Expression {
  const inner = (part: Parsed | undefined) => checked(part, place);
  const [first, second, third] = args;
  if (name === '_&&_' || name === '_||_') {
    return { do: name === '_&&_' ? 'and' : 'or', left: inner(first), right: inner(second) };
  }
  if (name === '_?_:_') {
    return { do: 'choose', condition: inner(first), whenTrue: inner(second), whenFalse: inner(third) };
  }
  const operator = target === undefined ? OPERATORS.get(name) : undefined;
  if (operator !== undefined) return { do: 'call', operation: operator, operands: args.map(inner) };
  const callable = (target === undefined ? FUNCTIONS : METHODS).get(name);
  if (callable === undefined) throw new ExpressionFault(unknownFunction(name, target !== undefined));
  if (args.length < callable.leastArguments || args.length > callable.mostArguments) {
    throw new ExpressionFault(`${name}() does not take ${args.length} arguments`);
  }
  if (target !== undefined && name === 'matches') refusePattern(first, place);
  const operands = target === undefined ? args : [target, ...args];
  return { do: 'call', operation: callable, operands: operands.map(inner) };
}

function unknownFunction(name: string, isMethod: boolean): string {
  if (name === 'has') return 'has() needs a field, as in has(state.score)';
  if (isMethod && MACROS.has(name))
    return `${name}() needs a name and a test, as in state.list.all(x, x > 0)`;
  return `the function ${name}() is not known`;
}

/** A pattern that comes from data cannot be checked before the run. */
function refusePattern(pattern: Parsed | undefined, { patterns }: Place): void {
  const kind = pattern?.exprKind;
  const value = kind?.case === 'constExpr' ? constant(kind.value) : null;
  if (typeof value !== 'string') throw new ExpressionFault('matches() needs a pattern that is written out');
  const fault = patternFault(value, patterns);
  if (fault !== null) throw new ExpressionFault(fault);
}

/** The parser has expanded macros to loops. The form of a loop says which macro it was. */
function macro({ iterVar, iterRange, accuInit, loopStep }: Kind<'comprehensionExpr'>, place: Place): Macro {
  if (place.variable !== null) throw new ExpressionFault('a macro may not stand within a macro');
  const over = checked(iterRange, place);
  const init = accuInit?.exprKind;
  const start = init?.case === 'constExpr' ? constant(init.value) : null;
  const [first, second] = loopStep?.exprKind.case === 'callExpr' ? loopStep.exprKind.value.args : [];
  const inner = (part: Parsed | undefined) => checked(part, { ...place, variable: iterVar });
  const always: Expression = { do: 'value', value: true };
  const common = { over, variable: iterVar } as const;
  if (start === true || start === false) {
    return { do: start ? 'all' : 'exists', ...common, test: inner(second), result: always };
  }
  if (start === 0n) return { do: 'exists_one', ...common, test: inner(first), result: always };
  // map() adds each result to the list. filter(), and map() with a test, add only results for which the test is true.
  const unconditional = addedBy(loopStep);
  if (unconditional !== undefined) {
    return { do: 'collect', ...common, test: always, result: inner(unconditional) };
  }
  return { do: 'collect', ...common, test: inner(first), result: inner(addedBy(second)) };
}

/** Returns what `list + [item]` adds. */
function addedBy(step: Parsed | undefined): Parsed | undefined {
  const added = step?.exprKind.case === 'callExpr' ? step.exprKind.value.args[1] : undefined;
  return added?.exprKind.case === 'listExpr' ? added.exprKind.value.elements[0] : undefined;
}
