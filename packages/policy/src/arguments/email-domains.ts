import { canonicalJson } from '../digest.ts';
import { comparableName } from '../redaction/secret-names.ts';
import { consume } from '../step-budget.ts';
import { describeSeen } from './argument-fault.ts';
import { everyString, type FoundString, pointerTo } from './every-string.ts';
import { FIELD_NAMES, stringsOfFields } from './judged-strings.ts';
import { domainsOf, itemsOf } from './mail/address-list.ts';
import { domainsIn, type FoundDomain, mayBeDomain } from './mail/addresses-in-text.ts';
import { isAttached, isHeader, type MailField, mailFieldOf, RECIPIENT_FIELDS } from './mail/mail-fields.ts';
import { recipientsOfMessage, textInBase64 } from './mail/raw-message.ts';
import type { NamedValidator } from './named-validator.ts';

const DOMAIN = '^(?:\\*\\.)?(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+[A-Za-z0-9-]{2,63}$';
const DOMAINS = {
  minItems: 1,
  maxItems: 100,
  items: { type: 'string', maxLength: 253, pattern: DOMAIN },
} as const;

/**
 * The cost of each character, in steps, in addition to the cost of reading it. A text is decoded and searched in
 * several forms.
 */
const OF_CHARACTER = 16;

/**
 * Allows mail only to the given domains. `company.com` means that domain alone, and `*.company.com` means every
 * subdomain of it.
 *
 * - A recipient field (./mail/mail-fields.ts, or the named `fields`) must contain a list of addresses in these
 * domains,
 *   or a whole message with such recipients. Anything else is refused. An empty string has no recipient and is
 *   accepted.
 * - In every other string, each address anywhere in the text must be in one of the domains. If `fields` is given,
 *   strings outside these fields are not checked.
 * - Running text (body, subject, …) may mention any address. It is refused if it consists of addresses, or is a whole
 *   message (plain or in base64) with forbidden recipients.
 * - A string that becomes a mail header must contain no line break, because a line break could begin another header.
 */
export const emailDomains: NamedValidator = {
  describe:
    'mail goes only to these domains: { emailDomains: [company.com, "*.company.com"] }, or with the fields that hold recipients: { emailDomains: { domains: [company.com], fields: [to] } }',
  parameters: {
    type: ['array', 'object'],
    ...DOMAINS,
    required: ['domains'],
    additionalProperties: false,
    properties: { domains: { type: 'array', ...DOMAINS }, fields: FIELD_NAMES },
  },
  parametersRequired: true,
  narrows(before, after) {
    const [was, is] = [parametersOf(before), parametersOf(after)];
    const isSame = canonicalJson(was.fields ?? null) === canonicalJson(is.fields ?? null);
    const isWithin = allows(was.domains);
    return isSame && is.domains.every((domain) => was.domains.includes(domain) || isWithin(domain));
  },
  create(parameters) {
    const { domains, fields } = parametersOf(parameters);
    const isAllowed = allows(domains);
    const recipients = fields === undefined ? RECIPIENT_FIELDS : new Set(fields.map(comparableName));
    const judged = stringsOfFields(fields, everyString);
    const expected = `addresses in ${domains.join(', ')} and nothing else`;

    return (args, stepBudget) => {
      for (const found of judged(args, stepBudget)) {
        if (!consume(stepBudget, found.text.length * OF_CHARACTER)) return null;
        const refused =
          isHeader(found) && LINE_BREAK.test(found.text) ? 'no line break in a mail header' : null;
        if (refused === null && goesOnlyTo(isAllowed, found, mailFieldOf(found, recipients))) continue;
        return {
          pointer: pointerTo(found),
          expected: refused ?? expected,
          seen: describeSeen(found.text),
          rule: 'emailDomains',
        };
      }
      return null;
    };
  },
};

type IsAllowed = (domain: FoundDomain) => boolean;

/** Any control character except tab. Some software reads such a character as a line break. */
const LINE_BREAK = /[^\P{Cc}\t]|[\u2028\u2029]/u;

function parametersOf(parameters: unknown): {
  domains: readonly string[];
  fields: readonly string[] | undefined;
} {
  const given = Array.isArray(parameters) ? { domains: parameters } : (parameters as Record<string, unknown>);
  const strings = (list: unknown) => (Array.isArray(list) ? list.map(String) : undefined);
  const domains = strings(given.domains) ?? [];
  return { domains: domains.map((domain) => domain.toLowerCase()), fields: strings(given.fields) };
}

function allows(domains: readonly string[]): IsAllowed {
  const exact = new Set(domains);
  const below = domains.filter((domain) => domain.startsWith('*.')).map((domain) => domain.slice(1));
  return (domain) =>
    domain !== null && (exact.has(domain) || below.some((suffix) => domain.endsWith(suffix)));
}

function goesOnlyTo(isAllowed: IsAllowed, found: FoundString, field: MailField): boolean {
  const text = found.text.trim();
  if (text === '' || field === 'message-id') return true;
  const decoded = textInBase64(text);
  if (!isAttached(found)) {
    const message = [text, decoded ?? ''].flatMap(recipientsOfMessage);
    if (message.length > 0) return message.every((list) => isListTo(isAllowed, list, field));
  }
  if (field === 'recipients' || isList(text, field)) return domainsOf(text)?.every(isAllowed) === true;
  if (field === 'text' && !holdsOnlyAddresses(text)) return true;
  return [text, decoded ?? ''].every((each) => domainsIn(each).values().every(isAllowed));
}

/**
 * True if all recipients in a header line are allowed. In running text, a line such as `To: everyone` may not be a
 * header, so only the addresses in the line are checked.
 */
function isListTo(isAllowed: IsAllowed, list: string, field: MailField): boolean {
  if (field === 'text') return domainsIn(list).values().every(isAllowed);
  return domainsOf(list)?.every(isAllowed) === true;
}

const NAME = /^[\p{L}\p{M}\p{N}._。．｡-]{1,255}/u;

/** True if the text is an address, or a list with at least one address. A malformed address counts too. */
function isList(text: string, field: MailField): boolean {
  if (/^mailto:/i.test(text)) return false;
  return itemsOf(text).some((item) => {
    const bracketed = item.endsWith('>') ? item.slice(item.lastIndexOf('<') + 1, -1) : item;
    const at = bracketed.lastIndexOf('@');
    if (at <= 0 || /\s/.test(bracketed)) return false;
    const domain = bracketed.slice(at + 1);
    return (
      /^[^/:?#]+$/.test(domain) &&
      ((field === 'within' && !domain.includes('.')) || mayBeDomain(NAME.exec(domain)?.[0] ?? ''))
    );
  });
}

/** True if every word of the text contains an `@`. Blanks and the signs `,;|/&` separate words. */
function holdsOnlyAddresses(text: string): boolean {
  return text.includes('@') && text.split(/[\s,;|/&]+/).every((word) => word === '' || word.includes('@'));
}
