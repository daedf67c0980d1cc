/** The options that say what an agent does: `--tool`, `--prompt` or `--action`. */
import { WrongUse } from '../exit-codes.ts';

export type NamedAction = {
  tool?: string;
  prompt?: string;
  action?: object;
  /** Only for a tool. */
  args?: object;
  /** Only for a tool: the estimated cost, in micro-dollars. */
  cost?: number;
};

/** Returns the fields of the action that the options name. Null: they name no action. */
export function namedAction({ tool, prompt, action, args = {}, cost }: NamedAction): object | null {
  if (tool !== undefined) return { type: 'tool_call', tool, args, estimatedCostMicros: cost };
  if (prompt !== undefined) return { type: 'prompt', text: prompt };
  return action ?? null;
}

/** @throws WrongUse if more than one of these options is given */
export function mustExclude<Name extends string>(
  options: Readonly<Partial<Record<Name, unknown>>>,
  names: readonly Name[],
): void {
  const [first, second] = names.filter((name) => options[name] !== undefined);
  if (second !== undefined) throw new WrongUse(`--${first} and --${second} exclude each other`);
}
