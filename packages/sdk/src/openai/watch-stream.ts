/** Watches the events of a streamed reply, and settles the call when the stream has ended, or was left. */
import type { BodyWatcher } from '../model-calls/watch-body.ts';
import type { TokenUsage } from '../types.ts';
import { dataOf, eventBlocks } from './event-blocks.ts';
import type { RunningCall } from './running-call.ts';
import { deliveredBytes, fieldsOf, readUsage } from './token-usage.ts';

/** What the events of a stream have said so far. */
type Heard = { usage: TokenUsage | null; bytes: number; isComplete: boolean };

export function streamWatcher(call: RunningCall): Omit<BodyWatcher, 'signal'> {
  const blocks = eventBlocks();
  const encoder = new TextEncoder();
  const heard: Heard = { usage: null, bytes: 0, isComplete: false };
  let isUnreadable = false;
  return {
    async replace(bytes) {
      if (isUnreadable) return bytes;
      const complete = blocks.take(bytes);
      if (complete === null) {
        isUnreadable = true;
        return call.planned.hidesUsage ? encoder.encode(blocks.rest()) : bytes;
      }
      let shown = '';
      for (const block of complete) {
        const data = dataOf(block);
        shown += call.planned.hidesUsage ? withoutUsage(block, data) : '';
        // The reader gets the last event after the charge is settled, so the next call finds the budget as it is.
        if (hear(data, heard)) await call.finished(heard.usage);
      }
      return call.planned.hidesUsage ? encoder.encode(shown) : bytes;
    },
    async end() {
      if (heard.usage !== null || heard.isComplete || isUnreadable) await call.finished(heard.usage);
      else await call.cutOff(heard.bytes);
    },
  };
}

/** Adds what an event says. Returns true if it is the last one. */
function hear(data: string, heard: Heard): boolean {
  if (data === '[DONE]') {
    heard.isComplete = true;
    return true;
  }
  const event = fieldsOf(parsed(data));
  const { type, response, choices } = event;
  heard.usage = readUsage(event.usage) ?? readUsage(fieldsOf(response).usage) ?? heard.usage;
  heard.bytes += deliveredBytes(event);
  const isLast = type === 'response.completed' || type === 'response.incomplete';
  const hasFinished =
    Array.isArray(choices) && choices.some((choice) => typeof fieldsOf(choice).finish_reason === 'string');
  heard.isComplete ||= isLast || hasFinished;
  return isLast;
}

/** Returns an event as it would be if nobody had asked for usage. The event with the usage is left out. */
function withoutUsage(block: string, data: string): string {
  if (!data.includes('"usage"')) return block;
  const { choices, usage } = fieldsOf(parsed(data));
  if (Array.isArray(choices) && choices.length === 0 && fieldsOf(usage) === usage) return '';
  // In a text of JSON a quotation mark has a backslash, so this is always a field.
  return block.replace(',"usage":null', '');
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}
