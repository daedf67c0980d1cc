import { describe, expect, test } from 'vitest';
import { conditionFault } from './condition-fault.ts';
import { roomForExpressions } from './room.ts';

describe('a condition is refused', () => {
  test.each([
    ['that is empty', '', 'empty'],
    ['that is blank', ' \n', 'empty'],
    ['that does not parse', 'state.score >', 'no CEL'],
    ['that names an unknown variable', 'score > 1', 'score is not known'],
    ['that names a variable of another expression', 'x > 1 || state.list.all(x, x > 1)', 'x is not known'],
    ['that names what every object has', 'constructor == null', 'constructor is not known'],
    ['that calls an unknown function', '__import__("os")', '__import__() is not known'],
    ['that calls an unknown method', 'inputs.topic.eval()', 'eval() is not known'],
    ['that calls a function of a prototype', 'inputs.toString()', 'toString() is not known'],
    ['that calls a method as a function', 'matches(inputs.topic, "a")', 'matches() is not known'],
    ['that calls with too many arguments', 'size(state.a, state.b)', 'does not take 2 arguments'],
    ['that calls with too few arguments', 'inputs.topic.startsWith()', 'does not take 0 arguments'],
    ['with a macro in a macro', 'state.a.all(x, state.b.exists(y, y == x))', 'within a macro'],
    ['with a macro in the result of a macro', 'state.a.map(x, state.b.map(y, y)) == []', 'within a macro'],
    ['with a macro of no name', 'state.a.all(1, true)', 'needs a name and a test'],
    ['with has() of no field', 'has(state)', 'has() needs a field'],
    ['that makes a message', 'google.protobuf.Duration{seconds: 1} == null', 'is not known'],
    ['with a pattern from data', 'inputs.topic.matches(state.pattern)', 'written out'],
    ['with a pattern that looks ahead', 'inputs.topic.matches("a(?=b)")', 'syntax of RE2'],
    ['with a pattern that refers back', 'inputs.topic.matches("(a)\\\\1")', 'syntax of RE2'],
    ['with a pattern of too many steps', 'inputs.topic.matches("a{900}")', 'more than 500 steps'],
    ['with nested repeats', 'inputs.topic.matches("(a{100}){100}")', 'repeat count'],
    ['with patterns of too many steps together', '"".matches("a{120}") || "".matches("b{150}")', '500 steps'],
    ['with a pattern that hides its size', 'inputs.topic.matches("x{400}\\\\Q(\\\\E")', 'may not use'],
    ['that is too long', `"${'a'.repeat(999)}" == ""`, 'longer than 1000'],
    ['that nests too deep', `${'('.repeat(101)}1${')'.repeat(101)} == 1`, 'more than 100 brackets'],
    ['that ends in the middle of nested brackets', '['.repeat(100), 'no CEL'],
    ['with a half surrogate', '"\\ud800" == ""', 'no CEL'],
  ])('%s', (_, condition, fault) => {
    expect(conditionFault(condition)).toContain(fault);
  });
});

describe('a condition passes', () => {
  test.each([
    ['with all variables', 'inputs.a == state.b && steps.c.output.d == run.id'],
    ['with macros one after the other', 'state.a.filter(x, x > 1).exists(y, y == 2)'],
    ['with has() in a macro', 'state.a.all(x, has(x.name))'],
    ['with a macro named after a variable', 'state.a.all(state, state > 1)'],
    ['with a name of a type', 'type(state.a) == double || type(state.a) == list'],
    ['with a raw pattern', 'inputs.topic.matches(r"(?i)^\\d{3}-\\pL+$")'],
    ['of exactly 1,000 characters', `"${'a'.repeat(992)}" == ""`.padEnd(1_000)],
    ['of 1,000 characters that take two units each', `"${'😀'.repeat(992)}" == ""`.padEnd(1_992)],
    ['with a comment', 'state.a // the score\n > 1'],
  ])('%s', (_, condition) => {
    expect(conditionFault(condition)).toBeNull();
  });
});

test('the expressions of one manifest share one limit on their size', () => {
  const room = roomForExpressions();
  const condition = `"${'a'.repeat(900)}" == ""`;
  const faults = Array.from({ length: 40 }, () => conditionFault(condition, room));
  expect(faults[0]).toBeNull();
  expect(faults.at(-1)).toContain('more than 32768 characters');
  expect(conditionFault(condition)).toBeNull();
});
