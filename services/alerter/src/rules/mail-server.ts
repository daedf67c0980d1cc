/** Reads the address of a mail server, such as `smtps://user:password@mail.example.com:465`. */
import { isLoopback } from './webhook-address.ts';

export type MailServer = {
  host: string;
  port: number;
  /** True if the connection is encrypted from its start (`smtps`). */
  isEncrypted: boolean;
  /** True if an unencrypted connection must become encrypted by STARTTLS before anything is sent. */
  mustEncrypt: boolean;
  login: { user: string; password: string } | null;
};

/** @returns null if the text is no such address */
export function mailServerOf(text: string): MailServer | null {
  if (!URL.canParse(text)) return null;
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(text);
  const isEncrypted = protocol === 'smtps:';
  if (!isEncrypted && protocol !== 'smtp:') return null;
  if (!['', '/'].includes(pathname) || search !== '' || hash !== '') return null;
  if (!/^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])$/i.test(hostname)) return null;
  if ((username === '') !== (password === '')) return null;
  const login = loginOf(username, password);
  if (login === undefined) return null;
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (isEncrypted ? 465 : 587) : Number(port),
    isEncrypted,
    mustEncrypt: !isEncrypted && !isLoopback(hostname),
    login,
  };
}

/** @returns undefined if a percent-encoding is bad */
function loginOf(username: string, password: string): MailServer['login'] | undefined {
  if (username === '') return null;
  try {
    return { user: decodeURIComponent(username), password: decodeURIComponent(password) };
  } catch {
    return undefined;
  }
}
