/** What a model is told begins with the code. A failure has the code in a field of its own. */
export function withoutCode(code: string, text: string): string {
  const head = `${code}: `;
  return text.startsWith(head) ? text.slice(head.length) : text;
}
