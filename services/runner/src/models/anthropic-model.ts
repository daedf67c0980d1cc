/** Calls models through the Messages API of Anthropic. */
import Anthropic from '@anthropic-ai/sdk';
import { wrapAnthropic } from '@mandate/sdk/anthropic';
import type { ModelStop } from '../agent-step/call-event.ts';
import type { ModelMessage, ModelReply, ModelRequest } from './model-clients.ts';
import { failureOfProvider } from './model-failed.ts';
import { checkLength, replyOf } from './read-reply.ts';

type AnthropicProvider = {
  provider: string;
  apiKey: string;
  baseUrl?: string | undefined;
  timeoutMs: number;
};

/** Above this limit, the SDK refuses to wait for an answer without a stream. */
const LONGEST_WITHOUT_STREAM = 8_192;

export function anthropicModel(options: AnthropicProvider): (request: ModelRequest) => Promise<ModelReply> {
  const { provider, apiKey, baseUrl, timeoutMs } = options;
  const client = new Anthropic({
    apiKey,
    timeout: timeoutMs,
    ...(baseUrl !== undefined && { baseURL: baseUrl }),
  });
  return async (request) => {
    const { agent, inputTokens, maxOutputTokens, signal, onText } = request;
    const governed = wrapAnthropic(
      client,
      { agent: () => agent },
      { provider, countTokens: () => inputTokens },
    );
    const body = bodyOf(request);
    const isStreamed = onText !== undefined || maxOutputTokens > LONGEST_WITHOUT_STREAM;
    try {
      const { content, stop_reason } = isStreamed
        ? await streamed(governed, body, onText, signal)
        : await governed.messages.create(body, { signal });
      const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('');
      const calls = content.flatMap((block) =>
        block.type === 'tool_use' ? [{ tool: block.name, args: JSON.stringify(block.input) }] : [],
      );
      return replyOf(text, calls, stopOf(stop_reason));
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof Anthropic.APIError ? failureOfProvider(provider, error) : error;
    }
  };
}

async function streamed(
  client: Anthropic,
  body: Anthropic.MessageCreateParamsNonStreaming,
  onText: ((text: string) => void) | undefined,
  signal: AbortSignal,
): Promise<Anthropic.Message> {
  const stream = client.messages.stream(body, { signal });
  let length = 0;
  for await (const event of stream) {
    if (event.type !== 'content_block_delta') continue;
    if (event.delta.type === 'input_json_delta') length += event.delta.partial_json.length;
    if (event.delta.type === 'text_delta') {
      length += event.delta.text.length;
      onText?.(event.delta.text);
    }
    checkLength(length);
  }
  return stream.finalMessage();
}

function bodyOf({
  model,
  system,
  messages,
  tools,
  maxOutputTokens,
}: ModelRequest): Anthropic.MessageCreateParamsNonStreaming {
  return {
    model,
    system,
    max_tokens: maxOutputTokens,
    messages: messages.map(messageOf),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, parameters }) => ({
        name,
        description,
        input_schema: { ...parameters, type: 'object' as const },
      })),
    }),
  };
}

/** The API refuses a message without content. */
const NO_TEXT = '(no text)';

function messageOf(message: ModelMessage): Anthropic.MessageParam {
  if (message.role === 'user') return { role: 'user', content: message.text };
  if (message.role === 'tools') {
    const results = message.results.map(({ id, text, isError }) => ({
      type: 'tool_result' as const,
      tool_use_id: id,
      content: text,
      is_error: isError,
    }));
    return { role: 'user', content: results };
  }
  const calls = message.toolCalls.map(({ id, name, args }) => ({
    type: 'tool_use' as const,
    id,
    name,
    input: args,
  }));
  const text = message.text.trim() === '' && calls.length === 0 ? NO_TEXT : message.text;
  return {
    role: 'assistant',
    content: [...(text.trim() === '' ? [] : [{ type: 'text' as const, text }]), ...calls],
  };
}

function stopOf(reason: string | null): ModelStop {
  if (reason === 'refusal') return 'refusal';
  if (reason === 'max_tokens' || reason === 'model_context_window_exceeded') return 'length';
  return reason === 'tool_use' ? 'tools' : 'end';
}
