/** The skills of an agent: the instructions that the model gets at once, and those that it may load with a tool. */
import type { OfferedTool } from '../models/model-clients.ts';
import type { ContextStrategy, StepSkill } from './step.ts';

/** The tool that loads a skill. It only reads the manifest, so it is not an action. */
export const LOAD_SKILL = 'skill_load';

type SortedSkills = {
  /** The instructions of these skills are in the system prompt. */
  sent: readonly StepSkill[];
  /** The system prompt names these skills, and the model may load them. */
  named: readonly StepSkill[];
};

/** A skill with the strategy `user` is used only if its whole text is sent, because here no person can ask for it. */
export function sortSkills(skills: readonly StepSkill[], strategy: ContextStrategy): SortedSkills {
  const isSent = ({ isTemporary, loadStrategy }: StepSkill) =>
    isTemporary || strategy === 'full' || (strategy === 'hybrid' && loadStrategy === 'eager');
  const sent = skills.filter(isSent);
  const named = skills.filter((skill) => !isSent(skill) && skill.loadStrategy !== 'user');
  return { sent, named };
}

/** Returns the part of the system prompt about skills. Empty if there are none. */
export function skillsInWords({ sent, named }: SortedSkills): string {
  const whole = sent.map(({ name, instructions }) => `## Skill: ${name}\n\n${instructions.trim()}`);
  if (named.length === 0) return whole.join('\n\n');
  const list = named.map(
    ({ name, description, triggerIntent }) =>
      `- ${name}: ${description}${triggerIntent === undefined ? '' : ` Load it when: ${triggerIntent}`}`,
  );
  const loadable = `## Skills that you can load\n\nCall ${LOAD_SKILL} with a name to read its instructions.\n${list.join('\n')}`;
  return [...whole, loadable].join('\n\n');
}

/** Returns the tool that loads skills. Null if there is no skill to load. */
export function skillTool({ named }: SortedSkills): OfferedTool | null {
  if (named.length === 0) return null;
  return {
    name: LOAD_SKILL,
    description: 'Returns the instructions of a skill.',
    parameters: {
      type: 'object',
      properties: { name: { type: 'string', enum: named.map(({ name }) => name) } },
      required: ['name'],
      additionalProperties: false,
    },
  };
}

export function loadSkill(
  { sent, named }: SortedSkills,
  args: Readonly<Record<string, unknown>> | null,
): { text: string; isError: boolean } {
  const skill = [...named, ...sent].find(({ name }) => name === args?.name);
  if (skill !== undefined) return { text: skill.instructions, isError: false };
  const names = named.map(({ name }) => name).join(', ');
  return { text: `There is no skill of this name. These exist: ${names}.`, isError: true };
}
