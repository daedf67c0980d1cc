/** Returns the lower of two limits. Null is no limit. */
export function lowerLimit(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}
