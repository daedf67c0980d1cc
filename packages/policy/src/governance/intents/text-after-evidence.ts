const MOST_CHARACTERS = 200;
const COURTESIES = new Set(['now', 'please', 'thanks']);
const CONNECTING = new Set([
  'a',
  'an',
  'about',
  'at',
  'for',
  'in',
  'me',
  'my',
  'of',
  'on',
  'regarding',
  'the',
  'to',
  'with',
]);

/** True if a free text can begin directly after the evidence: a word must not continue there. */
export function canBeginAfter(folded: string, evidenceEnd: number): boolean {
  return evidenceEnd >= folded.length || /[ :,-]/.test(folded.charAt(evidenceEnd));
}

/**
 * Returns the topic of a text: the text without punctuation, courtesies and connecting words at its ends. A single
 * connecting word remains, because the word itself can be the topic. The topic is empty if no word remains.
 */
export function withoutConnectingWords(text: string): string {
  const words = withoutEnds(
    text.split(' ').filter((word) => word !== ''),
    isPunctuation,
  );
  const polite = withoutEnds(words, (word) => isPunctuation(word) || COURTESIES.has(plain(word)));
  const left =
    polite.length === 1
      ? polite
      : withoutEnds(polite, (word) => isPunctuation(word) || CONNECTING.has(plain(word)));
  const topic = left.join(' ').replace(PUNCTUATION_AT_ENDS, '');
  return [...topic].slice(0, MOST_CHARACTERS).join('').trimEnd();
}

const PUNCTUATION_AT_ENDS = /^\p{P}+|\p{P}+$/gu;

function isPunctuation(word: string): boolean {
  return plain(word) === '';
}

function plain(word: string): string {
  return word.replace(PUNCTUATION_AT_ENDS, '').toLowerCase();
}

function withoutEnds(words: readonly string[], leaveOut: (word: string) => boolean): readonly string[] {
  const from = words.findIndex((word) => !leaveOut(word));
  return from < 0 ? [] : words.slice(from, words.findLastIndex((word) => !leaveOut(word)) + 1);
}
