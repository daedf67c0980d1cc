/** The messages to a model in each turn of a step. */
import type { Json } from '@mandate/schemas';
import type { ModelMessage, ModelReply } from '../models/model-clients.ts';
import { askToCorrect } from './read-output.ts';

/** The result of a call as the model gets it. `name` is the offered name. */
export type ToldResult = { name: string; args: object; text: string; isError: boolean };

/** A finished turn. `results` answer the calls of the reply, in their order. */
export type Turn = { reply: ModelReply; results: readonly ToldResult[]; fault: string | null };

export function messagesOf(
  inputs: Json,
  turns: readonly Turn[],
  historySupport: boolean,
): readonly ModelMessage[] {
  const first = `Your inputs, as JSON:\n${JSON.stringify(inputs, null, 2)}`;
  if (!historySupport) return [{ role: 'user', text: [first, ...turns.map(turnInWords)].join('\n\n') }];
  return [{ role: 'user', text: first }, ...turns.flatMap(messagesOfTurn)];
}

function messagesOfTurn({ reply, results, fault }: Turn, at: number): ModelMessage[] {
  const model: ModelMessage = {
    role: 'model',
    text: reply.text,
    toolCalls: results.map(({ name, args }, index) => ({ id: idOf(at, index), name, args })),
  };
  if (fault !== null) return [model, { role: 'user', text: askToCorrect(fault) }];
  const told = results.map(({ text, isError }, index) => ({ id: idOf(at, index), text, isError }));
  return [model, { role: 'tools', results: told }];
}

/** Providers repeat the ids of calls, so their ids are never used. */
function idOf(turn: number, index: number): string {
  return `call_${turn + 1}_${index + 1}`;
}

function turnInWords({ reply, results, fault }: Turn): string {
  if (fault !== null) return `Your answer was:\n${reply.text}\n\n${askToCorrect(fault)}`;
  return results
    .map(
      ({ name, args, text, isError }) =>
        `${isError ? 'The failed call' : 'The result'} of ${name} with ${JSON.stringify(args)}:\n${text}`,
    )
    .join('\n\n');
}
