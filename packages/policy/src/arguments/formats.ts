import { isALabel } from './a-label.ts';

/**
 * The formats that schemas may name, as plain functions. Each function reads its text once, or limits its length
 * first, so no text can make it slow. A format accepts only texts that every reader of the cited standard accepts.
 */
export const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  date: isDate,
  time: isTime,
  'date-time': isDateTime,
  email: isEmail,
  hostname: (text) => isHostname(text) && text.split('.').every(isLdhOrALabel),
  ipv4: isIpv4,
  ipv6: isIpv6,
  uri: isUri,
  uuid: (text) => text.length === 36 && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text),
};

const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** True if the text is a `full-date` of RFC 3339. */
function isDate(text: string): boolean {
  const parts = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  if (parts === null) return false;
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 && !leap ? 28 : (DAYS[month - 1] ?? 0);
  return day >= 1 && day <= days;
}

/**
 * True if the text is a `full-time` of RFC 3339. A leap second is accepted only at 23:59:60 UTC, because UTC inserts
 * leap seconds only then.
 */
function isTime(text: string): boolean {
  if (text.length > 64) return false;
  const parts = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:z|([+-])(\d\d):(\d\d))$/i.exec(text);
  if (parts === null) return false;
  const [hour, minute, second] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  const [offsetHour, offsetMinute] = [Number(parts[5] ?? 0), Number(parts[6] ?? 0)];
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return false;
  const offset = (parts[4] === '-' ? -1 : 1) * (offsetHour * 60 + offsetMinute);
  return second < 60 || (hour * 60 + minute - offset + 2 * 1_440) % 1_440 === 1_439;
}

/** True if the text is a `date-time` of RFC 3339. */
function isDateTime(text: string): boolean {
  return /^[t ]$/i.test(text.charAt(10)) && isDate(text.slice(0, 10)) && isTime(text.slice(11));
}

/** True if the text is a host name by RFC 1123: labels of letters, digits and inner hyphens. */
export function isHostname(text: string): boolean {
  return text.length <= 253 && text.split('.').every((label) => /^(?!-)[a-z0-9-]{1,63}(?<!-)$/i.test(label));
}

function isLdhOrALabel(label: string): boolean {
  return !/^xn--/i.test(label) || isALabel(label);
}

/**
 * True if the text is a `Mailbox` of RFC 5321. Quoted local parts and address literals are refused, because mail
 * systems read them in different ways.
 */
function isEmail(text: string): boolean {
  if (text.length > 254) return false;
  const at = text.indexOf('@');
  return isDotAtom(text.slice(0, Math.max(at, 0))) && isHostname(text.slice(at + 1));
}

/** True if the text is a `Local-part` of RFC 5321 in the form `Dot-string`. */
export function isDotAtom(text: string): boolean {
  if (text.length > 64) return false;
  return text.split('.').every((atom) => /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+$/i.test(atom));
}

/** True if the text is four decimal bytes without leading zeros. Some programs read a leading zero as octal. */
function isIpv4(text: string): boolean {
  const bytes = text.length > 15 ? [] : text.split('.');
  return (
    bytes.length === 4 && bytes.every((byte) => /^(?:0|[1-9]\d{0,2})$/.test(byte) && Number(byte) <= 255)
  );
}

/** True if the text is an IPv6 address by RFC 4291, section 2.2. A zone (`%eth0`) is refused. */
function isIpv6(text: string): boolean {
  if (text.length > 45) return false;
  const sides = text.split('::');
  if (sides.length > 2) return false;
  const groups = sides.flatMap((side) => (side === '' ? [] : side.split(':')));
  const last = groups.at(-1) ?? '';
  const quad = last.includes('.') && !text.endsWith('::');
  if (quad) {
    groups.pop();
    if (!isIpv4(last)) return false;
  }
  const count = groups.length + (quad ? 2 : 0);
  return (
    groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group)) && (sides.length === 2 ? count <= 7 : count === 8)
  );
}

/**
 * True if the text is a URI by RFC 3986: a scheme, then parts with the characters that each part allows. A URI that
 * browsers and `fetch` refuse is refused too, for example a URI with the host 999.0.0.1.
 */
function isUri(text: string): boolean {
  const parts = URI.exec(text);
  if (parts === null) return false;
  const [, authority, path = '', query = '', fragment = ''] = parts;
  if (authority !== undefined && !isAuthority(authority)) return false;
  return PATH.test(path) && QUERY.test(query) && QUERY.test(fragment) && URL.canParse(text);
}

const URI = /^[a-z][a-z0-9+.-]*:(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/is;
const PATH = /^(?:[a-z0-9\-._~!$&'()*+,;=:@/]|%[0-9a-f]{2})*$/i;
const QUERY = /^(?:[a-z0-9\-._~!$&'()*+,;=:@/?]|%[0-9a-f]{2})*$/i;
const USER = /^(?:[a-z0-9\-._~!$&'()*+,;=:]|%[0-9a-f]{2})*$/i;
const HOST = /^(?:[a-z0-9\-._~!$&'()*+,;=]|%[0-9a-f]{2})*$/i;

/** Checks user, host and port. A host in brackets must be an IPv6 address. */
function isAuthority(authority: string): boolean {
  const at = authority.lastIndexOf('@');
  if (at >= 0 && !USER.test(authority.slice(0, at))) return false;
  const parts = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(authority.slice(at + 1));
  if (parts === null) return false;
  const [, address, name = ''] = parts;
  return address === undefined ? HOST.test(name) : isIpv6(address);
}
