/** Calls models through chat completions, the protocol of OpenAI that many providers speak. */
import { wrapOpenAI } from '@mandate/sdk/openai';
import OpenAI from 'openai';
import type { ModelStop } from '../agent-step/call-event.ts';
import type { ModelMessage, ModelReply, ModelRequest } from './model-clients.ts';
import { failureOfProvider } from './model-failed.ts';
import { checkLength, replyOf } from './read-reply.ts';

type OpenAIProvider = { provider: string; apiKey: string; baseUrl?: string | undefined; timeoutMs: number };
type Message = OpenAI.ChatCompletionMessageParam;
type WrittenCall = { tool: string; args: string };

export function openAIModel(options: OpenAIProvider): (request: ModelRequest) => Promise<ModelReply> {
  const { provider, apiKey, baseUrl, timeoutMs } = options;
  const client = new OpenAI({
    apiKey,
    timeout: timeoutMs,
    ...(baseUrl !== undefined && { baseURL: baseUrl }),
  });
  return async (request) => {
    const { agent, inputTokens, maxOutputTokens, signal } = request;
    const governed = wrapOpenAI(
      client,
      { agent: () => agent },
      {
        provider,
        countTokens: () => inputTokens,
        maxOutputTokens,
      },
    );
    const body = bodyOf(request, provider);
    try {
      if (request.onText !== undefined) return await streamed(governed, body, request.onText, signal);
      const { choices } = await governed.chat.completions.create(body, { signal });
      const [choice] = choices;
      const calls = (choice?.message.tool_calls ?? []).flatMap((call): WrittenCall[] =>
        call.type === 'function' ? [{ tool: call.function.name, args: call.function.arguments }] : [],
      );
      const text = choice?.message.content ?? choice?.message.refusal ?? '';
      return replyOf(text, calls, stopOf(choice?.finish_reason, choice?.message.refusal));
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof OpenAI.APIError ? failureOfProvider(provider, error) : error;
    }
  };
}

type Body = OpenAI.ChatCompletionCreateParamsNonStreaming;

function bodyOf({ model, system, messages, tools, maxOutputTokens }: ModelRequest, provider: string): Body {
  return {
    model,
    messages: [{ role: 'system', content: system }, ...messages.flatMap(messagesOf)],
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, parameters }) => ({
        type: 'function' as const,
        function: { name, description, parameters: { ...parameters } },
      })),
    }),
    // The newer models of OpenAI refuse `max_tokens`, but many other servers know only this field.
    ...(provider === 'openai' ? { max_completion_tokens: maxOutputTokens } : { max_tokens: maxOutputTokens }),
  };
}

function messagesOf(message: ModelMessage): Message[] {
  if (message.role === 'user') return [{ role: 'user', content: message.text }];
  if (message.role === 'tools')
    return message.results.map(({ id, text }) => ({ role: 'tool', tool_call_id: id, content: text }));
  const { text, toolCalls } = message;
  if (toolCalls.length === 0) return [{ role: 'assistant', content: text }];
  const calls = toolCalls.map(({ id, name, args }) => ({
    id,
    type: 'function' as const,
    function: { name, arguments: JSON.stringify(args) },
  }));
  return [{ role: 'assistant', content: text === '' ? null : text, tool_calls: calls }];
}

async function streamed(
  client: OpenAI,
  body: Body,
  onText: (text: string) => void,
  signal: AbortSignal,
): Promise<ModelReply> {
  const stream = await client.chat.completions.create({ ...body, stream: true }, { signal });
  const calls = new Map<number, WrittenCall>();
  let [text, refusal, length] = ['', '', 0];
  let finished: string | null | undefined;
  for await (const { choices } of stream) {
    const [choice] = choices;
    if (choice === undefined) continue;
    const { content, refusal: refused, tool_calls: pieces = [] } = choice.delta;
    text += content ?? '';
    refusal += refused ?? '';
    length += (content?.length ?? 0) + (refused?.length ?? 0);
    if (content) onText(content);
    for (const { index, function: piece } of pieces) {
      const { tool, args } = calls.get(index) ?? { tool: '', args: '' };
      const [name = '', more = ''] = [piece?.name, piece?.arguments];
      length += name.length + more.length + 1;
      calls.set(index, { tool: tool + name, args: args + more });
    }
    finished = choice.finish_reason ?? finished;
    checkLength(length);
  }
  return replyOf(text === '' ? refusal : text, [...calls.values()], stopOf(finished, refusal));
}

function stopOf(reason: string | null | undefined, refusal: string | null | undefined): ModelStop {
  if (refusal || reason === 'content_filter') return 'refusal';
  if (reason === 'length') return 'length';
  return reason === 'tool_calls' ? 'tools' : 'end';
}
