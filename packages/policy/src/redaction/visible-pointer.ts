import type { Json } from '@mandate/schemas';

/**
 * As much of a JSON pointer (RFC 6901) into a value as may be said beside what is shown of that value: it ends at the
 * field that was redacted, as the names below it are hidden too, and before a name that was.
 */
export function visiblePointer(pointer: string, value: Json, shown: Json): string {
  let visible = '';
  let [within, shownWithin]: (Json | undefined)[] = [value, shown];
  for (const step of pointer.split('/').slice(1)) {
    if (typeof shownWithin !== 'object' || shownWithin === null) break;
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    within = memberOf(within, name);
    shownWithin = memberOf(shownWithin, name);
    if (within !== undefined && shownWithin === undefined) break;
    visible += `/${step}`;
  }
  return visible;
}

function memberOf(value: Json | undefined, name: string): Json | undefined {
  return typeof value === 'object' && value !== null
    ? Object.getOwnPropertyDescriptor(value, name)?.value
    : undefined;
}
