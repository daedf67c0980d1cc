import { describe, expect, test } from 'vitest';
import { escaped, withExpressions } from './placeholders.ts';

const of = (cel: string) => `$${`{${cel}}`}`;
const topic = of('inputs["topic"]');

describe('placeholders', () => {
  test.each([
    ['about {topic}.', `about ${topic}.`],
    ['{topic}{topic}', topic + topic],
    [`cost $${'{10}'}`, `cost $$${'{10}'}`],
    [`cost $${'{topic}'}`, `cost ${of('"$"')}${topic}`],
    [`$$${'{topic}'}`, `${of('"$$"')}${topic}`],
    ['no { topic }, {1}, {}', 'no { topic }, {1}, {}'],
    ['$', '$'],
  ])('of crewAI in %j become expressions', (text, wanted) => {
    expect(withExpressions(text)).toBe(wanted);
  });

  test('are escaped where nothing is to be filled in', () => {
    expect(escaped(`a ${topic} b`)).toBe(`a $${topic} b`);
  });
});
