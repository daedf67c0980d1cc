import { comparableName } from '../redaction/secret-names.ts';
import { describeSeen } from './argument-fault.ts';
import { everyString, type FoundString, fieldsAround, pointerTo } from './every-string.ts';
import { domainsOf, itemsOf } from './mail-address.ts';
import type { NamedValidator } from './named-validator.ts';

const DOMAIN = '^(?:\\*\\.)?(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+[A-Za-z0-9-]{2,63}$';

/**
 * Lets mail go only to the domains given: `company.com` is that domain alone, `*.company.com` every domain below it.
 *
 * - A string in a field of recipients (to, cc, bcc, replyTo, email, recipient, attendees, …; case, `_` and `-` do not
 *   matter) must be a list of addresses, each in one of the domains. What one mail program could read
 *   otherwise than another is refused (./mail-address.ts); an empty string is nobody.
 * - Deeper inside of such a field, whatever has an `@` is held to the same.
 * - Anywhere else, names of fields included, whatever looks as a whole like an address or a list with one is held to the
 *   same. Running text that mentions an address is text.
 * - The subject and the sender hold no line break, with which a header could be slipped in.
 */
export const emailDomains: NamedValidator = {
  describe: 'mail goes only to these domains: { emailDomains: [company.com, "*.company.com"] }',
  parameters: {
    type: 'array',
    minItems: 1,
    maxItems: 100,
    items: { type: 'string', maxLength: 253, pattern: DOMAIN },
  },
  parametersRequired: true,
  create(parameters) {
    const allowed = Array.isArray(parameters) ? parameters.map((domain) => String(domain).toLowerCase()) : [];
    const exact = new Set(allowed);
    const below = allowed.filter((domain) => domain.startsWith('*.')).map((domain) => domain.slice(1));
    const isAllowed = (domain: string) =>
      exact.has(domain) || below.some((suffix) => domain.endsWith(suffix));
    const expected = `addresses in ${allowed.join(', ')} and nothing else`;

    return (args, effort) => {
      for (const found of everyString(args, effort)) {
        const { text } = found;
        const fault = (what: string) => ({
          pointer: pointerTo(found),
          expected: what,
          seen: describeSeen(text),
          rule: 'emailDomains',
        });
        if (mustBeAddresses(found) && !domainsOf(text.trim())?.every(isAllowed)) return fault(expected);
        if (isHeader(found) && /[\r\n\0]/.test(text)) return fault('no line break in a mail header');
      }
      return null;
    };
  },
};

const RECIPIENTS = new Set(
  [
    'to',
    'cc',
    'bcc',
    'replyTo',
    'email',
    'emails',
    'emailAddress',
    'emailAddresses',
    'mail',
    'mailTo',
    'recipient',
    'recipients',
    'recipientEmail',
    'recipientEmails',
    'recipientAddress',
    'toEmail',
    'toEmails',
    'toAddress',
    'toAddresses',
    'toRecipients',
    'ccEmail',
    'ccEmails',
    'ccAddresses',
    'ccRecipients',
    'bccEmail',
    'bccEmails',
    'bccAddresses',
    'bccRecipients',
    'attendee',
    'attendees',
    'invitee',
    'invitees',
    'forwardTo',
    'sendTo',
  ].map(comparableName),
);
const HEADERS = new Set(['subject', 'from', 'sender', 'fromname', 'sendername']);

function mustBeAddresses(found: FoundString): boolean {
  const { text, isName } = found;
  const fields = fieldsAround(found);
  const around = isName ? fields.slice(0, -1) : fields;
  if (!isName && RECIPIENTS.has(comparableName(around.at(-1) ?? ''))) return true;
  if (!text.includes('@')) return false;
  if (around.some((field) => RECIPIENTS.has(comparableName(field)))) return true;
  return itemsOf(text.trim().replace(/^mailto:/i, '')).some(looksLikeAddress);
}

/** One word with an `@` and something like a domain behind the last of them; or an `@` in angle brackets at the end. */
function looksLikeAddress(item: string): boolean {
  const bracketed = item.endsWith('>') ? item.slice(item.lastIndexOf('<') + 1, -1) : item;
  if (/\s/.test(bracketed)) return false;
  const at = bracketed.lastIndexOf('@');
  return at > 0 && /^[^\s/:?#@]+$/.test(bracketed.slice(at + 1));
}

function isHeader(found: FoundString): boolean {
  return !found.isName && HEADERS.has(comparableName(fieldsAround(found).at(-1) ?? ''));
}
