/** Makes one attempt to deliver an alert by e-mail, as plain text. Returns the result. Never throws. */
import { Socket } from 'node:net';
import type { Raised } from '../rules/alarms.ts';
import type { Webhook } from '../rules/webhooks.ts';
import { type AlertText, fitted, oneLine } from './alert-text.ts';
import type { Attempt } from './attempt.ts';

/** Lines of a mail have at most 998 characters, and programs show about 100 of a subject. */
const MOST_IN_SUBJECT = 200;
const MOST_IN_MESSAGE = 5_000;
const MOST_IN_FACT = 5_000;
const MOST_IN_REASON = 300;

/** @param signal aborts after the time limit, or when the alerter stops */
export async function mailAlert(
  { alert }: Raised,
  text: AlertText,
  { to, from, server, timeoutMs }: Extract<Webhook, { format: 'email' }>,
  signal: AbortSignal,
): Promise<Attempt> {
  // Most alerters send no mail, so the package is loaded at the first mail.
  const { createTransport } = await import('nodemailer');
  const { host, port, isEncrypted, mustEncrypt, login } = server;
  const socket = new Socket({ signal });
  // The mail library reports errors of the connection. This listener only keeps an error that comes later, such as
  // the abort, from stopping the process.
  socket.on('error', () => {});
  const transport = createTransport({
    ...{ host, port, socket, secure: isEncrypted, requireTLS: mustEncrypt },
    // A mail server on the same machine often has a certificate that no authority has signed.
    ignoreTLS: !isEncrypted && !mustEncrypt,
    ...(login === null ? {} : { auth: { user: login.user, pass: login.password } }),
    ...{ connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs },
    ...{ disableFileAccess: true, disableUrlAccess: true },
  });
  try {
    const sent = await transport.sendMail({
      from: { name: 'Mandate', address: from },
      to,
      subject: oneLine(`${text.title}: ${fitted(text.message, MOST_IN_SUBJECT)}`),
      // The id is the same at each attempt, so a mailbox can ignore the second copy.
      messageId: `<${alert.id}@${from.split('@').at(-1)}>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
      text: mailText(text),
    });
    return { taken: true, status: Number(/^\d{3}/.exec(sent.response)?.[0] ?? 250) };
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    const why = signal.aborted
      ? `it did not take the mail within ${timeoutMs} ms`
      : `the mail was not taken: ${fitted(oneLine(said), MOST_IN_REASON)}`;
    return { taken: false, reason: why, retryAfterMs: null, isGone: false };
  } finally {
    socket.destroy();
  }
}

function mailText({ message, facts, link }: AlertText): string {
  const lines = facts.map(([name, value]) => `${name}: ${fitted(value, MOST_IN_FACT)}`);
  return [fitted(message, MOST_IN_MESSAGE), '', ...lines, ...(link === null ? [] : ['', link]), ''].join(
    '\n',
  );
}
