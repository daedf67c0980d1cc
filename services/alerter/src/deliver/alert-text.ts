/**
 * The text of an alert for people, for every format but the signed one. Agents choose parts of this text, such as
 * their action ids. So each part is one line without control characters: it cannot look like another part.
 */
import type { Json } from '@mandate/schemas';
import type { Raised } from '../rules/alarms.ts';

export type AlertText = {
  /** The rule and whether the alarm is over. Contains no text of an agent. */
  title: string;
  message: string;
  /** Names and values. The names contain no text of an agent. */
  facts: readonly (readonly [name: string, value: string])[];
  link: string | null;
};

const MOST_FACTS = 12;

export function alertText({ event, alert }: Raised, link: string | null): AlertText {
  const { rule, tenant, at, id, message, facts } = alert;
  const shown = Object.entries(facts).flatMap(([name, value]) => {
    const text = textOf(value);
    return text === '' ? [] : [[name, text] as const];
  });
  return {
    title: `Mandate alert${event === 'alert.cleared' ? ' is over' : ''}: ${rule.replaceAll('_', ' ')}`,
    message: oneLine(message),
    facts: [['tenant', tenant ?? 'all'], ['at', at], ...shown.slice(0, MOST_FACTS), ['alert', id]],
    link,
  };
}

/** Returns the text that fits into `most` UTF-16 units after `escaped`. A shortened text ends with an ellipsis. */
export function fitted(
  text: string,
  most: number,
  escaped: (letter: string) => string = (same) => same,
): string {
  const whole = Array.from(text, escaped);
  if (whole.reduce((sum, { length }) => sum + length, 0) <= most) return whole.join('');
  let kept = '';
  for (const letter of whole) {
    if (kept.length + letter.length + 1 > most) break;
    kept += letter;
  }
  return `${kept}…`;
}

const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/** Removes line breaks, control characters, and characters that change the direction of text. */
export function oneLine(text: string): string {
  return text.toWellFormed().replace(CONTROLS, ' ').trim();
}

/** Returns a fact as text. Empty if the fact has no value, or is a list or an object. */
function textOf(value: Json): string {
  if (typeof value === 'string') return oneLine(value);
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}
