import type { Action } from '@mandate/schemas';
import { changePersons } from '@mandate/schemas/core';
import { hashOnce } from './redact.ts';
import { compileActionRedaction } from './redact-action.ts';
import { comparableName, SECRET_NAMES } from './secret-names.ts';

/** The names of fields that policies hide (`audit.sensitive_fields`). */
export type SensitiveFields = { readonly redact: readonly string[]; readonly hash: readonly string[] };

/** The fields that a process hides by its settings. If `redact` is absent, the usual names of secrets. */
type OfProcess = {
  readonly redact?: readonly string[] | undefined;
  readonly hash: readonly string[];
  readonly hashKey?: string | undefined;
};

/** The name that hides the id of the principal too, if it is hashed. */
const PERSON = comparableName('user_id');

/**
 * Returns a redaction by the settings of the process and by the policies of the tenant together. A field that one of
 * them redacts is redacted. Without a key nothing can be hashed, so what policies hash is redacted then.
 *
 * @param fieldsOf returns the fields of a tenant's policies; the same object as long as they do not change
 */
export function governedRedaction(
  own: OfProcess,
  fieldsOf: (tenant: string) => SensitiveFields,
): (action: Action, tenant: string) => Action {
  const compiled = new WeakMap<SensitiveFields, (action: Action) => Action>();
  return (action, tenant) => {
    const fields = fieldsOf(tenant);
    const known = compiled.get(fields) ?? compile(own, fields);
    compiled.set(fields, known);
    return known(action);
  };
}

function compile(own: OfProcess, fields: SensitiveFields): (action: Action) => Action {
  const { hashKey } = own;
  const hashed = hashKey === undefined ? [] : fields.hash;
  const redact = [
    ...(own.redact ?? SECRET_NAMES),
    ...fields.redact,
    ...(hashKey === undefined ? fields.hash : []),
  ];
  const redaction = compileActionRedaction({ redact, hash: [...own.hash, ...hashed], hashKey });
  if (hashKey === undefined || !hashed.some(isPerson)) return redaction;
  return (action) => changePersons(redaction(action), (id) => hashOnce(id, hashKey));
}

function isPerson(name: string): boolean {
  return comparableName(name) === PERSON;
}
