/** Turns the faults that zod found into a list for people. Each has a path and a sentence. */
import { z } from 'zod';
import { NO_FORM, sayIssue } from './say-issue.ts';

/**
 * `message` continues a sentence that begins with the name of the field at `path`. `missing`: the field is required,
 * and the document does not have it. `wrongType`: the field has another JSON type than it must have. `code`: the code
 * that the schema gives this fault, see `withCode`.
 */
export type ShapeFault = {
  path: readonly PropertyKey[];
  message: string;
  unknownField: boolean;
  missing: boolean;
  wrongType: boolean;
  code?: string;
};

/** `faults`: the most likely cause comes first. The list contains at most as many faults as the caller asked for. */
export type Shaped<T> = { ok: true; value: T } | { ok: false; faults: readonly ShapeFault[] };

/**
 * Returns the value, or its first faults. A hostile value can have a fault in each of its parts. Only `most` faults
 * are described in words, because a description takes far longer than finding a fault.
 */
export function readShape<T>(schema: z.ZodType<T>, value: unknown, most: number): Shaped<T> {
  const context = { error: sayIssue, async: false, reportInput: true };
  const result = schema._zod.run({ value, issues: [] }, context);
  if (result instanceof Promise) throw new TypeError('a schema that waits for something cannot be used here');
  if (result.issues.length === 0) return { ok: true, value: result.value as T };
  const issues = byField(likeliest(result.issues, most), most).map((issue) =>
    z.core.util.finalizeIssue(issue, context, z.core.config()),
  );
  return { ok: false, faults: inOrder(issues.flatMap((issue) => faultsOf(issue, most))).slice(0, most) };
}

/**
 * Puts unknown fields first. A misspelled field is reported twice, as an unknown and as a missing field. The unknown
 * name must be corrected.
 */
function inOrder(faults: readonly ShapeFault[]): readonly ShapeFault[] {
  return faults.toSorted((a, b) => Number(b.unknownField) - Number(a.unknownField));
}

/** Returns the most likely issues, in the order in which they were found. */
function likeliest(issues: readonly z.core.$ZodRawIssue[], most: number): readonly z.core.$ZodRawIssue[] {
  if (issues.length <= most) return issues;
  const naming: z.core.$ZodRawIssue[] = [];
  const others: z.core.$ZodRawIssue[] = [];
  for (const issue of issues) {
    const chosen = MAY_NAME_FIELDS.has(issue.code) ? naming : others;
    if (chosen.length < most) chosen.push(issue);
  }
  return [...naming, ...others].slice(0, most);
}

/**
 * Gives each unknown field an issue of its own, because the message names the field that was probably meant. Adds at
 * most `most` issues.
 */
function byField(issues: readonly z.core.$ZodRawIssue[], most: number): readonly z.core.$ZodRawIssue[] {
  let left = most;
  return issues.flatMap((issue): readonly z.core.$ZodRawIssue[] => {
    if (issue.code !== 'unrecognized_keys') return [issue];
    const { keys } = issue as z.core.$ZodIssueUnrecognizedKeys;
    const named = keys.slice(0, Math.max(1, left));
    left -= named.length;
    return named.map((key) => ({ ...issue, keys: [key] }));
  });
}

/** Issues that may name an unknown field. */
const MAY_NAME_FIELDS: ReadonlySet<string> = new Set(['unrecognized_keys', 'invalid_union']);

function faultsOf(issue: z.core.$ZodIssue, most: number): readonly ShapeFault[] {
  const { path, message } = issue;
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.slice(0, most).map((key) => ({
        path: [...path, key],
        message,
        unknownField: true,
        missing: false,
        wrongType: false,
      }));
    case 'invalid_key':
      return issue.issues.flatMap((inner) => faultsOf(inner, most)).map((fault) => below(path, fault));
    case 'invalid_union':
      if (issue.errors.length > 0 && message === NO_FORM)
        return furthest(issue.errors, most).map((fault) => below(path, fault));
      return [{ path, message, ...aboutInput(discriminatorOf(issue), (field) => typeof field === 'string') }];
    case 'invalid_type':
      return [{ path, message, ...aboutInput(issue.input, () => false) }];
    case 'invalid_value':
      return [{ path, message, ...aboutInput(issue.input, (input) => issue.values.some(hasTypeOf(input))) }];
    default:
      return [{ path, message, ...aboutInput(issue.input, () => true), ...codeOf(issue) }];
  }
}

function aboutInput(
  input: unknown,
  hasType: (input: unknown) => boolean,
): Pick<ShapeFault, 'unknownField' | 'missing' | 'wrongType'> {
  const missing = input === undefined;
  return { unknownField: false, missing, wrongType: !missing && !hasType(input) };
}

/** Both values are single values of JSON: no objects and no lists. */
function hasTypeOf(input: unknown): (other: unknown) => boolean {
  return (other) => typeof other === typeof input && (other === null) === (input === null);
}

/** Returns the field that says which of several forms a value has. The value itself if the forms have no such field. */
function discriminatorOf({ input, discriminator }: z.core.$ZodIssueInvalidUnion): unknown {
  if (discriminator === undefined || typeof input !== 'object' || input === null) return input;
  return new Map(Object.entries(input)).get(discriminator);
}

/** Returns the parameters of a refinement whose fault has a code of its own. `readShape` reports the code. */
export function withCode(code: string): { params: { code: string } } {
  return { params: { code } };
}

function codeOf(issue: z.core.$ZodIssue): { code?: string } {
  const code = issue.code === 'custom' ? issue.params?.code : undefined;
  return typeof code === 'string' ? { code } : {};
}

/**
 * Returns the faults of the form that was most likely meant: the form whose fault is nested the deepest. If several
 * forms are equal in this, the form with the fewest faults.
 */
function furthest(branches: readonly (readonly z.core.$ZodIssue[])[], most: number): readonly ShapeFault[] {
  const depth = (faults: readonly ShapeFault[]) =>
    faults.reduce((deepest, { path }) => Math.max(deepest, path.length), Number.NEGATIVE_INFINITY);
  const [first = []] = branches
    .map((issues) => issues.slice(0, most).flatMap((issue) => faultsOf(issue, most)))
    .toSorted((a, b) => depth(b) - depth(a) || a.length - b.length);
  return first;
}

function below(path: readonly PropertyKey[], fault: ShapeFault): ShapeFault {
  return { ...fault, path: [...path, ...fault.path] };
}
