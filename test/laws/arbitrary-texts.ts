import fc from 'fast-check';

/** Pieces of texts. Each piece is a special case of folding, of whole words, of intents or of saves. */
const PIECES = [
  'flashcards',
  'Quiz',
  'progress',
  'remember',
  'N3',
  '12',
  '1.5',
  ' ',
  ' ',
  '\n\u2003',
  '\u00ad',
  '\u200d',
  '\u0301',
  'e\u200d\u0301',
  'ᄀ\u00adᅡ',
  'ｶﾞ',
  'e',
  'É',
  '’',
  '“',
  'ﬁ',
  '\ufdfa',
  '２０歳',
  '文法',
  '𠮷',
  '🔥',
  '_',
  ',',
  'for now ',
  'I like ',
  'my name is Al',
];

/** Texts of known pieces, and texts of any characters. Some contain lone surrogates. */
export const arbitraryText = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((pieces) => pieces.join('')),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.array(fc.nat({ max: 0xffff }), { maxLength: 20 }).map((units) => String.fromCharCode(...units)),
);
