/** Turns the position of a page into opaque text for a URL, and back. */
import { count } from '@mandate/schemas';
import { z } from 'zod';
import type { WalkPosition } from './newest-first.ts';

const offsets = z.array(z.tuple([count, count])).max(10_000);

export function cursorOf(position: WalkPosition): string {
  return Buffer.from(JSON.stringify([...position])).toString('base64url');
}

/** Returns the position in a cursor. Null if the text is not a cursor. */
export function positionOf(cursor: string): WalkPosition | null {
  try {
    const parsed = offsets.safeParse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
    return parsed.success ? new Map(parsed.data) : null;
  } catch {
    return null;
  }
}
