/**
 * An event id contains the position of the stream in every table, just after the event. A client sends the id back
 * unchanged in `Last-Event-ID`. Any process accepts the id, with any filters.
 */
import type { FeedPosition } from '@mandate/audit';
import { END_OF_TIME_MS } from '@mandate/schemas';
import { z } from 'zod';

export const LIVE_EVENTS = ['decision', 'settlement', 'control'] as const;
export type LiveEvent = (typeof LIVE_EVENTS)[number];

export type FeedPositions = { [event in LiveEvent]?: FeedPosition | undefined };

const VERSION = 1;

const atMs = z.int().min(0).max(END_OF_TIME_MS);
const position = z
  .tuple([
    atMs,
    atMs,
    z
      .array(
        z.tuple([
          z
            .int()
            .min(0)
            .max(2 ** 32 - 1),
          z.int().min(0),
        ]),
      )
      .max(1_000),
  ])
  .transform(
    ([sinceMs, lookedAtMs, through]): FeedPosition => ({ sinceMs, lookedAtMs, through: new Map(through) }),
  );
const whole = z.tuple([
  z.literal(VERSION),
  z.literal('live'),
  z.strictObject({
    decision: position.optional(),
    settlement: position.optional(),
    control: position.optional(),
  }),
]);

/** A position never changes. An event moves one of three positions, so the texts of the other two are known. */
const texts = new WeakMap<FeedPosition, string>();

function textOf(position: FeedPosition): string {
  const { sinceMs, lookedAtMs, through } = position;
  const text = texts.get(position) ?? JSON.stringify([sinceMs, lookedAtMs, [...through]]);
  texts.set(position, text);
  return text;
}

export function eventId(positions: FeedPositions): string {
  const written = LIVE_EVENTS.flatMap((event) => {
    const position = positions[event];
    return position === undefined ? [] : [`"${event}":${textOf(position)}`];
  });
  return Buffer.from(`[${VERSION},"live",{${written.join()}}]`).toString('base64url');
}

/** Returns the positions in an event id. Null if the text is not an id from this service. */
export function positionsOf(id: string): FeedPositions | null {
  try {
    const read = whole.safeParse(JSON.parse(Buffer.from(id, 'base64url').toString()));
    return read.success ? read.data[2] : null;
  } catch {
    return null;
  }
}
