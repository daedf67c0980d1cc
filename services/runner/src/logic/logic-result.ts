import type { Json } from '@mandate/schemas';

/** The result of a logic step. `message` is for the author of the code, or for the operator of the runner. */
export type LogicResult =
  | { readonly ok: true; readonly output: Json }
  | { readonly ok: false; readonly code: LogicFailure; readonly message: string };

export type LogicFailure =
  /** The machine has no Python at the path of the configuration. */
  | 'LOGIC_PYTHON_MISSING'
  /** The machine cannot isolate the code from the network and from files. The code was not run. */
  | 'LOGIC_ISOLATION_MISSING'
  /** The inputs, state and outputs of steps are too large for the process. The code was not run. */
  | 'LOGIC_INPUT_TOO_LARGE'
  /** The code is not Python, or does not define `run`. */
  | 'LOGIC_CODE_INVALID'
  /** The code raised an exception, or its output cannot be written as JSON. */
  | 'LOGIC_RAISED'
  /** The code used too much CPU time or memory, or the kernel killed it. */
  | 'LOGIC_LIMIT_EXCEEDED'
  | 'LOGIC_TIMEOUT'
  /** The code ended without an answer. */
  | 'LOGIC_ENDED'
  | 'LOGIC_OUTPUT_TOO_LARGE'
  /** The answer is not JSON that the log accepts. */
  | 'LOGIC_OUTPUT_INVALID'
  | 'LOGIC_CANCELLED';

export function logicFailure(code: LogicFailure, message: string): LogicResult {
  return { ok: false, code, message };
}
