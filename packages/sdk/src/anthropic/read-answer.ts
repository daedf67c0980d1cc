/** Reads what an answer of the Messages API delivered, from the pieces of its body. */
import { bytesOf } from '../model-calls/estimate-tokens.ts';
import type { AnswerEnd, Delivery } from '../model-calls/outcome-of-delivery.ts';
import { eventReader, objectOf } from '../model-calls/read-events.ts';
import type { BodyEnd } from '../model-calls/watch-body.ts';
import { usageOf } from './usage.ts';

/** The most bytes of an answer that is no stream. The usage of a longer answer is not read. */
const MOST_JSON_BYTES = 64 * 1024 * 1024;

export type AnswerReader = {
  piece(bytes: Uint8Array): void;
  /** What the answer delivered, after the body ended like this. */
  ended(how: BodyEnd): { end: AnswerEnd; delivery: Delivery };
};

/** Reads an answer that is sent as events. */
export function streamReader(): AnswerReader {
  const delivery: Delivery = { usage: null, started: null, deliveredBytes: 0 };
  let isWhole = false;
  let hasFailed = false;
  const piece = eventReader(({ data }) => {
    const event = objectOf(data);
    if (event === null) return;
    if (event.type === 'message_start') {
      delivery.started = usageOf((event.message as { usage?: unknown } | undefined)?.usage);
    } else if (event.type === 'content_block_start') {
      delivery.deliveredBytes += deliveredBytesOf(event.content_block);
    } else if (event.type === 'content_block_delta') {
      delivery.deliveredBytes += deliveredBytesOf(event.delta);
    } else if (event.type === 'message_delta') {
      delivery.usage = usageOf(event.usage, delivery.started) ?? delivery.usage;
    } else if (event.type === 'message_stop') {
      isWhole = true;
    } else if (event.type === 'error') {
      hasFailed = true;
    }
  });
  return {
    piece,
    ended(how) {
      if (isWhole) return { end: 'whole', delivery };
      // A stream without its last event was cut, even if the connection was closed in order.
      return { end: how === 'left' && !hasFailed ? 'left' : 'broken', delivery };
    },
  };
}

/** The fields of a content block, or of a change to one, that contain what the model wrote. */
const WRITTEN = ['text', 'thinking', 'partial_json', 'name'] as const;

function deliveredBytesOf(content: unknown): number {
  if (typeof content !== 'object' || content === null) return 0;
  const fields = content as Record<string, unknown>;
  return WRITTEN.reduce((sum, name) => {
    const written = fields[name];
    return typeof written === 'string' ? sum + bytesOf(written) : sum;
  }, 0);
}

/** Reads an answer that is one JSON object. */
export function jsonReader(): AnswerReader {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  return {
    piece(piece) {
      bytes += piece.byteLength;
      if (bytes <= MOST_JSON_BYTES) text += decoder.decode(piece, { stream: true });
    },
    ended(how) {
      const usage = how === 'finished' && bytes <= MOST_JSON_BYTES ? usageOf(objectOf(text)?.usage) : null;
      // The model wrote the whole answer before the first byte was sent, so even a part of it costs all of it.
      return { end: 'whole', delivery: { usage, started: null, deliveredBytes: 0 } };
    },
  };
}
