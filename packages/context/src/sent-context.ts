/** Shortens the data that are sent to the model, so that a long conversation costs no more than the limits allow. */
import { countCodePoints, firstCodePoints, isLongerThan } from './code-points.ts';

/** One turn of the conversation so far. */
export type Turn = { role: string; content: string };

/** The data that the builder may read. All lengths are in code points. */
export type ContextRequest = {
  /** The message of the user that must be answered. */
  message?: string | undefined;
  /** What is known about the relationship of the user to others. */
  relationship?: string | undefined;
  /** What is known about the user. */
  profile?: string | undefined;
  /** The conversation so far, the oldest turn first. */
  recent?: readonly Turn[] | undefined;
};

/** The data that are sent, after shortening. */
export type SentContext = { message: string; relationship: string; profile: string; recent: Turn[] };

export type ContextSizes = {
  message_chars: number;
  relationship_chars: number;
  profile_chars: number;
  recent_turns: number;
  recent_chars: number;
  /** Whether anything was shortened or dropped. */
  truncated: boolean;
};

const MOST = { text: 8_000, turns: 10, turn: 2_000, recent: 12_000 } as const;

/** Returns the data that are sent, and their sizes. */
export function cutContext(request: ContextRequest): { sent: SentContext; sizes: ContextSizes } {
  let truncated = false;
  const cut = (given: unknown, most: number): string => {
    const text = typeof given === 'string' ? given : '';
    truncated ||= isLongerThan(text, most);
    return firstCodePoints(text, most).toWellFormed();
  };
  const [message, relationship, profile] = [request.message, request.relationship, request.profile].map(
    (text) => cut(text, MOST.text),
  );
  const given = Array.isArray(request.recent) ? request.recent : [];
  const turns = given.slice(-MOST.turns).map((turn) => ({
    role: String(turn?.role ?? ''),
    content: cut(turn?.content, MOST.turn),
  }));
  truncated ||= turns.length < given.length;
  const { kept, chars } = newestWithin(turns, MOST.recent);
  truncated ||= kept.length < turns.length;
  const sent = {
    message: message ?? '',
    relationship: relationship ?? '',
    profile: profile ?? '',
    recent: kept,
  };
  return {
    sent,
    sizes: {
      message_chars: countCodePoints(sent.message),
      relationship_chars: countCodePoints(sent.relationship),
      profile_chars: countCodePoints(sent.profile),
      recent_turns: kept.length,
      recent_chars: chars,
      truncated,
    },
  };
}

/** Drops the oldest turns until the others fit. */
function newestWithin(turns: readonly Turn[], most: number): { kept: Turn[]; chars: number } {
  const kept: Turn[] = [];
  let chars = 0;
  for (const turn of turns.toReversed()) {
    const length = countCodePoints(turn.content);
    if (chars + length > most) break;
    kept.unshift(turn);
    chars += length;
  }
  return { kept, chars };
}
