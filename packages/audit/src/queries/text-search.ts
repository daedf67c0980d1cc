/**
 * SQL that searches decisions for `{text:String}`, whatever the case of letters. The text is looked for in the reason, and in
 * each name and each value of the arguments, as the agent gave them. `arguments` holds JSON, in which `"`, `\` and line breaks
 * are escaped, so each string is decoded before it is searched. Every sign of the text is taken literally.
 *
 * Decoding costs about 10 µs a row. So rows are sorted out first by the longest run of the text that JSON never escapes.
 */

/** One letter may be one code point or two: é, or e with a combining accent. Either finds both. */
const FORMS =
  'arrayDistinct([{text:String}, normalizeUTF8NFC({text:String}), normalizeUTF8NFD({text:String})])';

/** Runs that the JSON holds as they are. A text of escaped signs only has none: then the JSON holds a backslash. */
const RUNS = `arrayMap(form -> arraySort(run -> -length(run), splitByRegexp('[\\\\x00-\\\\x1f"\\\\\\\\]', form))[1], ${FORMS})`;
const IN_JSON = `arrayMap(run -> if(run = '', '\\\\', run), ${RUNS})`;

/** Strings with their quotes, and numbers, true, false and null. */
const TOKENS = `extractAll(arguments, '"(?:[^"\\\\\\\\]|\\\\\\\\.)*"|[^"{}\\\\[\\\\],:]+')`;
const DECODED = `if(startsWith(token, '"'), JSONExtractString(token), token)`;

/** On the columns `reason` and `arguments` of `decisions`. */
export const TEXT_SEARCH = `(multiSearchAnyCaseInsensitiveUTF8(reason, ${FORMS})
        OR (multiSearchAnyCaseInsensitiveUTF8(arguments, ${IN_JSON})
          AND arrayExists(token -> multiSearchAnyCaseInsensitiveUTF8(${DECODED}, ${FORMS}), ${TOKENS})))`;
