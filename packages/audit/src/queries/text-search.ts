/**
 * SQL that searches decisions for `{text:String}` and ignores case. It searches the reason, and each name and each
 * value of the arguments, as the agent gave them. `arguments` holds JSON, in which `"`, `\` and line breaks are
 * escaped, so each string is decoded before it is searched. Every character of the text is literal.
 *
 * Decoding costs about 10 µs a row. So rows are first filtered by the longest part of the text that JSON never
 * escapes.
 */

/** A letter may be one code point or two: é, or e with a combining accent. Either form finds both. */
const FORMS =
  'arrayDistinct([{text:String}, normalizeUTF8NFC({text:String}), normalizeUTF8NFD({text:String})])';

/**
 * SQL for the longest part of the text that JSON does not escape. If JSON escapes every character of the text, there
 * is no such part. Then the JSON must contain a backslash.
 */
const RUNS = `arrayMap(form -> arraySort(run -> -length(run), splitByRegexp('[\\\\x00-\\\\x1f"\\\\\\\\]', form))[1], ${FORMS})`;
const IN_JSON = `arrayMap(run -> if(run = '', '\\\\', run), ${RUNS})`;

/** SQL for the values in the JSON: strings with their quotes, numbers, true, false and null. */
const TOKENS = `extractAll(arguments, '"(?:[^"\\\\\\\\]|\\\\\\\\.)*"|[^"{}\\\\[\\\\],:]+')`;
const DECODED = `if(startsWith(token, '"'), JSONExtractString(token), token)`;

/** SQL that is true if the column `reason` or `arguments` of `decisions` contains the text. */
export const TEXT_SEARCH = `(multiSearchAnyCaseInsensitiveUTF8(reason, ${FORMS})
        OR (multiSearchAnyCaseInsensitiveUTF8(arguments, ${IN_JSON})
          AND arrayExists(token -> multiSearchAnyCaseInsensitiveUTF8(${DECODED}, ${FORMS}), ${TOKENS})))`;
