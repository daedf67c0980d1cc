/** Reads the delivered part of an answer of the Messages API from the pieces of its body. */
import { type AskedTools, askedTools } from '../adapters/asked-tools.ts';
import { bytesOf } from '../adapters/count-tokens.ts';
import { type AnswerEnd, type Delivery, NOTHING } from '../adapters/outcome-of-delivery.ts';
import {
  dataOf,
  eventBlocks,
  type Fields,
  fieldsOf,
  fieldsOfJson,
  readDocument,
} from '../adapters/read-answers.ts';
import type { StreamEnd } from '../adapters/watch-body.ts';
import { usageOf } from './usage.ts';

export type AnswerReader = {
  piece(bytes: Uint8Array): void;
  /** Returns the delivered part after the body has ended in this way. */
  ended(how: StreamEnd): { end: AnswerEnd; delivery: Delivery };
};

/** Reads an answer that is sent as events. */
export function streamReader(): AnswerReader {
  const blocks = eventBlocks();
  const delivery: Delivery = { ...NOTHING };
  const asked = askedTools();
  let isWhole = false;
  let hasFailed = false;
  let isUnreadable = false;
  const take = (event: Fields) => {
    if (event.type === 'message_start') {
      delivery.started = usageOf(fieldsOf(event.message).usage);
    } else if (event.type === 'content_block_start') {
      delivery.deliveredBytes += deliveredBytesOf(event.content_block);
      askedIn(event.content_block, `${event.index}`, asked);
    } else if (event.type === 'content_block_delta') {
      delivery.deliveredBytes += deliveredBytesOf(event.delta);
    } else if (event.type === 'message_delta') {
      delivery.usage = usageOf(event.usage, delivery.started) ?? delivery.usage;
    } else if (event.type === 'message_stop') {
      isWhole = true;
    } else if (event.type === 'error') {
      hasFailed = true;
    }
  };
  return {
    piece(bytes) {
      if (isUnreadable) return;
      const complete = blocks.take(bytes);
      if (complete === null) isUnreadable = true;
      for (const block of complete ?? []) take(fieldsOfJson(dataOf(block)));
    },
    ended(how) {
      // The tools of an unreadable answer are unknown, except the tools before the unreadable part.
      const toolCalls = asked.counts();
      if (!isUnreadable || toolCalls.length > 0) delivery.toolCalls = toolCalls;
      if (isWhole || isUnreadable) return { end: 'whole', delivery };
      // A stream without its last event was cut, even if the connection was closed in order.
      return { end: how === 'left' && !hasFailed ? 'left' : 'broken', delivery };
    },
  };
}

/** The fields of a content block, or of a change to a block, that contain text of the model. */
const WRITTEN = ['text', 'thinking', 'partial_json', 'name'] as const;

function deliveredBytesOf(content: unknown): number {
  const fields = fieldsOf(content);
  return WRITTEN.reduce((sum, name) => {
    const written = fields[name];
    return typeof written === 'string' ? sum + bytesOf(written) : sum;
  }, 0);
}

/** Reads an answer that is one JSON object. */
export function jsonReader(): AnswerReader {
  const { piece, fields } = readDocument();
  return {
    piece,
    // The model wrote the whole answer before the first byte was sent, so even a part of the answer costs the whole
    // answer.
    ended: (how) => ({
      end: 'whole',
      delivery: how === 'finished' ? deliveryOf(fields()) : NOTHING,
    }),
  };
}

function deliveryOf({ usage, content }: Fields): Delivery {
  // A long answer is not kept, so its tools are unknown.
  if (!Array.isArray(content)) return { ...NOTHING, usage: usageOf(usage) };
  const asked = askedTools();
  for (const [at, block] of content.entries()) askedIn(block, `${at}`, asked);
  return { ...NOTHING, usage: usageOf(usage), toolCalls: asked.counts() };
}

/** Counts a block that calls a tool. Anthropic runs some tools itself: `server_tool_use`, `mcp_tool_use`. */
function askedIn(block: unknown, place: string, asked: AskedTools): void {
  const { type, name } = fieldsOf(block);
  if (typeof type === 'string' && type.endsWith('tool_use')) asked.saw(place, name);
}
