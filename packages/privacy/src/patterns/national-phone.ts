/**
 * Finds telephone numbers as people write them within their own country, such as `030 901820` in Germany. The number
 * must be valid by the numbering plan and have the national form of libphonenumber-js. If that form has a prefix,
 * such as 0 in most countries, the prefix is required, and separators may be anywhere. Without a prefix, separators
 * may only be between the groups of the plan. Another number with as many digits, such as the number of an order, may
 * be a phone number, and counts as one.
 */
import {
  type CountryCode,
  isSupportedCountry,
  Metadata,
  type PhoneNumber,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';
import { PHONE_SIGN } from './phone.ts';
import { type Finder, MASK, NO_WORD_AFTER, type Span } from './piece.ts';

const RUN = new RegExp(
  `(?<![\\w+\\uff0b${MASK}]|[\\w${MASK}]-|[\\d${MASK}]\\.)\\d+(?:${PHONE_SIGN}{1,3}\\d+)*${NO_WORD_AFTER}(?!-[\\w${MASK}])`,
  'gu',
);
const DAY = '(?:0?[1-9]|[12]\\d|3[01])';
const DATE = new RegExp(
  `(?<!\\d|\\d[./-])(?:${DAY}([./-])${DAY}\\1(?:19|20)?\\d\\d|(?:19|20)\\d\\d([./-])${DAY}\\2${DAY})(?!\\d|[./-]\\d)`,
  'g',
);
const SHORTEST = 7;
/** The maximum number of digits: 15 digits of a number, and 00 before the country code. */
const LONGEST = 17;
/** The length of the longest prefix before the digits of the number itself: `06` in Hungary. */
const LONGEST_PREFIX = 2;

/**
 * The most numbers in one text that are checked by a plan. A check takes about 20 µs. After this many, every number
 * of a fitting length counts as a phone number.
 */
const MAX_ASKED = 500;

export const MAY_HOLD_NATIONAL_PHONE = new RegExp(`\\d(?:${PHONE_SIGN}{0,3}\\d){6}`, 'u');

type Country = { code: CountryCode; lengths: readonly number[] };
/** A group of digits. `after`: the separators before the next group. */
type Group = { digits: string; start: number; after: string };

/** @throws TypeError for a country without a known plan, which `loadPrivacy` would have rejected */
export function nationalPhoneFinder(codes: readonly string[]): Finder {
  const countries = [...new Set(codes)].map(planOf);
  return (text) => {
    const asking = { countries, left: MAX_ASKED };
    // Dates are removed first, because many dates are also valid phone numbers of some plan.
    const withoutDates = text.replaceAll(DATE, (date) => MASK.repeat(date.length));
    return Array.from(withoutDates.matchAll(RUN)).flatMap(({ index, 0: run }) => [
      ...phonesAmong(groupsIn(run, index), asking),
    ]);
  };
}

function planOf(code: string): Country {
  if (!isSupportedCountry(code)) throw new TypeError(`no numbering plan of ${code} is known`);
  const metadata = new Metadata();
  metadata.selectNumberingPlan(code);
  return { code, lengths: metadata.numberingPlan?.possibleLengths() ?? [] };
}

function groupsIn(run: string, at: number): Group[] {
  return Array.from(run.matchAll(/(\d+)(\D*)/g), ({ index, 1: digits = '', 2: after = '' }) => {
    return { digits, start: at + index, after };
  });
}

type Asking = { readonly countries: readonly Country[]; left: number };

/**
 * Yields phone numbers. From each group on, it takes as many groups as possible. The text after a number may look
 * like a part of the number, and another number may begin there.
 */
function* phonesAmong(groups: readonly Group[], asking: Asking): Iterable<Span> {
  for (const [first, { start }] of groups.entries()) {
    let digits = groups.slice(first, first + LONGEST).map((group) => group.digits);
    while (digits.join('').length > LONGEST) digits = digits.slice(0, -1);
    for (; digits.join('').length >= SHORTEST; digits = digits.slice(0, -1)) {
      if (isDecimal(groups, first, digits.length) || !isPhone(digits, asking)) continue;
      const last = groups[first + digits.length - 1];
      if (last !== undefined) yield { start, end: last.start + last.digits.length };
      break;
    }
  }
}

/** True for decimal numbers such as `0.30901820` and `415.5552671`, and for the digits after such a point. */
function isDecimal(groups: readonly Group[], first: number, count: number): boolean {
  const [begun, before] = [groups[first], groups[first - 1]];
  if (count === 1) return before?.after === '.';
  return begun?.after === '.' && (begun.digits === '0' || (count === 2 && !begun.digits.startsWith('0')));
}

function isPhone(groups: readonly string[], asking: Asking): boolean {
  const digits = groups.join('');
  return asking.countries.some(({ code, lengths }) => {
    const isOfLength = lengths.some(
      (length) => digits.length >= length && digits.length <= length + LONGEST_PREFIX,
    );
    if (!isOfLength && !digits.startsWith('00')) return false;
    asking.left -= 1;
    if (asking.left < 0) return true;
    const phone = parsePhoneNumberFromString(digits, { defaultCountry: code, extract: false });
    return phone?.isValid() === true && isWrittenAs(phone, groups);
  });
}

function isWrittenAs(phone: PhoneNumber, groups: readonly string[]): boolean {
  const digits = groups.join('');
  const { countryCallingCode, nationalNumber } = phone;
  if (digits === `00${countryCallingCode}${nationalNumber}`) return true;
  const planned = phone.formatNational().match(/\d+/g) ?? [];
  // In North America a 1 may come before the number. This 1 is not part of the national form.
  const form = countryCallingCode === '1' && digits.startsWith('1') ? ['1', ...planned] : planned;
  if (digits !== form.join('')) return false;
  if (digits.startsWith('0') || planned.join('') !== nationalNumber) return true;
  const ends = endsOf(form);
  return [...endsOf(groups)].every((end) => ends.has(end));
}

function endsOf(groups: readonly string[]): Set<number> {
  return new Set(groups.map((_, index) => groups.slice(0, index + 1).join('').length));
}
