/** Encodes and decodes the words of a stored turn. See parts/turns.lua. */
import type { Turn } from '@mandate/step';
import { NONE } from './layout.ts';

export function turnText({ openedAtMs, forgetAtMs, toolCalls, modelCalls, intent, person }: Turn): string {
  const who = person === '' ? ' ' : person;
  return `${openedAtMs ?? NONE} ${forgetAtMs} ${toolCalls} ${modelCalls} ${intent ?? ''} ${who}`;
}

/** @param field the agent and the prompt, with a space between them */
export function turnIn(field: string, words: string): Turn {
  const [agentId = '', id = ''] = field.split(' ');
  const [opened, forgetAt, tools, models, intent = '', personId = '', role = ''] = words.split(' ');
  const openedAtMs = Number(opened) === NONE ? null : Number(opened);
  return {
    agentId,
    id,
    openedAtMs,
    intent: intent === '' ? null : intent,
    person: openedAtMs === null ? '' : `${personId} ${role}`,
    toolCalls: Number(tools),
    modelCalls: Number(models),
    forgetAtMs: Number(forgetAt),
  };
}
