/** Checks the patterns of documents. All patterns run in linear time. */
import { type ArgumentFaults, argumentFaults } from './argument-faults.ts';

/** The total size that the next patterns of a document may have, in steps per character of a text. */
export type PatternRoom = { left: number };

/**
 * The largest size of all patterns of a document. A decision has a lower limit, which depends on the length of its
 * text. This limit bounds the time of a load.
 */
const LARGEST = 200_000;

export function patternRoom(): PatternRoom {
  return { left: LARGEST };
}

/** Returns why a pattern that is searched in texts is refused. Null if it is accepted. */
export function textPatternFault(pattern: string, room: PatternRoom): string | null {
  return refusal(argumentFaults({ type: 'string', pattern }), room);
}

/** Returns why a pattern of an argument is refused. Null if it is accepted. */
export function argumentPatternFault(pattern: string, room: PatternRoom): string | null {
  return refusal(argumentFaults({ type: 'string', pattern }), room);
}

/** True if the pattern is found in every text. */
export function matchesEverything(pattern: string): boolean {
  return TEXTS.every((text) => isFoundIn(pattern, text));
}

/** True if the pattern matches the text as a whole. */
export function matchesWholly(pattern: string, text: string): boolean {
  return isFoundIn(`^(?:${pattern})$`, text);
}

/** Texts that have nothing in common. A pattern that is found in all of them is found in any text. */
const TEXTS = ['a', '0', '!', '私', 'x'.repeat(2_000)];

function isFoundIn(pattern: string, text: string): boolean {
  const read = argumentFaults({ type: 'string', pattern });
  return read.ok && read.faultOf(text) === null;
}

function refusal(read: ArgumentFaults, room: PatternRoom): string | null {
  if (!read.ok) return `${read.message}: write the pattern without it`;
  room.left -= read.patternSize;
  return room.left < 0
    ? `makes the patterns of this file larger than ${LARGEST} steps together, their repeats written out: write fewer repeats`
    : null;
}
