/** Checks the patterns of documents. All patterns run in linear time. */
import {
  foldText,
  matchesEveryText,
  PatternRefused,
  stepBudgetOfAction,
  textPattern,
} from '@mandate/policy/governance';
import { argumentFaults } from './argument-faults.ts';

/** The total size that is left for further patterns of a document, in steps per character of a text. */
export type PatternRoom = { left: number };

/**
 * The maximum size of all patterns of a document together. A decision has a lower limit, which depends on the length of
 * its text. This limit bounds the time of a load.
 */
const LARGEST = 200_000;

export function patternRoom(): PatternRoom {
  return { left: LARGEST };
}

/** Returns why a pattern that is searched in texts is refused. Null if it is accepted. */
export function textPatternFault(source: string, room: PatternRoom): string | null {
  try {
    return refusedSize(textPattern(source).size, room);
  } catch (error) {
    if (error instanceof PatternRefused) return refused(error.message);
    throw error;
  }
}

/** Returns why a pattern of an argument is refused. Null if it is accepted. */
export function argumentPatternFault(pattern: string, room: PatternRoom): string | null {
  const read = argumentFaults({ type: 'string', pattern });
  return read.ok ? refusedSize(read.patternSize, room) : refused(read.message);
}

/** True if the pattern is found in every text. */
export function matchesEverything(source: string): boolean {
  return matchesEveryText(textPattern(source));
}

/** True if the pattern, searched in the text, finds the text as a whole. */
export function matchesWholly(source: string, text: string): boolean {
  const folded = foldText(text);
  const matches = [...textPattern(source).matches(folded, stepBudgetOfAction())];
  return matches.some(({ start, end }) => start === 0 && end === folded.length);
}

function refused(message: string): string {
  return `${message}: rewrite the pattern`;
}

function refusedSize(size: number, room: PatternRoom): string | null {
  room.left -= size;
  return room.left < 0
    ? `makes the patterns of this file larger than ${LARGEST} steps together, their repeats written out: write fewer repeats`
    : null;
}
