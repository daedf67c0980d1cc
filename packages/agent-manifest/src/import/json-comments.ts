/** Removes the comments of JSON, which editors allow in their settings. */

/**
 * Replaces the comments of a JSON text by blanks, so that every other character keeps its place. A text that does not
 * begin with a brace is YAML, and is returned unchanged. Takes time linear in the text.
 */
export function withoutComments(text: string): string {
  const parts: string[] = [];
  let copied = 0;
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  let isJson = false;
  while (at < text.length) {
    const end = commentEnd(text, at);
    if (end !== null) {
      parts.push(text.slice(copied, at), text.slice(at, end).replaceAll(/[^\n\r]/g, ' '));
      at = end;
      copied = end;
    } else if (isJson) {
      at = text[at] === '"' ? stringEnd(text, at) : at + 1;
    } else if (text[at] === '{') {
      isJson = true;
    } else if (/\s/.test(text[at] ?? '')) {
      at += 1;
    } else {
      return text;
    }
  }
  return parts.join('') + text.slice(copied);
}

/**
 * Returns the end of the comment that begins here. Null if no comment begins here. The `//` in `://` is part of an
 * address.
 */
function commentEnd(text: string, at: number): number | null {
  if (text[at] !== '/' || text[at - 1] === ':') return null;
  if (text[at + 1] === '/') return endOr(text, text.indexOf('\n', at));
  if (text[at + 1] !== '*') return null;
  const end = text.indexOf('*/', at + 2);
  return endOr(text, end === -1 ? -1 : end + 2);
}

function endOr(text: string, end: number): number {
  return end === -1 ? text.length : end;
}

/** Returns the place after the quoted text that begins here. */
function stringEnd(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"' && text[at] !== '\n') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}
