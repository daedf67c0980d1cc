/** Names a list in a sentence: each name in quotation marks, or `none` if the list is empty. */
export function listed(names: Iterable<string>, none = 'none'): string {
  return Array.from(names, (name) => `"${name}"`).join(', ') || none;
}
