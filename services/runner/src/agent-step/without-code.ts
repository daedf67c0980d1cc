/** A message to the model begins with the code. A failure has the code in a separate field. */
export function withoutCode(code: string, text: string): string {
  const head = `${code}: `;
  return text.startsWith(head) ? text.slice(head.length) : text;
}
