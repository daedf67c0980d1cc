/** Converts the answer of a provider into a reply that the log can contain. */
import { type Json, MOST_RUN_JSON_BYTES, readJson } from '@mandate/schemas';
import type { ModelStop, ToolCallOfModel } from '../agent-step/call-event.ts';
import type { ModelReply } from './model-clients.ts';
import { ModelFailed } from './model-failed.ts';

/** `args`: the arguments as JSON. */
type WrittenCall = { tool: string; args: string };

/** The maximum number of tool calls of a reply that are kept. */
const MOST_CALLS = 64;
const LONGEST_NAME = 200;
/** In a record, arguments are already nested a few levels deep, and a record has at most 32 levels. */
const CAPS = { depth: 20, keys: 1_000, elements: 10_000, stringUnits: 64 * 1024 };

/** @throws ModelFailed MODEL_ANSWER_TOO_LARGE */
export function replyOf(text: string, calls: readonly WrittenCall[], stop: ModelStop): ModelReply {
  const reply: ModelReply = {
    text: text.toWellFormed(),
    toolCalls: calls.slice(0, MOST_CALLS).map(
      ({ tool, args }): ToolCallOfModel => ({
        tool: tool.toWellFormed().slice(0, LONGEST_NAME),
        args: argumentsIn(args),
      }),
    ),
    stop: calls.length > 0 && stop === 'end' ? 'tools' : stop,
  };
  if (Buffer.byteLength(JSON.stringify(reply)) > MOST_RUN_JSON_BYTES) throw tooLarge();
  return reply;
}

/**
 * Ends a stream that is too long. A character has at least one byte.
 *
 * @throws ModelFailed MODEL_ANSWER_TOO_LARGE
 */
export function checkLength(characters: number): void {
  if (characters > MOST_RUN_JSON_BYTES) throw tooLarge();
}

function tooLarge(): ModelFailed {
  const message = `The answer of the model has more than ${MOST_RUN_JSON_BYTES} bytes as JSON.`;
  return new ModelFailed('MODEL_ANSWER_TOO_LARGE', message, { kind: 'permanent' });
}

/** Absent arguments are an empty object. */
function argumentsIn(text: string): ToolCallOfModel['args'] {
  const value = readStrictly(text.trim() === '' ? '{}' : text);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
}

/** Returns the value of a JSON text that a model wrote. Undefined if the log cannot contain the value. */
export function readStrictly(text: string): Json | undefined {
  try {
    return readJson(text, CAPS);
  } catch {
    return undefined;
  }
}
