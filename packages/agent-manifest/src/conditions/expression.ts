/** The tree of an expression that was checked: every name and function in it is known. */
import type { Operation } from './operation.ts';
import type { Value } from './values.ts';

export type Expression =
  | { readonly do: 'value'; readonly value: Value }
  | { readonly do: 'variable'; readonly name: string }
  | { readonly do: 'field' | 'has'; readonly of: Expression; readonly name: string }
  | { readonly do: 'list'; readonly items: readonly Expression[] }
  | { readonly do: 'map'; readonly entries: readonly (readonly [key: Expression, value: Expression])[] }
  | { readonly do: 'and' | 'or'; readonly left: Expression; readonly right: Expression }
  | {
      readonly do: 'choose';
      readonly condition: Expression;
      readonly whenTrue: Expression;
      readonly whenFalse: Expression;
    }
  | { readonly do: 'call'; readonly operation: Operation; readonly operands: readonly Expression[] }
  | Macro;

/**
 * A loop. `test` is the expression that the macro evaluates for each item. `map` and `filter` collect `result` for
 * items for which the test is true.
 */
export type Macro = {
  readonly do: 'all' | 'exists' | 'exists_one' | 'collect';
  readonly over: Expression;
  readonly variable: string;
  readonly test: Expression;
  readonly result: Expression;
};
