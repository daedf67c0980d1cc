import { type ContentFinders, profanityFinder } from '@mandate/policy/governance';
import { cuss } from 'cuss';
import { findPieces } from './patterns/find-pieces.ts';

/** The rating of words that are nearly always profane. Words with a lower rating have other meanings too. */
const SURELY_PROFANE = 2;

/** Finds personal data and profane words in the answers of agents, for the filters of policies. */
export const contentFinders: ContentFinders = {
  personalData: (types) => (text) =>
    findPieces(text, types).map(({ pattern, start, end }) => ({ type: pattern, start, end })),
  profanity: profanityFinder(
    Object.entries(cuss).flatMap(([word, rating]) => (rating === SURELY_PROFANE ? [word] : [])),
  ),
};
