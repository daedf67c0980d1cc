/**
 * Rewrites messages of the plane for people at a terminal: durations in words, and commands instead of routes. JSON
 * and CSV keep the original text.
 */
import { withDurationsInWords } from '@mandate/schemas';
import { roundedUp } from './relative-time.ts';

/** The routes in reasons and remedies, with the commands that replace them. More specific routes come first. */
const COMMANDS: readonly [route: RegExp, command: string][] = [
  [/\bPOST \/v1\/budgets\/adjust\b/g, '`mandate budgets adjust`'],
  [/\bGET \/v1\/actions\/\{id\}/g, '`mandate decisions explain`'],
  [/\bGET \/v1\/dead-letters\b/g, '`mandate dead-letters list`'],
  [/(?:\bGET )?\/v1\/audit\/dead-letters\/\{id\}/g, '`mandate dead-letters show`'],
  [/(?:\bGET )?\/v1\/audit\/dead-letters\b/g, '`mandate dead-letters list`'],
  [/\bsend \{"again": true\}/g, 'give --again'],
  [/\bGET \/v1\/alerts\b/g, '`mandate alerts list`'],
  [/\bGET \/v1\/runs\/\{id\}/g, '`mandate runs show`'],
  [/\bGET \/v1\/runs\b/g, '`mandate runs list`'],
  [/\bGET \/v1\/manifests\b/g, '`mandate manifests list`'],
  [/\bleave the hash out\b/g, 'run the published one by its id with `mandate run ID`'],
  [/\bLeave `agent` out\b/g, 'Leave --agent out'],
  [/\bName one with `agent`/g, 'Name one with --agent'],
];

/** @param retryAfterMs the number of milliseconds that replaces the name `retryAfterMs` in the text */
export function forPeople(
  text: string,
  { retryAfterMs = null }: { retryAfterMs?: number | null } = {},
): string {
  const timed = withDurationsInWords(text).replace(/\bafter retryAfterMs\b/g, (said) =>
    retryAfterMs === null ? said : `after ${roundedUp(retryAfterMs)}`,
  );
  return COMMANDS.reduce((said, [route, command]) => said.replace(route, command), timed);
}

/** Returns a number with its noun: `1 row`, `2 rows`. */
export function counted(count: number, one: string, several = `${one}s`): string {
  return `${count} ${count === 1 ? one : several}`;
}
