/** Decides what the claims of a person allow. */
import type { OidcDocument, OidcRule } from './oidc-document.ts';

export type Claims = Readonly<Record<string, unknown>>;

/** Returns the first rule that fits. Null if no rule fits, or if that rule refuses. */
export function firstRule(
  { rules }: Pick<OidcDocument, 'rules'>,
  claims: Claims,
): Extract<OidcRule, { role: unknown }> | null {
  const found = rules.find((rule) => fits(rule, claims));
  return found === undefined || 'refuse' in found ? null : found;
}

function fits({ claims: wanted }: OidcRule, claims: Claims): boolean {
  return Object.entries(wanted).every(([name, values]) => {
    const given = Object.hasOwn(claims, name) ? [claims[name]].flat() : [];
    return [values].flat().some((value) => given.includes(value));
  });
}
