import { describe, expect, test } from 'vitest';
import { loadSkill, skillsInWords, skillTool, sortSkills } from './skills.ts';
import type { StepSkill } from './step.ts';

const skill = (name: string, changes: Partial<StepSkill> = {}): StepSkill => ({
  name,
  description: `About ${name}.`,
  instructions: `How to ${name}.`,
  loadStrategy: 'lazy',
  isTemporary: false,
  ...changes,
});
const skills = [
  skill('greet', { loadStrategy: 'eager' }),
  skill('refund', { triggerIntent: 'a refund is due.' }),
  skill('audit', { loadStrategy: 'user' }),
  skill('rush', { isTemporary: true }),
];
const namesOf = (list: readonly StepSkill[]) => list.map(({ name }) => name);

describe('the skills of an agent', () => {
  test.each([
    ['full', ['greet', 'refund', 'audit', 'rush'], []],
    ['hybrid', ['greet', 'rush'], ['refund']],
    ['compressed', ['rush'], ['greet', 'refund']],
  ] as const)('with the strategy %s', (strategy, sent, named) => {
    const sorted = sortSkills(skills, strategy);
    expect(namesOf(sorted.sent)).toEqual(sent);
    expect(namesOf(sorted.named)).toEqual(named);
  });

  test('are sent in full, or by name and intent only', () => {
    const words = skillsInWords(sortSkills(skills, 'hybrid'));
    expect(words).toContain('## Skill: greet\n\nHow to greet.');
    expect(words).toContain('- refund: About refund. Load it when: a refund is due.');
    expect(words).not.toContain('How to refund.');
    expect(skillsInWords(sortSkills([], 'full'))).toBe('');
  });
});

describe('the tool that loads skills', () => {
  test('exists only if there is a skill to load', () => {
    expect(skillTool(sortSkills(skills, 'full'))).toBeNull();
    expect(skillTool(sortSkills(skills, 'hybrid'))?.parameters).toMatchObject({
      properties: { name: { enum: ['refund'] } },
    });
  });

  test('returns the instructions of a skill, or else the names of all skills', () => {
    const sorted = sortSkills(skills, 'hybrid');
    expect(loadSkill(sorted, { name: 'refund' })).toEqual({ text: 'How to refund.', isError: false });
    expect(loadSkill(sorted, { name: 'audit' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('refund'),
    });
    expect(loadSkill(sorted, null)).toMatchObject({ isError: true });
  });
});
