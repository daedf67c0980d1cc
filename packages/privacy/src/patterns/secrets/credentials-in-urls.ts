/** Finds credentials in URLs: user names with passwords, and signatures. */
import { type Finder, MASK, type Span } from '../piece.ts';
import { endOf } from './whole-value.ts';

/**
 * Matches a URL up to a character that no URL contains. A password that is not escaped may contain `/`, `?`, `#` and
 * `@`.
 */
const AFTER_SCHEME = new RegExp(`[^\\s"'\`<>\\\\${MASK}]{1,768}`, 'y');
const SCHEME_END = /:\/\//g;
/** Matches a user name and a password up to the last `@` before the path. */
const BEFORE_PATH = /^[^/?#]{0,256}:[^/?#]{1,256}(?=@)/;
/**
 * Matches a password that contains a character which should have been escaped. The text after the colon is not a
 * port, so it is a password.
 */
const BEYOND_PATH = /^[^/?#:@]{0,256}:(?!\d{0,5}[/?#])[^@]{1,256}[^@/?#](?=@)/;
/** Matches a token alone at the place of the user name. */
const TOKEN = /^(?=[^@]{0,64}\d)[\w.~%-]{20,256}(?=@)/;
/** Matches `jdbc:oracle:thin:user/password@host`. */
const THIN = new RegExp(
  `(?<=jdbc:oracle:(?:thin|oci8?):)[^\\s"'@/${MASK}]{1,128}/[^\\s"'${MASK}]{1,128}?(?=@)`,
  'gi',
);
/** Matches signatures in URLs of Azure, AWS, Google and CloudFront. */
const SIGNATURE = new RegExp(
  `(?<=[?&;](?:amp;)?(?:sig|signature|x-amz-signature|x-amz-security-token|x-amz-credential|x-goog-signature|x-goog-credential)=)[^\\s&"'\`<>\\\\${MASK}]{10,}`,
  'gi',
);

export const findCredentialsInUrls: Finder = (text) => {
  const found: Span[] = [];
  for (const { index, 0: end } of text.matchAll(SCHEME_END)) {
    const start = index + end.length;
    const after = text.slice(start, endOf(AFTER_SCHEME, text, start) ?? start);
    const credentials = (BEFORE_PATH.exec(after) ?? BEYOND_PATH.exec(after) ?? TOKEN.exec(after))?.[0];
    if (credentials !== undefined) found.push({ start, end: start + credentials.length });
  }
  for (const pattern of [THIN, SIGNATURE]) {
    for (const { index, 0: value } of text.matchAll(pattern)) {
      found.push({ start: index, end: index + value.length });
    }
  }
  return found;
};
