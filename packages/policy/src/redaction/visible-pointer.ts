import { type Json, keysIn, pointerStep } from '@mandate/schemas';

/**
 * As much of a JSON pointer (RFC 6901) into a value as may be said beside what is shown of that value: it ends at the
 * field that was redacted, as the names below it are hidden too, and before a name that was.
 */
export function visiblePointer(pointer: string, value: Json, shown: Json): string {
  let visible = '';
  let [within, shownWithin]: (Json | undefined)[] = [value, shown];
  for (const name of keysIn(pointer)) {
    if (typeof shownWithin !== 'object' || shownWithin === null) break;
    within = memberOf(within, name);
    shownWithin = memberOf(shownWithin, name);
    if (within !== undefined && shownWithin === undefined) break;
    visible += pointerStep(name);
  }
  return visible;
}

/** Only what the value has itself; undefined if it has no such member. */
export function memberOf(value: Json | undefined, name: string): Json | undefined {
  return typeof value === 'object' && value !== null
    ? Object.getOwnPropertyDescriptor(value, name)?.value
    : undefined;
}
