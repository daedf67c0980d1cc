/** The fields that a view of an instance adds to each call: `mandate.with({ runId })`. */
import type { Call, CallOptions } from './types.ts';

/** The fields of each call of a view. A field that the call itself states has priority. Contexts are merged. */
export type Scope = {
  [Name in 'runId' | 'parentActionId' | 'principal' | 'context' | 'turnId']?: CallOptions[Name] | undefined;
};

/** The scope of an instance that is no view. */
export const NO_SCOPE: Scope = {};

/** Returns the options of a call, with the fields of the scope. */
export function scopedOptions<Options extends CallOptions>(scope: Scope, options: Options): Options {
  if (scope === NO_SCOPE) return options;
  const stated = withoutUndefined(options);
  const context = { ...scope.context, ...stated.context };
  return {
    ...withoutUndefined(scope),
    ...stated,
    ...(Object.keys(context).length > 0 && { context }),
  } as Options;
}

export function scopedCall(scope: Scope, call: Call): Call {
  if (scope === NO_SCOPE) return call;
  return { ...call, options: scopedOptions(scope, call.options ?? {}) };
}

/** A field that a call states as undefined must not hide the value of the scope. */
function withoutUndefined<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}
