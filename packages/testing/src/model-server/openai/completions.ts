/** `POST /v1/completions`, the older way to ask for text. */
import { CREATED_AT, type Protocol, piecesOf, type Turn, textOf, usageOf } from '../protocol.ts';
import { usageOfChat } from './chat-completions.ts';

export const completions: Protocol = {
  answer(turn) {
    const usage = usageOf(turn.reply);
    return {
      ...head(turn),
      choices: [choice(textOf(turn.reply), 'stop')],
      ...(usage === null ? {} : { usage: usageOfChat(usage) }),
    };
  },

  events(turn) {
    const options = turn.body.stream_options as { include_usage?: boolean } | undefined;
    const usage = options?.include_usage === true ? usageOf(turn.reply) : null;
    return [
      ...piecesOf(turn.reply).map((piece) => ({ data: { ...head(turn), choices: [choice(piece, null)] } })),
      { data: { ...head(turn), choices: [choice('', 'stop')] } },
      ...(usage === null ? [] : [{ data: { ...head(turn), choices: [], usage: usageOfChat(usage) } }]),
      { data: '[DONE]' },
    ];
  },
};

function head({ body, number }: Turn) {
  return { id: `cmpl-${number}`, object: 'text_completion', created: CREATED_AT, model: body.model };
}

function choice(text: string, finish_reason: string | null) {
  return { index: 0, text, logprobs: null, finish_reason };
}
