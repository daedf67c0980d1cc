/** How one path of a provider answers, as pure functions of the request and the scripted reply. */
import type { ModelReply, ModelUsage } from './reply.ts';

/** One answer to make: the body of the request, the scripted reply, and a number that no other answer has. */
export type Turn = { body: Readonly<Record<string, unknown>>; reply: ModelReply; number: number };

/** An event of a stream. A text as `data` is written as it is. */
export type StreamEvent = { event?: string; data: object | string };

export type Protocol = {
  answer(turn: Turn): unknown;
  /** The events of a streamed answer. Absent if this path does not stream. */
  events?(turn: Turn): StreamEvent[];
  /** The event that reports an error in a stream. */
  errorEvent?: StreamEvent;
};

/** The time of every answer, in seconds since 1970. It is fixed, so that answers can be compared. */
export const CREATED_AT = 1_790_000_000;

/** Returns the text of a reply in the pieces to stream. A reply with tool calls has no text unless it states one. */
export function piecesOf({ text, toolCalls }: ModelReply): readonly string[] {
  const whole = text ?? (toolCalls === undefined ? 'Hello from the model.' : '');
  if (typeof whole !== 'string') return whole;
  return whole === '' ? [] : (whole.match(/\s*\S+\s*$|\s*\S+/g) ?? [whole]);
}

export function textOf(reply: ModelReply): string {
  return piecesOf(reply).join('');
}

/** Returns the usage of a reply. Null: the reply states none. */
export function usageOf(reply: ModelReply): ModelUsage | null {
  if (reply.usage === 'missing') return null;
  return reply.usage ?? { inputTokens: 12, outputTokens: piecesOf(reply).length };
}

/** Returns the tool calls of a reply with their ids and their arguments as JSON. */
export function toolCallsOf({ reply, number }: Turn): { id: string; name: string; args: string }[] {
  return (reply.toolCalls ?? []).map(({ id, name, args }, at) => ({
    id: id ?? `call_${number}_${at}`,
    name,
    args: JSON.stringify(args),
  }));
}

/** Returns the two halves of a text, because a provider streams the arguments of a tool call in pieces. */
export function halvesOf(text: string): [string, string] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}
