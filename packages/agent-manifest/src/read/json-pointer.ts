/** Reads JSON pointers (RFC 6901), the part of a reference after the `#`. */

import { fieldOf } from './written.ts';

/** Returns the names and indexes of the pointer. Null if the text is not a pointer. */
export function readPointer(fragment: string): readonly string[] | null {
  const text = decoded(fragment);
  if (text === null || (text !== '' && !text.startsWith('/'))) return null;
  return text
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Returns the value to which a pointer leads. Undefined if it leads to nothing. */
export function valueAtPointer(value: unknown, pointer: readonly string[]): unknown {
  let inner = value;
  for (const part of pointer) {
    if (Array.isArray(inner)) inner = INDEX.test(part) ? inner[Number(part)] : undefined;
    else inner = fieldOf(inner, part);
  }
  return inner;
}

const INDEX = /^(0|[1-9]\d{0,8})$/;

function decoded(fragment: string): string | null {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return null;
  }
}
