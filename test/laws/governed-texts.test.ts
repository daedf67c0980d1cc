/** Laws of the functions that examine texts: folding, intents, saves, and filters of outputs. */
import {
  compileIntents,
  compileSaves,
  filterOutput,
  foldText,
  isParted,
  profanityFinder,
  stepBudgetOfAction,
  textPattern,
  withoutCase,
} from '@mandate/policy/governance';
import { runs } from '@mandate/testing';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { arbitraryText } from './arbitrary-texts.ts';

// On a busy machine, a law takes much longer than the usual second.
vi.setConfig({ testTimeout: 60_000 });

test('folding is idempotent', () => {
  fc.assert(
    fc.property(arbitraryText, (text) => {
      const folded = foldText(text);
      expect(foldText(folded)).toBe(folded);
    }),
    { numRuns: runs(2_000) },
  );
});

const WORDS = [
  'flashcards',
  'quiz',
  'Progress',
  'remember',
  'I like',
  '文法',
  '歳',
  'name is',
  'cards for',
  '𠮷',
];
const PATTERNS = [
  'flash\\w+',
  '\\bN[1-5]\\b',
  '\\d+\\s*歳\\b',
  '(my )?name',
  'quiz|progress',
  '.\\s',
  'é+',
  '[12]',
];

const arbitraryIntents = fc
  .array(
    fc.record({
      keywords: fc.subarray(WORDS),
      patterns: fc.subarray(PATTERNS),
    }),
    { minLength: 1, maxLength: 5 },
  )
  .map((all) => [
    ...all.map((triggers, at) => ({ id: `intent-${at}`, triggers })),
    { id: 'other', triggers: { fallback: true } },
  ]);

test('the longest evidence wins, then the order of the manifest', () => {
  fc.assert(
    fc.property(arbitraryIntents, arbitraryText, (intents, text) => {
      const folded = foldText(text);
      const expected = intents
        .map(({ id, triggers }) => ({ id, length: longestEvidence(folded, triggers) }))
        .filter(({ length }) => length > 0)
        .toSorted((a, b) => b.length - a.length);
      const intent = compileIntents({ intents }).classify(text, stepBudgetOfAction());
      const found = [{ id: intent?.id, length: intent?.length }, ...(intent?.others ?? [])];
      expect(found).toEqual(expected.length === 0 ? [{ id: 'other', length: 0 }] : expected);
    }),
    { numRuns: runs(1_000) },
  );
});

type Triggers = { keywords?: string[]; patterns?: string[]; fallback?: boolean };

/** Searches the keywords at every place of the text, and runs every pattern. */
function longestEvidence(folded: string, triggers: Triggers): number {
  const lengths = [0];
  for (const keyword of triggers.keywords ?? []) {
    for (let at = 0; at < folded.length; at += 1) {
      const end = at + keyword.length;
      const isThere = withoutCase(folded.slice(at, end)) === withoutCase(keyword);
      if (isThere && isParted(folded, at) && isParted(folded, end)) lengths.push([...keyword].length);
    }
  }
  for (const pattern of triggers.patterns ?? []) {
    for (const { start, end } of textPattern(pattern).matches(folded, stepBudgetOfAction())) {
      lengths.push([...folded.slice(start, end)].length);
    }
  }
  return Math.max(...lengths);
}

const save = compileSaves({
  triggers: {
    episodic: { event: 'interaction_complete', condition: 'system_evaluation' },
    semantic: { event: 'interaction_complete', condition: 'pattern_match_permanent' },
    stm: { event: 'message_sent', condition: 'always' },
  },
  save_rules: {
    session: { patterns: ['\\bfor now\\b'], action: 'save_to_episodic', ttlMs: 86_400_000 },
    permanent: { patterns: ['\\bI like\\b', '\\bmy name is\\s+\\w+'], action: 'save_to_semantic' },
    episodic: { condition: ({ messageLength }) => messageLength > 20, action: 'summarize_and_save' },
    ignore: { patterns: ['^.{0,5}$'], action: 'skip' },
  },
  user_isolation: true,
});

