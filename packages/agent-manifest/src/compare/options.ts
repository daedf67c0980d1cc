/** Compares the options with which two versions of a manifest were compiled. */
import { MOST_VISITS } from '../run/graph-plan.ts';
import type { Change } from './change.ts';
import { type FieldRule, fieldChanged, fieldsOf, keysOf, limitWidens } from './fields.ts';

/** The options that are limits. For other options, it is unknown whether a change allows more. */
const LIMITS: Readonly<Record<string, FieldRule['widens']>> = {
  maxCostTotal: limitWidens,
  mostVisits: (was = MOST_VISITS, is = MOST_VISITS) => limitWidens(was, is),
};

/** The changes of options. Their paths begin with `options.`, and are in alphabetical order. */
export function optionsChanged(was: object, is: object): Change[] {
  return [...keysOf(was, is)].sort().flatMap((name) => {
    const widens = Object.hasOwn(LIMITS, name) ? LIMITS[name] : undefined;
    const rule: FieldRule = { category: 'GOVERNANCE', ...(widens !== undefined && { widens }) };
    return fieldChanged(`options.${name}`, fieldsOf(was)[name], fieldsOf(is)[name], rule);
  });
}
