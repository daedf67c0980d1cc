/** The text of a tool's result, as the model reads it and the log contains it. */
import { MOST_RUN_JSON_BYTES } from '@mandate/schemas';

type Result = { content?: unknown; structuredContent?: unknown; isError?: unknown };

export function textOfResult({ content, structuredContent }: Result): string {
  const parts = Array.isArray(content) ? content.map(textOfPart) : [];
  const text = parts.filter((part) => part !== '').join('\n');
  const whole = text === '' && structuredContent !== undefined ? JSON.stringify(structuredContent) : text;
  return limited(whole.toWellFormed());
}

type Part = { type?: unknown; text?: unknown; uri?: unknown; mimeType?: unknown; resource?: Part };

/** Pictures and sounds are only mentioned, because not every model can read them. */
function textOfPart(part: unknown): string {
  if (typeof part !== 'object' || part === null) return '';
  const { type, text, uri, mimeType, resource }: Part = part;
  if (type === 'text' && typeof text === 'string') return text;
  if (type === 'resource')
    return typeof resource?.text === 'string' ? resource.text : `[${String(resource?.uri)}]`;
  if (type === 'resource_link') return `[${String(uri)}]`;
  return `[${String(type)}: ${String(mimeType)}]`;
}

/** The space for the fields around the text, and for the note about a cut. */
const ROOM_BYTES = 400;
const MOST_BYTES = MOST_RUN_JSON_BYTES - ROOM_BYTES;

/** Shortens a text that is too long as JSON, and states this in the text. */
function limited(text: string): string {
  if (jsonBytes(text) <= MOST_BYTES) return text;
  let kept = text.slice(0, MOST_BYTES);
  // A character may need up to six bytes in JSON. So each cut keeps as much as would fit at the rate of the present
  // text.
  while (jsonBytes(kept) > MOST_BYTES) {
    kept = kept.slice(0, Math.floor((kept.length * MOST_BYTES) / jsonBytes(kept)));
  }
  const words = `[Cut: the result has ${Buffer.byteLength(text)} bytes, and this is its beginning. Ask for less.]`;
  return `${kept.replace(/[\ud800-\udbff]$/, '')}\n${words}`;
}

function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}
