/** `POST /v1/chat/completions`. */
import {
  CREATED_AT,
  halvesOf,
  type Protocol,
  piecesOf,
  type StreamEvent,
  type Turn,
  textOf,
  toolCallsOf,
  usageOf,
} from '../protocol.ts';
import type { ModelUsage } from '../reply.ts';

export const chatCompletions: Protocol = {
  answer(turn) {
    const { body, reply } = turn;
    const usage = usageOf(reply);
    const toolCalls = toolCallsOf(turn).map(toolCall);
    return {
      ...head(turn, 'chat.completion'),
      choices: choiceNumbers(body).map((index) => ({
        index,
        message: {
          role: 'assistant',
          content: toolCalls.length === 0 ? textOf(reply) : textOf(reply) || null,
          refusal: null,
          annotations: [],
          ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
        },
        logprobs: null,
        finish_reason: finishReason(turn),
      })),
      ...(usage === null ? {} : { usage: usageOfChat(usage) }),
      service_tier: 'default',
    };
  },

  events(turn) {
    const { body, reply } = turn;
    const options = body.stream_options as { include_usage?: boolean } | undefined;
    const usage = options?.include_usage === true ? usageOf(reply) : null;
    // With include_usage each chunk has the field, and all but the last have null.
    const withUsage = options?.include_usage === true ? { usage: null } : {};
    const chunk = (index: number, delta: object, finish_reason: string | null = null): StreamEvent => ({
      data: {
        ...head(turn, 'chat.completion.chunk'),
        choices: [{ index, delta, logprobs: null, finish_reason }],
        ...withUsage,
      },
    });
    const choices = choiceNumbers(body);
    return [
      ...choices.map((index) => chunk(index, { role: 'assistant', content: '', refusal: null })),
      ...piecesOf(reply).flatMap((content) => choices.map((index) => chunk(index, { content }))),
      ...choices.flatMap((index) =>
        toolCallsOf(turn).flatMap(({ id, name, args }, at) => [
          chunk(index, {
            tool_calls: [{ index: at, id, type: 'function', function: { name, arguments: '' } }],
          }),
          ...halvesOf(args).map((piece) =>
            chunk(index, { tool_calls: [{ index: at, function: { arguments: piece } }] }),
          ),
        ]),
      ),
      ...choices.map((index) => chunk(index, {}, finishReason(turn))),
      ...(usage === null
        ? []
        : [{ data: { ...head(turn, 'chat.completion.chunk'), choices: [], usage: usageOfChat(usage) } }]),
      { data: '[DONE]' },
    ];
  },

  errorEvent: { data: { error: { message: 'The model broke.', type: 'server_error', code: null } } },
};

function head({ body, number }: Turn, object: string) {
  return {
    id: `chatcmpl-${number}`,
    object,
    created: CREATED_AT,
    model: body.model,
    system_fingerprint: 'fp_test',
  };
}

/** A request with `n` gets this many choices. */
function choiceNumbers({ n }: Turn['body']): number[] {
  return Array.from({ length: typeof n === 'number' ? n : 1 }, (_, index) => index);
}

function finishReason({ reply }: Turn): string {
  return reply.stopReason ?? (reply.toolCalls === undefined ? 'stop' : 'tool_calls');
}

function toolCall({ id, name, args }: { id: string; name: string; args: string }) {
  return { id, type: 'function', function: { name, arguments: args } };
}

/** Returns usage in the form of chat completions and of embeddings. */
export function usageOfChat({ inputTokens, outputTokens, ...details }: ModelUsage) {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: details.cachedInputTokens ?? 0, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: details.reasoningTokens ?? 0,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}
