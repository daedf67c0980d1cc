/** The system prompt of an agent. */
import { skillsInWords, type sortSkills } from './skills.ts';
import type { AgentStep } from './step.ts';

/**
 * @param unbound the names under which tools would be offered that have no server here
 */
export function systemPromptOf(
  { prompt, outputs }: Pick<AgentStep, 'prompt' | 'outputs'>,
  skills: ReturnType<typeof sortSkills>,
  unbound: readonly string[],
): string {
  const { systemPrompt, role, goal, backstory } = prompt;
  const own = systemPrompt ?? [`You are ${role}.`, `Your goal: ${goal}`, backstory ?? ''].join('\n\n').trim();
  const parts = [
    own,
    skillsInWords(skills),
    unbound.length === 0 ? '' : `These tools cannot be called here: ${unbound.join(', ')}.`,
    outputs === null
      ? ''
      : `Give your last answer as one JSON value that this JSON Schema accepts, and nothing else:\n${JSON.stringify(outputs.schema)}`,
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}
