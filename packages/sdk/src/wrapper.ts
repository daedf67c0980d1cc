/** Wraps the tools of an agent, so that each call is decided before it runs. */
import { CALL_CAPS } from '@mandate/schemas/core';
import { MandateBlockedError, misused } from './errors.ts';
import type { RunOptions, Tool, Tools } from './types.ts';
import { verifierOf } from './verify-result.ts';

type ResultOf<T extends Tool> = Awaited<ReturnType<T>>;

/** The arguments of a tool. A function without parameters may be called with any arguments. */
type ArgsOf<T extends Tool> = Parameters<T> extends readonly [infer Args, ...unknown[]] ? Args : object;

/** Runs the tools of one agent. */
export interface Executor<T extends Tools = Tools> {
  readonly agentId: string;
  /**
   * Calls the function if the mandate allows the call. The function gets a copy of the arguments as JSON, and a signal
   * that aborts after a kill or at the end of the lease.
   *
   * @throws MandateBlockedError, MandateDeferredError, or the error of the function
   */
  run<Args extends object, Result>(
    name: string,
    args: Args,
    fn: Tool<Args, Result>,
    options?: RunOptions<Result>,
  ): Promise<Result>;
  /** Calls the tool of this name that the executor was created with. */
  run<Name extends keyof T & string>(
    name: Name,
    args: ArgsOf<T[Name]>,
    options?: RunOptions<ResultOf<T[Name]>>,
  ): Promise<ResultOf<T[Name]>>;
}

/** The checks of the tools of an executor, by name. Options of a call replace them. */
export type ToolOptions<T extends Tools> = {
  readonly [Name in keyof T]?: Pick<RunOptions<ResultOf<T[Name]>>, 'verifyResult' | 'verifyTimeoutMs'>;
};

/** Runs one call of an agent, from the name of its tool, its arguments, and the function that does the work. */
export type RunCall = (name: string, args: unknown, fn: Tool, options: RunOptions) => Promise<unknown>;

const CHECKS: ReadonlySet<string> = new Set(['verifyResult', 'verifyTimeoutMs']);

/** @throws MandateError SDK_MISUSED */
export function executorOf<T extends Tools>(
  agentId: string,
  { tools, toolOptions = {} }: { tools: T; toolOptions?: ToolOptions<T> | undefined },
  runCall: RunCall,
): Executor<T> {
  const stated = new Map<string, RunOptions>(Object.entries(toolOptions));
  for (const [name, options] of stated) {
    if (!Object.hasOwn(tools, name))
      throw misused(`toolOptions names "${name}", which is none of the tools.`, 'Correct the name.');
    const other = Object.keys(options).find((key) => !CHECKS.has(key));
    if (other !== undefined) {
      const known = [...CHECKS].join(' and ');
      throw misused(`toolOptions of "${name}" has no option "${other}".`, `It has ${known}.`);
    }
    verifierOf(options);
  }
  const run = async (
    name: string,
    args: unknown,
    fnOrOptions?: Tool | RunOptions,
    options: RunOptions = {},
  ): Promise<unknown> => {
    if (typeof name !== 'string') throw unknownTool(agentId, name, Object.keys(tools));
    const own = stated.get(name) ?? {};
    if (typeof fnOrOptions === 'function') return runCall(name, args, fnOrOptions, replaced(own, options));
    if (Object.hasOwn(tools, name))
      return runCall(name, args, tools[name] as Tool, replaced(own, fnOrOptions ?? {}));
    throw unknownTool(agentId, name, Object.keys(tools));
  };
  return { agentId, run: run as Executor<T>['run'] };
}

/** A check that a call states as undefined must not switch off the check of the tool. */
function replaced(own: RunOptions, options: RunOptions): RunOptions {
  const { verifyResult = own.verifyResult, verifyTimeoutMs = own.verifyTimeoutMs } = options;
  return {
    ...options,
    ...(verifyResult && { verifyResult }),
    ...(verifyTimeoutMs !== undefined && { verifyTimeoutMs }),
  };
}

/** The maximum number of names of tools in a remedy. */
const MOST_NAMED = 50;

/** A model may ask for a tool that does not exist, so this is a refusal that the model can read. */
function unknownTool(agentId: string, name: string, known: readonly string[]): MandateBlockedError {
  const names = known.slice(0, MOST_NAMED).join(', ') + (known.length > MOST_NAMED ? ', and others' : '');
  return new MandateBlockedError('UNKNOWN_TOOL', {
    reason: `There is no function for the tool ${JSON.stringify(String(name).slice(0, CALL_CAPS.idUnits))}.`,
    remedy: known.length === 0 ? 'Give the function to `run`.' : `Use one of these tools: ${names}.`,
    action: { id: '', agentId, type: 'tool_call', tool: name },
    decision: null,
  });
}
