/** Wraps plain functions: `mandate.fn(name, f)` has the parameters of `f`, and each call is decided first. */
import { isObject } from './create-action.ts';
import { misused } from './errors.ts';
import { ignoreRejection, isPlainObject } from './plain-values.ts';
import type { RunOptions } from './types.ts';
import type { RunCall } from './wrapper.ts';

// biome-ignore lint/suspicious/noExplicitAny: only `any` accepts functions with any parameters.
export type AnyFunction = (...parameters: any[]) => unknown;

/** The function with the same parameters. Its result is a promise, because a decision takes time. */
export type Wrapped<F extends AnyFunction> = (
  ...parameters: Parameters<F>
) => Promise<Awaited<ReturnType<F>>>;

export type FnOptions<F extends AnyFunction = AnyFunction> = Omit<
  RunOptions<Awaited<ReturnType<F>>>,
  'actionId' | 'callId' | 'idempotencyKey' | 'actualCostMicros'
> & {
  /** Default: the agent of the instance. */
  agentId?: string;
  /**
   * The arguments that are decided and recorded: the names of the parameters in their order, or a function that returns
   * an object. Default: the parameter itself if it is the only one and an object, otherwise the list `args`.
   */
  args?: readonly string[] | ((...parameters: Parameters<F>) => object);
  /** The cost of a successful call, in micro-dollars, or a function that reads the cost from the result. */
  cost?: RunOptions<Awaited<ReturnType<F>>>['actualCostMicros'];
};

/**
 * Returns the wrapped function. `f` gets the parameters as they were decided: a copy as JSON. If `args` is a function,
 * the decided arguments cannot be converted back to parameters, so `f` gets the original parameters.
 *
 * @param runCall runs a call of the agent. Called first when the wrapped function is called
 */
export function wrapFunction<F extends AnyFunction>(
  name: string,
  f: F,
  { args, cost, agentId: _, ...options }: FnOptions<F>,
  runCall: RunCall,
): Wrapped<F> {
  if (typeof args === 'function' && options.validate !== undefined) {
    throw misused(
      `The function "${name}" has both a validator and \`args\`, a function.`,
      'State `args` as the names of the parameters.',
    );
  }
  const run: RunOptions = {
    ...(options as RunOptions),
    ...(cost !== undefined && { actualCostMicros: cost as RunOptions['actualCostMicros'] & {} }),
  };
  async function wrapped(this: unknown, ...parameters: Parameters<F>): Promise<unknown> {
    const { decided, parametersOf } = form(parameters, args);
    const work = (given: never) => f.apply(this, parametersOf(given));
    return runCall(name, decided, work, run);
  }
  Object.defineProperty(wrapped, 'name', { value: f.name, configurable: true });
  Object.defineProperty(wrapped, 'length', { value: f.length, configurable: true });
  return wrapped as Wrapped<F>;
}

/** The arguments to decide, and a function that converts the decided arguments back to parameters. */
type Form = { decided: object; parametersOf(decided: never): unknown[] };

function form<F extends AnyFunction>(parameters: Parameters<F>, args: FnOptions<F>['args']): Form {
  if (typeof args === 'function') {
    const decided: unknown = args(...parameters);
    ignoreRejection(decided);
    if (!isPlainObject(decided))
      throw misused('`args` of a function returned no plain object.', 'Return an object, and no promise.');
    return { decided, parametersOf: () => parameters };
  }
  if (args !== undefined) {
    if (parameters.length > args.length) {
      throw misused(
        `The call has ${parameters.length} parameters, and \`args\` names ${args.length}.`,
        'Name each parameter in `args`.',
      );
    }
    return {
      decided: Object.fromEntries(parameters.map((value, at) => [args[at], value])),
      parametersOf: (decided) => args.map((one) => (decided as Record<string, unknown>)[one]),
    };
  }
  const [only] = parameters;
  if (parameters.length === 1 && isObject(only))
    return { decided: only, parametersOf: (decided) => [decided] };
  return { decided: { args: parameters }, parametersOf: ({ args: list }: { args: unknown[] }) => list };
}
