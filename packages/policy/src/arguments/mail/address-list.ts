import { isDotAtom, isHostname } from '../formats.ts';
import { withDecodedWords } from './encoded-words.ts';

/**
 * Returns the domains, in lower case, of a list of mail addresses separated by `,` or `;`. An address is
 * `local@domain`, `Name <local@domain>` or `"Name" <local@domain>`.
 *
 * Returns null if mail programs may read an item in different ways. These are refused: comments, quoted or
 * source-routed local parts (`a%b@c`, `b!a@c`), address literals, names that contain an `@` (also in an encoded
 * word), domains beyond ASCII or with a dot at the end, and control characters.
 */
export function domainsOf(list: string): readonly string[] | null {
  if (/\p{Cc}/u.test(list)) return null;
  const domains: string[] = [];
  for (const item of itemsOf(list)) {
    if (item === '') continue;
    const domain = domainOf(item);
    if (domain === null) return null;
    domains.push(domain);
  }
  return domains;
}

/** Splits a list at `,` and `;` outside double quotes, and trims the items. */
export function itemsOf(list: string): readonly string[] {
  const items: string[] = [];
  let quoted = false;
  let start = 0;
  for (let at = 0; at < list.length; at += 1) {
    const char = list[at];
    if (char === '"') quoted = !quoted;
    if (quoted || (char !== ',' && char !== ';')) continue;
    items.push(list.slice(start, at).trim());
    start = at + 1;
  }
  items.push(list.slice(start).trim());
  return items;
}

/** Returns the domain of one address, in lower case. Null if mail programs may read the address in different ways. */
function domainOf(item: string): string | null {
  const open = item.indexOf('<');
  if (open < 0) return domainOfAddress(item);
  if (!item.endsWith('>')) return null;
  return isDisplayName(item.slice(0, open).trim()) ? domainOfAddress(item.slice(open + 1, -1)) : null;
}

function isDisplayName(name: string): boolean {
  const bare = /^".*"$/.test(name) ? name.slice(1, -1) : name;
  const decoded = withDecodedWords(bare);
  if (decoded === null || (decoded !== bare && /[,;\p{Cc}]/u.test(decoded))) return false;
  return !(bare === name && /[,;]/.test(name)) && !/[@<>()"\\:[\]]/.test(decoded);
}

function domainOfAddress(address: string): string | null {
  const at = address.indexOf('@');
  const local = address.slice(0, Math.max(at, 0));
  const domain = address.slice(at + 1);
  if (/[%!]|=\?/.test(local) || !isDotAtom(local) || !isHostname(domain)) return null;
  return domain.toLowerCase();
}
