/** The text of a tool's result, as the model reads it and the log holds it. */

type Result = { content?: unknown; structuredContent?: unknown; isError?: unknown };

/** A record of the log has twice the room. */
const MOST_BYTES = 128 * 1024;

export function textOfResult({ content, structuredContent }: Result): string {
  const parts = Array.isArray(content) ? content.map(textOfPart) : [];
  const text = parts.filter((part) => part !== '').join('\n');
  const whole = text === '' && structuredContent !== undefined ? JSON.stringify(structuredContent) : text;
  return limited(whole.toWellFormed());
}

type Part = { type?: unknown; text?: unknown; uri?: unknown; mimeType?: unknown; resource?: Part };

/** Pictures and sounds are named only, because not every model can read them. */
function textOfPart(part: unknown): string {
  if (typeof part !== 'object' || part === null) return '';
  const { type, text, uri, mimeType, resource }: Part = part;
  if (type === 'text' && typeof text === 'string') return text;
  if (type === 'resource')
    return typeof resource?.text === 'string' ? resource.text : `[${String(resource?.uri)}]`;
  if (type === 'resource_link') return `[${String(uri)}]`;
  return `[${String(type)}: ${String(mimeType)}]`;
}

/** Cuts a text that is too long, and says so. */
function limited(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= MOST_BYTES) return text;
  const kept = bytes
    .subarray(0, MOST_BYTES - 200)
    .toString()
    .replace(/\uFFFD+$/, '');
  return `${kept}\n[Cut: the result has ${bytes.length} bytes, and ${MOST_BYTES} are the most. Ask for less.]`;
}
