import type { Json } from '@mandate/schemas';

/**
 * As much of a JSON pointer (RFC 6901) into a value as may be said beside what is shown of that value: it ends at the
 * field that was redacted, as the names below it are hidden too.
 */
export function visiblePointer(pointer: string, shown: Json): string {
  let visible = '';
  let within: Json | undefined = shown;
  for (const step of pointer.split('/').slice(1)) {
    if (typeof within !== 'object' || within === null) break;
    visible += `/${step}`;
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    within = Object.getOwnPropertyDescriptor(within, name)?.value;
  }
  return visible;
}