const arbitraryHints = fc.record(
  {
    save: fc.boolean(),
    memorable: fc.boolean(),
    scope: fc.constantFrom('session', 'permanent', 'episodic', 'ignore'),
    category: fc.constantFrom('x', 'y'),
    ttlMs: fc.nat(),
    store: fc.constantFrom('episodic', 'semantic', 'stm'),
  },
  { requiredKeys: [] },
);
const arbitraryOrigins = fc.dictionary(
  fc.constantFrom(
    'hints',
    'hints.other',
    ...['save', 'memorable', 'scope', 'category', 'ttl', 'store'].map((hint) => `hints.${hint}`),
  ),
  fc.constant('model' as const),
);

test('no hint and no word of a model changes what is saved, and each hint of a model is a violation', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('interaction_complete' as const, 'message_sent' as const),
      arbitraryText,
      arbitraryText,
      arbitraryHints,
      arbitraryOrigins,
      (event, user, agent, hints, origins) => {
        const question = { event, text: { user } };
        const alone = save(question, stepBudgetOfAction());
        const asked = save({ ...question, text: { user, agent }, hints, origins }, stepBudgetOfAction());
        expect(asked).toEqual({ ...alone, violations: expect.anything() });
        expect(asked?.violations).toHaveLength(Object.keys(hints).length);
      },
    ),
    { numRuns: runs(2_000) },
  );
});

const arbitraryPieces = fc.array(
  fc.record({
    type: fc.constantFrom('email', 'phone'),
    start: fc.nat({ max: 40 }),
    length: fc.nat({ max: 12 }),
  }),
  { maxLength: 6 },
);

test('redactions never overlap, and they cover exactly what was found', () => {
  fc.assert(
    fc.property(arbitraryText, fc.array(arbitraryPieces, { maxLength: 3 }), (text, found) => {
      const filters = found.map((pieces) => ({
        action: 'redact' as const,
        find: (given: string) =>
          pieces.map(({ type, start, length }) => ({
            type,
            start: Math.min(start, given.length),
            end: Math.min(start + length, given.length),
          })),
      }));
      const filtered = filterOutput(text, filters, stepBudgetOfAction());
      const redactions = filtered?.blocked === null ? filtered.redactions : [];
      const characters = [...text];
      const ofUnit = characters.flatMap((character, at) => Array(character.length).fill(at));
      const covered = new Set(
        redactions.flatMap(({ start, end }) => Array.from({ length: end - start }, (_, at) => start + at)),
      );
      for (const [at, { start, end }] of redactions.entries()) {
        expect(start).toBeGreaterThanOrEqual(redactions[at - 1]?.end ?? 0);
        expect(end).toBeGreaterThan(start);
        expect(end).toBeLessThanOrEqual(characters.length);
      }
      const wanted = new Set<number>();
      for (const { find } of filters) {
        for (const { start, end } of find(text)) for (const at of ofUnit.slice(start, end)) wanted.add(at);
      }
      expect([...covered].toSorted((a, b) => a - b)).toEqual([...wanted].toSorted((a, b) => a - b));
    }),
    { numRuns: runs(2_000) },
  );
});

test('a text has redactions exactly if it contains a word of the list as a whole word', () => {
  const keywords = ['quiz', 'flashcards', '文法', 'n3', 'name is', '가', 'ガ', 'é'];
  const filters = [{ action: 'redact' as const, find: profanityFinder(keywords) }];
  fc.assert(
    fc.property(arbitraryText, (text) => {
      const filtered = filterOutput(text, filters, stepBudgetOfAction());
      const redactions = filtered?.blocked === null ? filtered.redactions : [];
      expect(redactions.length > 0).toBe(longestEvidence(foldText(text), { keywords }) > 0);
    }),
    { numRuns: runs(2_000) },
  );
});
