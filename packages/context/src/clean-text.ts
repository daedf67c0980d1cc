/** Cleans a text that a model wrote, so that it is one visible line. */

/**
 * Characters that show nothing and can hide text: zero-width space, bidi controls, soft hyphen, byte order mark, tag
 * characters, invisible operators, deprecated format characters. Joiners stay, because some scripts need them.
 */
const HIDDEN = /[\u200b\u00ad\ufeff\u2061-\u2064\u206a-\u206f\p{Bidi_Control}\u{e0000}-\u{e007f}]/gu;

/** A variation selector after another one changes nothing that is visible. A run of them can encode a text. */
const REPEATED_SELECTORS = /([\ufe00-\ufe0f\u{e0100}-\u{e01ef}])[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]+/gu;

/** Control characters, line breaks and blanks of every kind. */
const BLANKS = /[\p{Cc}\p{White_Space}]+/gu;

/** Returns the text in NFC, without hidden characters, and with single blanks. A half surrogate becomes U+FFFD. */
export function cleanText(text: string): string {
  return text
    .toWellFormed()
    .replace(HIDDEN, '')
    .replace(REPEATED_SELECTORS, '$1')
    .normalize('NFC')
    .replace(BLANKS, ' ')
    .replace(/^ | $/g, '');
}
