/** Watches a reply. Settles the call when the reader has received the whole reply, or has stopped reading. */
import { type AskedTools, askedTools } from '../adapters/asked-tools.ts';
import { type Delivery, NOTHING } from '../adapters/outcome-of-delivery.ts';
import {
  dataOf,
  eventBlocks,
  type Fields,
  fieldsOf,
  fieldsOfJson,
  readDocument,
} from '../adapters/read-answers.ts';
import type { BodyWatcher } from '../adapters/watch-body.ts';
import { deliveredBytes, findAskedTools, isWholeReply, usageOf } from './read-reply.ts';
import type { PlannedReply, RunningCall } from './running-call.ts';

/**
 * Watches a reply that is one JSON document.
 *
 * @param mayRetry true if the SDK may send the request again after an interrupted reply
 */
export function replyWatcher(
  call: RunningCall<PlannedReply>,
  mayRetry: () => boolean,
): Omit<BodyWatcher, 'signal'> {
  const { piece, fields } = readDocument();
  return {
    piece,
    async end(how) {
      // The model wrote the whole reply before the first byte was sent, so even a part of the reply costs the whole
      // reply.
      if (how === 'finished') await call.answered('whole', deliveryOf(fields()));
      else if (how === 'broken' && mayRetry()) call.unanswered();
      else await call.answered('whole', NOTHING);
    },
  };
}

function deliveryOf(reply: Fields): Delivery {
  const asked = askedTools();
  findAskedTools(reply, asked);
  // A long reply is not kept, so its tools are unknown.
  const toolCalls = isWholeReply(reply) ? asked.counts() : undefined;
  return { ...NOTHING, usage: usageOf(reply.usage), toolCalls };
}

/** The state of a stream after the events so far. */
type Stream = Delivery & { isComplete: boolean; hasFailed: boolean; asked: AskedTools };

/** Watches the events of a reply. */
export function streamWatcher(call: RunningCall<PlannedReply>): Omit<BodyWatcher, 'signal'> {
  const blocks = eventBlocks();
  const encoder = new TextEncoder();
  const stream: Stream = { ...NOTHING, isComplete: false, hasFailed: false, asked: askedTools() };
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
        // The reader gets the last event after the charge is settled, so the next call finds the settled budget.
        if (take(data, stream)) await call.answered('whole', deliveredBy(stream));
      }
      return call.planned.hidesUsage ? encoder.encode(shown) : bytes;
    },
    async end(how) {
      const isWhole = stream.usage !== null || stream.isComplete || isUnreadable;
      // A stream without its last event was cut, even if the connection was closed without an error.
      const isLeft = how === 'left' && !stream.hasFailed && call.callerSignal?.aborted !== true;
      const delivery = deliveredBy(stream);
      if (isUnreadable && delivery.toolCalls?.length === 0) delivery.toolCalls = undefined;
      await call.answered(isWhole ? 'whole' : isLeft ? 'left' : 'broken', delivery);
    },
  };
}

function deliveredBy({ usage, started, deliveredBytes, asked }: Stream): Delivery {
  return { usage, started, deliveredBytes, toolCalls: asked.counts() };
}

/** Adds the content of an event to the stream. Returns true for the last event. */
function take(data: string, stream: Stream): boolean {
  if (data === '[DONE]') {
    stream.isComplete = true;
    return true;
  }
  const event = fieldsOfJson(data);
  const { type, response, choices, error } = event;
  stream.usage = usageOf(event.usage) ?? usageOf(fieldsOf(response).usage) ?? stream.usage;
  stream.deliveredBytes += deliveredBytes(event);
  findAskedTools(event, stream.asked);
  const isLast = type === 'response.completed' || type === 'response.incomplete';
  const hasFinished =
    Array.isArray(choices) && choices.some((choice) => typeof fieldsOf(choice).finish_reason === 'string');
  stream.isComplete ||= isLast || hasFinished;
  stream.hasFailed ||= type === 'error' || type === 'response.failed' || fieldsOf(error) === error;
  return isLast;
}

/**
 * Returns an event without the usage, because the caller did not request usage. An event with only the usage becomes
 * ''.
 */
function withoutUsage(block: string, data: string): string {
  if (!data.includes('"usage"')) return block;
  const { choices, usage } = fieldsOfJson(data);
  if (Array.isArray(choices) && choices.length === 0 && fieldsOf(usage) === usage) return '';
  // Inside a JSON string, a quotation mark has a backslash. So this match is always a field.
  return block.replace(',"usage":null', '');
}
