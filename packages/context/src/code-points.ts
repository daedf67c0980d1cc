/** Lengths in code points. Each function reads no more of a text than its limit needs. */

/** Returns how many UTF-16 units the first `most` code points of the text take. */
function unitsOf(text: string, most: number): number {
  if (text.length <= most) return text.length;
  let units = 0;
  for (let count = 0; count < most && units < text.length; count += 1) {
    units += (text.codePointAt(units) ?? 0) > 0xffff ? 2 : 1;
  }
  return units;
}

/** Returns the first `most` code points of the text. */
export function firstCodePoints(text: string, most: number): string {
  return text.slice(0, unitsOf(text, most));
}

export function isLongerThan(text: string, most: number): boolean {
  return unitsOf(text, most) < text.length;
}

export function countCodePoints(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; count += 1) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return count;
}
