import type { SensitiveFields } from '@mandate/policy';
import type { TenantControl } from './tenant-control.ts';

const NONE: SensitiveFields = { redact: [], hash: [] };

/**
 * Returns a function that returns the fields which any policy of the tenant hides, in any version. An action is hidden
 * before it is known which of them apply to it, so all of them count.
 */
export function sensitiveFieldsOf(): (tenant: string, control: TenantControl) => SensitiveFields {
  const known = new Map<string, { revision: number; fields: SensitiveFields }>();
  return (tenant, control) => {
    const { policiesRevision: revision } = control;
    if (revision === 0) return NONE;
    const latest = known.get(tenant);
    if (latest?.revision === revision) return latest.fields;
    const fields = fieldsIn(control);
    known.set(tenant, { revision, fields });
    return fields;
  };
}

function fieldsIn({ policies }: TenantControl): SensitiveFields {
  const redact = new Set<string>();
  const hash = new Set<string>();
  for (const { versions } of policies.values())
    for (const { document } of versions) {
      const hidden = document.governance?.audit?.sensitive_fields;
      for (const name of hidden?.redact ?? []) redact.add(name);
      for (const name of hidden?.hash ?? []) hash.add(name);
    }
  return redact.size + hash.size === 0 ? NONE : { redact: [...redact], hash: [...hash] };
}
