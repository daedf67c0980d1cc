/** Separates the options of a call that describe its action from those that are only for the SDK. */
import type { CallOptions, ToolCallOptions } from './types.ts';

/** The options that are only for the SDK. The action of the call does not contain them. */
type ForSdk =
  | 'callId'
  | 'runId'
  | 'signal'
  | 'validate'
  | 'carriesOut'
  | 'onDefer'
  | 'deferTimeoutMs'
  | 'onDeferred';

/** Returns the options that state something about the action itself. */
export function statedFields(options: CallOptions): Omit<CallOptions, ForSdk> {
  const { callId, runId, signal, validate, carriesOut, ...rest } = options as ToolCallOptions;
  const { onDefer, deferTimeoutMs, onDeferred, ...stated } = rest;
  return stated;
}
