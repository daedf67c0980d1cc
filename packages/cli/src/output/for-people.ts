/**
 * What the plane says, as one reads it at a terminal: a time in words where programs get milliseconds, and a command where
 * they get a route. Only for showing: JSON and CSV give everything as it came.
 */
import { durationInWords } from '@mandate/schemas';
import { roundedUp } from './relative-time.ts';

/** The routes that are named in reasons and remedies. What is more particular comes first. */
const COMMANDS: readonly [route: RegExp, command: string][] = [
  [/\bPOST \/v1\/budgets\/adjust\b/g, '`mandate budgets adjust`'],
  [/\bGET \/v1\/actions\/\{id\}/g, '`mandate decisions explain`'],
  [/\bGET \/v1\/dead-letters\b/g, '`mandate dead-letters list`'],
  [/(?:\bGET )?\/v1\/audit\/dead-letters\/\{id\}/g, '`mandate dead-letters show`'],
  [/(?:\bGET )?\/v1\/audit\/dead-letters\b/g, '`mandate dead-letters list`'],
  [/\bsend \{"again": true\}/g, 'give --again'],
  [/\bGET \/v1\/alerts\b/g, '`mandate alerts list`'],
];

/** @param retryAfterMs what the text means where it says so by name */
export function forPeople(
  text: string,
  { retryAfterMs = null }: { retryAfterMs?: number | null } = {},
): string {
  const timed = text
    .replace(/\b\d{4,15} ms\b/g, (said) => durationInWords(Number.parseInt(said, 10)))
    .replace(/\bafter retryAfterMs\b/g, (said) =>
      retryAfterMs === null ? said : `after ${roundedUp(retryAfterMs)}`,
    );
  return COMMANDS.reduce((said, [route, command]) => said.replace(route, command), timed);
}

/** `1 row`, `2 rows`. */
export function counted(count: number, one: string, several = `${one}s`): string {
  return `${count} ${count === 1 ? one : several}`;
}
