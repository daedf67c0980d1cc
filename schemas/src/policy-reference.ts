/**
 * @param name a policy as rules name it
 * @returns the id and the version; `version` is null for the latest version
 */
export function policyNamed(name: string): { id: string; version: number | null } {
  const [policyId = '', version] = name.split('@');
  return { id: policyId, version: version === undefined ? null : Number(version) };
}
