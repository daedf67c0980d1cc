/** `POST /v1/messages` and `POST /v1/messages/count_tokens`. */
import { halvesOf, type Protocol, piecesOf, type Turn, textOf, toolCallsOf, usageOf } from '../protocol.ts';
import type { ModelUsage } from '../reply.ts';

export const messages: Protocol = {
  answer(turn) {
    const usage = usageOf(turn.reply);
    return {
      ...head(turn),
      content: contentOf(turn),
      stop_reason: stopReason(turn),
      stop_sequence: null,
      ...(usage === null ? {} : { usage: usageOfMessages(usage) }),
    };
  },

  events(turn) {
    const usage = usageOf(turn.reply);
    const started = {
      ...head(turn),
      content: [],
      stop_reason: null,
      stop_sequence: null,
      // The output of the first event is a placeholder.
      ...(usage === null ? {} : { usage: { ...usageOfMessages(usage), output_tokens: 1 } }),
    };
    const events: { type: string; [key: string]: unknown }[] = [
      { type: 'message_start', message: started },
      ...contentOf(turn).flatMap((block, index) => [
        {
          type: 'content_block_start',
          index,
          content_block: block.type === 'text' ? { ...block, text: '' } : { ...block, input: {} },
        },
        ...(index === 0 ? [{ type: 'ping' }] : []),
        ...deltasOf(turn, block).map((delta) => ({ type: 'content_block_delta', index, delta })),
        { type: 'content_block_stop', index },
      ]),
      {
        type: 'message_delta',
        delta: { stop_reason: stopReason(turn), stop_sequence: null },
        ...(usage === null ? {} : { usage: usageOfMessages(usage) }),
      },
      { type: 'message_stop' },
    ];
    return events.map((data) => ({ event: data.type, data }));
  },

  errorEvent: {
    event: 'error',
    data: { type: 'error', error: { type: 'overloaded_error', message: 'The model broke.' } },
  },
};

export const countTokens: Protocol = {
  answer: ({ reply }) => ({ input_tokens: usageOf(reply)?.inputTokens ?? 0 }),
};

type Block = { type: 'text'; text: string } | { type: 'tool_use'; id: string; name: string; input: object };

function contentOf(turn: Turn): Block[] {
  const text = textOf(turn.reply);
  return [
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...toolCallsOf(turn).map(({ id, name, args }) => ({
      type: 'tool_use' as const,
      id,
      name,
      input: JSON.parse(args),
    })),
  ];
}

function deltasOf({ reply }: Turn, block: Block): object[] {
  return block.type === 'text'
    ? piecesOf(reply).map((text) => ({ type: 'text_delta', text }))
    : halvesOf(JSON.stringify(block.input)).map((partial_json) => ({
        type: 'input_json_delta',
        partial_json,
      }));
}

function head({ body, number }: Turn) {
  return { id: `msg_${number}`, type: 'message', role: 'assistant', model: body.model };
}

function stopReason({ reply }: Turn): string {
  if (reply.stopReason === 'length') return 'max_tokens';
  return reply.toolCalls === undefined ? 'end_turn' : 'tool_use';
}

/**
 * Returns usage in the form of Anthropic. Its `input_tokens` does not count tokens that are read from a cache or written
 * to one.
 */
function usageOfMessages({ inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens }: ModelUsage) {
  const [read, written] = [cachedInputTokens ?? 0, cacheWriteTokens ?? 0];
  return {
    input_tokens: inputTokens - read - written,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
    output_tokens: outputTokens,
    service_tier: 'standard',
  };
}
