/** @param name as a rule names a policy; `version` null: the latest */
export function policyNamed(name: string): { id: string; version: number | null } {
  const [policyId = '', version] = name.split('@');
  return { id: policyId, version: version === undefined ? null : Number(version) };
}
