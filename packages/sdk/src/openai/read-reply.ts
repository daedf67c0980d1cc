/** Reads a reply of OpenAI, or one event of its stream: the usage, the delivered text, and the tools that it asks for. */
import type { AskedTools } from '../adapters/asked-tools.ts';
import { bytesOf, usageOfCounts } from '../adapters/count-tokens.ts';
import { type Fields, fieldsOf } from '../adapters/read-answers.ts';
import type { TokenUsage } from '../types.ts';

/**
 * Returns the usage in the form of the SDK. OpenAI has two forms: chat completions and embeddings count
 * `prompt_tokens`, responses count `input_tokens`. Null if there is no usage, or if a number is not a valid count.
 */
export function usageOf(value: unknown): TokenUsage | null {
  const stated = fieldsOf(value);
  const input = fieldsOf(stated.prompt_tokens_details ?? stated.input_tokens_details);
  const output = fieldsOf(stated.completion_tokens_details ?? stated.output_tokens_details);
  return usageOfCounts({
    inputTokens: stated.prompt_tokens ?? stated.input_tokens,
    cachedInputTokens: input.cached_tokens,
    cacheWriteTokens: input.cache_write_tokens,
    outputTokens: stated.completion_tokens ?? stated.output_tokens ?? 0,
    reasoningTokens: output.reasoning_tokens,
  });
}

/** Returns the bytes of text, reasoning and tool calls in one event of a stream. */
export function deliveredBytes(event: unknown): number {
  const { type, delta, item, choices } = fieldsOf(event);
  if (Array.isArray(choices)) {
    return choices.reduce((sum: number, choice) => sum + bytesOfChoice(fieldsOf(choice)), 0);
  }
  if (typeof delta === 'string') return bytesOf(delta);
  return type === 'response.output_item.added' ? bytesOfTexts(fieldsOf(item), ['name']) : 0;
}

function bytesOfChoice({ delta, text }: Fields): number {
  const fields = fieldsOf(delta);
  const calls = Array.isArray(fields.tool_calls) ? fields.tool_calls : [];
  return (
    (typeof text === 'string' ? bytesOf(text) : 0) +
    bytesOfTexts(fields, ['content', 'refusal', 'reasoning', 'reasoning_content']) +
    [fieldsOf(fields.function_call), ...calls.map((call) => fieldsOf(fieldsOf(call).function))].reduce(
      (sum, call) => sum + bytesOfTexts(call, ['name', 'arguments']),
      0,
    )
  );
}

function bytesOfTexts(fields: Fields, names: readonly string[]): number {
  return names.reduce((sum, name) => {
    const text = fields[name];
    return sum + (typeof text === 'string' ? bytesOf(text) : 0);
  }, 0);
}

/**
 * Counts the calls of tools that a reply asks for.
 *
 * @param answer the whole reply, or one event of its stream
 */
export function findAskedTools(
  { choices, output, type, item, output_index }: Fields,
  asked: AskedTools,
): void {
  for (const [at, choice] of listOf(choices).entries()) {
    const { index = at, message, delta } = choice;
    callsOfMessage(fieldsOf(message ?? delta), `${index}`, asked);
  }
  for (const [at, one] of listOf(output).entries()) callOfItem(one, `${at}`, asked);
  if (type === 'response.output_item.added') callOfItem(fieldsOf(item), `${output_index}`, asked);
}

/** True if these are the fields of a reply: of a chat, of a response, or of embeddings. */
export function isWholeReply({ choices, output, data }: Fields): boolean {
  return [choices, output, data].some(Array.isArray);
}

/** A message of a chat, or the change of one. */
function callsOfMessage({ tool_calls, function_call }: Fields, choice: string, asked: AskedTools): void {
  for (const [at, call] of listOf(tool_calls).entries()) {
    // Some servers number the calls of a stream only by their ids.
    const place = `${choice} ${call.index ?? call.id ?? at}`;
    asked.saw(place, fieldsOf(call.function ?? call.custom).name);
  }
  asked.saw(`${choice} function`, fieldsOf(function_call).name);
}

/**
 * An item of a response. OpenAI runs some tools itself, such as `web_search_call`. Their items have no name, so their
 * type names them.
 */
function callOfItem({ type, name }: Fields, place: string, asked: AskedTools): void {
  if (typeof type !== 'string' || !type.endsWith('_call')) return;
  asked.saw(place, typeof name === 'string' ? name : type.slice(0, -'_call'.length));
}

function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}
