/** Reads the recipients of a whole mail message (RFC 5322) in a text, plain or in base64. */

/**
 * Headers with addresses that get mail: recipients, recipients after a resend, addresses for bounces, and addresses
 * for replies.
 */
const RECIPIENTS = new Set([
  'to',
  'cc',
  'bcc',
  'reply-to',
  'resent-to',
  'resent-cc',
  'resent-bcc',
  'apparently-to',
  'envelope-to',
  'x-envelope-to',
  'errors-to',
  'return-receipt-to',
  'disposition-notification-to',
]);

const HEADER = /^([!-9;-~]{1,76})[ \t]*:(.*)$/s;
const FIRST_LINES = /^(?:\ufeff|\s|From [^\r\n:]*[\r\n])+/;

/**
 * Returns the values of the recipient headers. Header values that continue on the next line are joined. Empty if the
 * text is not a message, or names no recipient.
 */
export function recipientsOfMessage(text: string): readonly string[] {
  const found: string[] = [];
  let last: 'recipients' | 'other' | null = null;
  for (const line of linesOf(text.replace(FIRST_LINES, ''))) {
    if (last !== null && /^[ \t]/.test(line)) {
      if (last === 'recipients') found.push(`${found.pop() ?? ''} ${line.trim()}`);
      continue;
    }
    const [, name, value = ''] = HEADER.exec(line) ?? [];
    if (name === undefined) break;
    last = RECIPIENTS.has(name.toLowerCase()) ? 'recipients' : 'other';
    if (last === 'recipients') found.push(value.trim());
  }
  return found;
}

function* linesOf(text: string): Iterable<string> {
  let start = 0;
  for (const { index, 0: end } of text.matchAll(/\r\n|\r|\n/g)) {
    yield text.slice(start, index);
    start = index + end.length;
  }
  yield text.slice(start);
}

const DATA_URL = /^data:[^,]{0,128};base64,/i;
const BASE64 = /^[A-Za-z0-9+/_-]{8,}={0,2}$/;

/**
 * Decodes a text in base64 or base64url. Null if its first paragraph is not text, because the headers of a message
 * are always text.
 */
export function textInBase64(text: string): string | null {
  const encoded = text.trim().replace(DATA_URL, '').replace(/\s+/g, '');
  if (!BASE64.test(encoded)) return null;
  const standard = encoded.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '');
  const whole = standard.length % 4 === 1 ? standard.slice(0, -1) : standard;
  const decoded = new TextDecoder().decode(Uint8Array.from(atob(whole), (byte) => byte.charCodeAt(0)));
  const [headers = ''] = decoded.split(/\r\n\r\n|\n\n|\r\r/, 1);
  return /[^\P{Cc}\r\n\t]|\ufffd(?!$)/u.test(headers) ? null : decoded;
}
