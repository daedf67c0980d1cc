import { profaneWords } from '@2toad/profanity';
import { type ContentFinders, profanityFinder } from '@mandate/policy/governance';
import { findPieces } from './patterns/find-pieces.ts';

/** Finds personal data and English profane words in the answers of agents, for the filters of policies. */
export const contentFinders: ContentFinders = {
  personalData: (types) => (text) =>
    findPieces(text, types).map(({ pattern, start, end }) => ({ type: pattern, start, end })),
  profanity: profanityFinder(profaneWords.get('en') ?? []),
};
