/** Encodes and decodes the words of a stored turn. See parts/turns.lua. */
import type { Turn } from '@mandate/step';

export function turnText({ openedAtMs, forgetAtMs, toolCalls, modelCalls, intent, person }: Turn): string {
  const isOpen = person === null ? 0 : 1;
  return `${openedAtMs} ${forgetAtMs} ${toolCalls} ${modelCalls} ${isOpen} ${intent ?? ''} ${person ?? ' '}`;
}

/** @param field the agent and the prompt, with a space between them */
export function turnIn(field: string, words: string): Turn {
  const [agentId = '', id = ''] = field.split(' ');
  const [opened, forgetAt, tools, models, isOpen, intent = '', personId = '', role = ''] = words.split(' ');
  return {
    agentId,
    id,
    openedAtMs: Number(opened),
    intent: intent === '' ? null : intent,
    person: isOpen === '1' ? `${personId} ${role}` : null,
    toolCalls: Number(tools),
    modelCalls: Number(models),
    forgetAtMs: Number(forgetAt),
  };
}
