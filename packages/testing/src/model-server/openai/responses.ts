/** `POST /v1/responses`. */
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

export const responses: Protocol = {
  answer: (turn) => finished(turn),

  events(turn) {
    const items = outputOf(turn);
    const started = { ...response(turn, 'in_progress'), output: [] };
    const events: StreamEvent['data'][] = [
      { type: 'response.created', response: started },
      { type: 'response.in_progress', response: started },
      ...items.flatMap((item, at) =>
        item.type === 'message' ? eventsOfMessage(turn, item, at) : eventsOfToolCall(item, at),
      ),
      { type: isCut(turn) ? 'response.incomplete' : 'response.completed', response: finished(turn) },
    ];
    return events.map((data, at) => {
      const { type, ...rest } = data as { type: string };
      return { event: type, data: { type, sequence_number: at, ...rest } };
    });
  },

  errorEvent: {
    event: 'error',
    data: { type: 'error', code: 'server_error', message: 'The model broke.', param: null },
  },
};

type MessageItem = { type: 'message'; id: string; [key: string]: unknown };
type ToolItem = { type: 'function_call'; id: string; arguments: string; [key: string]: unknown };

function isCut({ reply }: Turn): boolean {
  return reply.stopReason === 'length';
}

function finished(turn: Turn) {
  const usage = usageOf(turn.reply);
  return {
    ...response(turn, isCut(turn) ? 'incomplete' : 'completed'),
    incomplete_details: isCut(turn) ? { reason: 'max_output_tokens' } : null,
    output: outputOf(turn),
    ...(usage === null
      ? {}
      : {
          usage: {
            input_tokens: usage.inputTokens,
            input_tokens_details: { cached_tokens: usage.cachedInputTokens ?? 0 },
            output_tokens: usage.outputTokens,
            output_tokens_details: { reasoning_tokens: usage.reasoningTokens ?? 0 },
            total_tokens: usage.inputTokens + usage.outputTokens,
          },
        }),
  };
}

function response({ body, number }: Turn, status: string) {
  return {
    id: `resp_${number}`,
    object: 'response',
    created_at: CREATED_AT,
    status,
    background: body.background ?? false,
    error: null,
    incomplete_details: null,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    metadata: body.metadata ?? {},
    model: body.model,
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: body.previous_response_id ?? null,
    reasoning: { effort: null, summary: null },
    service_tier: 'default',
    store: body.store ?? true,
    temperature: body.temperature ?? 1,
    text: body.text ?? { format: { type: 'text' } },
    tool_choice: body.tool_choice ?? 'auto',
    tools: body.tools ?? [],
    top_p: body.top_p ?? 1,
    truncation: 'disabled',
    usage: null,
  };
}

function outputOf(turn: Turn): (MessageItem | ToolItem)[] {
  const { reply, number } = turn;
  const calls = toolCallsOf(turn).map(
    ({ id, name, args }, at): ToolItem => ({
      id: `fc_${number}_${at}`,
      type: 'function_call',
      status: 'completed',
      arguments: args,
      call_id: id,
      name,
    }),
  );
  if (reply.text === undefined && calls.length > 0) return calls;
  return [
    {
      id: `msg_${number}`,
      type: 'message',
      status: 'completed',
      role: 'assistant',
      content: [textPart(textOf(reply))],
    },
    ...calls,
  ];
}

function textPart(text: string) {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

function eventsOfMessage({ reply }: Turn, item: MessageItem, output_index: number): object[] {
  const where = { item_id: item.id, output_index, content_index: 0 };
  return [
    {
      type: 'response.output_item.added',
      output_index,
      item: { ...item, status: 'in_progress', content: [] },
    },
    { type: 'response.content_part.added', ...where, part: textPart('') },
    ...piecesOf(reply).map((delta) => ({
      type: 'response.output_text.delta',
      ...where,
      delta,
      logprobs: [],
    })),
    { type: 'response.output_text.done', ...where, text: textOf(reply), logprobs: [] },
    { type: 'response.content_part.done', ...where, part: textPart(textOf(reply)) },
    { type: 'response.output_item.done', output_index, item },
  ];
}

function eventsOfToolCall(item: ToolItem, output_index: number): object[] {
  const where = { item_id: item.id, output_index };
  return [
    {
      type: 'response.output_item.added',
      output_index,
      item: { ...item, status: 'in_progress', arguments: '' },
    },
    ...halvesOf(item.arguments).map((delta) => ({
      type: 'response.function_call_arguments.delta',
      ...where,
      delta,
    })),
    {
      type: 'response.function_call_arguments.done',
      ...where,
      arguments: item.arguments,
      name: item.name,
    },
    { type: 'response.output_item.done', output_index, item },
  ];
}
