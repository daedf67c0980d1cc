/**
 * Returns a function that finds the rules for an agent's groups, in their order, without reading the other rules.
 * Rules that name no group are included.
 *
 * @param groupsOf the groups that a rule names, one of which is enough; null if it names none
 */
export function rulesByGroup<R>(
  rules: readonly R[],
  groupsOf: (rule: R) => Iterable<string> | null,
): (groups: readonly string[]) => readonly R[] {
  const ofEverybody: number[] = [];
  const ofGroups = new Map<string, number[]>();
  for (const [place, rule] of rules.entries()) {
    const groups = groupsOf(rule);
    if (groups === null) ofEverybody.push(place);
    for (const group of groups ?? []) {
      const known = ofGroups.get(group) ?? [];
      ofGroups.set(group, known);
      known.push(place);
    }
  }
  const at = (place: number) => rules[place] as R;
  const askNoGroup = ofEverybody.map(at);
  return (groups) => {
    const places = new Set(groups.flatMap((group) => ofGroups.get(group) ?? []));
    if (places.size === 0) return askNoGroup;
    return [...ofEverybody, ...places].sort((one, other) => one - other).map(at);
  };
}
