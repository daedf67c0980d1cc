/** The role of a string in a mail, derived from the names of the fields that contain it. */
import { comparableName } from '../../redaction/secret-names.ts';
import { type FoundString, fieldsAround } from '../every-string.ts';

/**
 * - `recipients`: a list of addresses and nothing else.
 * - `within`: a string inside a recipient field, such as the name beside an address.
 * - `text`: running text, which may mention any address.
 * - `message-id`: an id of a message, which looks like an address.
 * - `other`: a field with an unknown role.
 */
export type MailField = 'recipients' | 'within' | 'text' | 'message-id' | 'other';

export const RECIPIENT_FIELDS = comparable(
  'to cc bcc replyTo email emails emailAddress emailAddresses mail mailTo recipient recipients recipientEmail ' +
    'recipientEmails recipientAddress toEmail toEmails toAddress toAddresses toRecipients ccEmail ccEmails ' +
    'ccAddresses ccRecipients bccEmail bccEmails bccAddresses bccRecipients attendee attendees invitee invitees ' +
    'forwardTo sendTo',
);
const TEXT_FIELDS = comparable(
  'body text html content message messageText messageBody msg subject title description summary comment comments ' +
    'note notes caption markdown plain plainText bodyText bodyHtml textBody htmlBody textContent htmlContent snippet ' +
    'preview signature greeting footer quote',
);
const MESSAGE_IDS = comparable('messageId inReplyTo references contentId cid iCalUid');
/** Names of fields that a mail program turns into one header line. */
const HEADERS = comparable(
  'subject from sender fromName senderName organization messageId inReplyTo references',
);
const ATTACHMENTS = comparable('attachment attachments inlineImages');

export function mailFieldOf(found: FoundString, recipients: ReadonlySet<string>): MailField {
  const fields = fieldsAround(found).map(comparableName);
  const around = found.isName ? fields.slice(0, -1) : fields;
  const own = found.isName ? '' : (around.at(-1) ?? '');
  if (recipients.has(own)) return 'recipients';
  if (TEXT_FIELDS.has(own)) return 'text';
  if (MESSAGE_IDS.has(own)) return 'message-id';
  return around.some((field) => recipients.has(field)) ? 'within' : 'other';
}

/** True if the string becomes a header line. A line break in it could begin another header. */
export function isHeader(found: FoundString): boolean {
  const fields = fieldsAround(found).map(comparableName);
  return fields.includes('headers') || (!found.isName && HEADERS.has(fields.at(-1) ?? ''));
}

/**
 * True if the string is in an attachment. A mail message in an attachment is not sent, so its recipients do not
 * matter.
 */
export function isAttached(found: FoundString): boolean {
  return fieldsAround(found).some((field) => ATTACHMENTS.has(comparableName(field)));
}

function comparable(names: string): ReadonlySet<string> {
  return new Set(names.split(' ').map(comparableName));
}
