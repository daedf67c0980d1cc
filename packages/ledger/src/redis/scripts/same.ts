/** Whether two pieces of plain data say the same, in whatever order of names. Nothing is made on the way: it is asked for each request. */
export function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one)) return Array.isArray(other) && areAllSame(one, other);
  return !Array.isArray(other) && areSame(one as Named, other as Named);
}

type Named = Readonly<Record<string, unknown>>;

function areSame(one: Named, other: Named): boolean {
  let more = 0;
  for (const name in one) {
    const its = other[name];
    if (its === undefined && !Object.hasOwn(other, name)) return false;
    if (!isSame(one[name], its)) return false;
    more -= 1;
  }
  for (const _ in other) more += 1;
  return more === 0;
}

function areAllSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at += 1) if (!isSame(one[at], other[at])) return false;
  return true;
}
