import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fillTemplate } from '../conditions/fill-template.ts';
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

  test('of crewAI are filled in by the runner as by crewAI, whatever text is around them', () => {
    const piece = fc.constantFrom(
      '$',
      '$$',
      '{',
      '}',
      '{topic}',
      '{other}',
      '{1}',
      '"',
      '\\',
      '1',
      ' ',
      '\n',
    );
    const run = (pieces: readonly string[]) => {
      const text = pieces.join('');
      const inputs: Readonly<Record<string, string>> = { topic: '{other} $', other: 'x' };
      const wanted = text.replaceAll(/\{(topic|other)\}/g, (_, name: string) => inputs[name] ?? '');
      expect(fillTemplate(withExpressions(text), { inputs })).toEqual({ ok: true, value: wanted });
    };
    fc.assert(fc.property(fc.array(piece, { maxLength: 12 }), run), { numRuns: 1_000 });
  });

  test('are escaped in a text in which nothing must be filled in', () => {
    expect(escaped(`a ${topic} b`)).toBe(`a $${topic} b`);
  });
});
