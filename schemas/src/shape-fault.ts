/** What zod found wrong, as a list that a person can go through: one path and one sentence for each. */
import type { z } from 'zod';
import { NO_FORM } from './say-issue.ts';

/** `message` continues a sentence that the name of the field at `path` begins. */
export type ShapeFault = { path: readonly PropertyKey[]; message: string; unknownField: boolean };

/**
 * Everything that is wrong, the likeliest cause first: a misspelled field is both unknown and missing, and the name
 * that stands there is the one to mend.
 */
export function shapeFaults(error: z.core.$ZodError): readonly ShapeFault[] {
  return error.issues.flatMap(faultsOf).toSorted((a, b) => Number(b.unknownField) - Number(a.unknownField));
}

function faultsOf(issue: z.core.$ZodIssue): readonly ShapeFault[] {
  const { path, message } = issue;
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({ path: [...path, key], message, unknownField: true }));
    case 'invalid_key':
      return issue.issues.flatMap(faultsOf).map((fault) => below(path, fault));
    case 'invalid_union':
      if (issue.errors.length > 0 && message === NO_FORM)
        return furthest(issue.errors).map((fault) => below(path, fault));
      return [{ path, message, unknownField: false }];
    default:
      return [{ path, message, unknownField: false }];
  }
}

/** Of the forms that a value may have, the one that it came furthest in is the one that was meant; or has least amiss. */
function furthest(branches: readonly (readonly z.core.$ZodIssue[])[]): readonly ShapeFault[] {
  const depth = (faults: readonly ShapeFault[]) => Math.max(...faults.map(({ path }) => path.length));
  const [first = []] = branches
    .map((issues) => issues.flatMap(faultsOf))
    .toSorted((a, b) => depth(b) - depth(a) || a.length - b.length);
  return first;
}

function below(path: readonly PropertyKey[], fault: ShapeFault): ShapeFault {
  return { ...fault, path: [...path, ...fault.path] };
}
