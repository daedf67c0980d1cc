import { describe, expect, test } from 'vitest';
import { explicitForm } from './explicit-form.ts';
import { runGroup } from './run-suite.ts';

const group = (schema: unknown, ...cases: [data: unknown, valid: boolean][]) => ({
  description: 'group',
  schema,
  tests: cases.map(([data, valid], at) => ({ description: `case ${at}`, data, valid })),
});

describe('runGroup', () => {
  test('counts cases with the same verdict, and names each case with another verdict', () => {
    expect(runGroup(group({ type: 'string' }, ['a', true], [1, false], [null, true]), '2020-12')).toEqual({
      explicit: false,
      equal: 2,
      stricter: [],
      different: ['group: case 2'],
    });
  });

  test('if Mandate accepts a case that the suite refuses, does not count it as a stricter format', () => {
    const uuid = { type: 'string', format: 'uuid' };
    expect(
      runGroup(group(uuid, ['no', true], ['123e4567-e89b-12d3-a456-426614174000', false]), '2020-12'),
    ).toEqual({
      explicit: false,
      equal: 0,
      stricter: [{ format: 'uuid', description: 'group: case 0' }],
      different: ['group: case 1'],
    });
  });

  test('adds the implicit defaults to a schema', () => {
    const result = runGroup(
      group({ minimum: 3, prefixItems: [false] }, [3, true], [2, false], ['a', true], [[1], false]),
      '2020-12',
    );
    expect(result).toMatchObject({ explicit: true, equal: 4, different: [] });
    expect(
      runGroup(
        group({ $ref: '#/definitions/a', definitions: { a: { type: 'null' } }, maximum: 1 }, [2, false]),
        'draft-07',
      ),
    ).toMatchObject({
      explicit: true,
      equal: 1,
    });
    expect(runGroup(group(true, [null, true], [{}, true]), '2020-12')).toMatchObject({ equal: 2 });
  });

  test('counts refused schemas by the reason, in which names from the schema are left out', () => {
    expect(runGroup(group({ $ref: 'other.json' }, [1, true]), '2020-12')).toEqual({
      refused: '$ref "…" leads to no schema within this schema, and schemas are never fetched',
    });
  });
});

test('the explicit form of a schema changes no value and no name', () => {
  const schema = {
    const: { items: [1] },
    properties: { if: { enum: [{ if: 1 }] } },
    propertyNames: { maxLength: 3 },
  };
  const types = ['array', 'boolean', 'null', 'number', 'object', 'string'];
  expect(explicitForm(schema, '2020-12')).toEqual({
    const: { items: [1] },
    properties: { if: { enum: [{ if: 1 }], type: types } },
    propertyNames: { maxLength: 3, type: ['string'] },
    type: types,
  });
});
