import type { Json } from '@mandate/schemas';
import { keysIn, pointerStep } from '@mandate/schemas/core';

/**
 * Returns the part of a JSON pointer (RFC 6901) that may be published. If the pointer leads into a redacted field,
 * the result ends at this field, because the names inside are redacted too. If a name in the pointer was redacted,
 * the result ends before this name.
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

/** Returns an own member of a value. Undefined if the value has no own member with this name. */
export function memberOf(value: Json | undefined, name: string): Json | undefined {
  return typeof value === 'object' && value !== null
    ? Object.getOwnPropertyDescriptor(value, name)?.value
    : undefined;
}
