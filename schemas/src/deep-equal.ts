/**
 * True if two values of plain data are equal. The order of names does not matter. It allocates no memory, because
 * ledgers call it for each request.
 */
export function deepEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one)) return Array.isArray(other) && equalLists(one, other);
  return !Array.isArray(other) && equalObjects(one as Named, other as Named);
}

type Named = Readonly<Record<string, unknown>>;

function equalObjects(one: Named, other: Named): boolean {
  let more = 0;
  for (const name in one) {
    const its = other[name];
    if (its === undefined && !Object.hasOwn(other, name)) return false;
    if (!deepEqual(one[name], its)) return false;
    more -= 1;
  }
  for (const _ in other) more += 1;
  return more === 0;
}

function equalLists(one: readonly unknown[], other: readonly unknown[]): boolean {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at += 1) if (!deepEqual(one[at], other[at])) return false;
  return true;
}
