import { _, Ajv, type AnySchemaObject, type CodeKeywordDefinition, type Options } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { type Effort, takes } from '../effort.ts';
import { FORMATS } from './formats.ts';
import { linearPattern } from './linear-pattern.ts';
import { endlessRoom } from './pattern-size.ts';
import { uniqueItems } from './unique-items.ts';

/** One ajv for each dialect, made ready on first use, for making one takes longer than many decisions. */
export interface SchemaEngine {
  /**
   * Throws what ajv throws, and PatternRefused for a pattern for which there is no room. A schema that compiles holds on to
   * nothing else.
   */
  compile(schema: AnySchemaObject, room: Effort): CompiledSchema;
}

/**
 * Null when the value is right; else what ajv says of the outermost thing that is wrong. Throws where there is not effort
 * enough.
 */
export type CompiledSchema = {
  validate(value: unknown, effort: Effort): SchemaError | null;
  /** Of all its patterns together. */
  patternSize: number;
};

export interface SchemaError {
  readonly pointer: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message: string;
  readonly data: unknown;
}

/** Patterns in one schema. */
const MOST_PATTERNS = 1_000;
/** One schema follows references without end, another asks everything of every element of a long list. */
class EffortExhausted extends Error {
  constructor() {
    super('it takes too many steps to judge');
    this.name = 'EffortExhausted';
  }
}

class TooManyPatterns extends Error {
  constructor() {
    super(`it has more than ${MOST_PATTERNS} patterns`);
    this.name = 'TooManyPatterns';
  }
}

export function schemaEngine(dialect: '2020-12' | 'draft-07'): SchemaEngine {
  let patterns = 0;
  let room = endlessRoom();
  let patternSize = 0;
  let effort: Effort = { left: Number.POSITIVE_INFINITY };
  const countedPattern = Object.assign(
    (pattern: string) => {
      patterns += 1;
      if (patterns > MOST_PATTERNS) throw new TooManyPatterns();
      const linear = linearPattern(pattern, room);
      patternSize += linear.size;
      return {
        test(text: string) {
          const is = linear.test(text, effort);
          return is || effort.left >= 0 ? is : exhausted();
        },
        toString: linear.toString,
      };
    },
    { code: 'linearPattern' },
  );
  const take = (steps: number) => {
    if (!takes(effort, steps)) exhausted();
  };

  const ajv = new (dialect === '2020-12' ? Ajv2020 : Ajv)({ ...OPTIONS, code: { regExp: countedPattern } });
  ajv.removeKeyword('uniqueItems').addKeyword(uniqueItems(take));
  for (const keyword of Object.keys(ajv.RULES.all)) countSteps(ajv, keyword, take);

  // One in use is so only through what is returned here, and one that was refused not at all.
  const compileUnremembered = (schema: AnySchemaObject) => {
    try {
      return ajv.compile(schema);
    } finally {
      ajv.removeSchema(schema);
    }
  };
  // Its dialect is compiled with the first schema, and its patterns would be counted with those of that schema.
  ajv.compile({});
  return {
    compile(schema, given) {
      patterns = 0;
      patternSize = 0;
      room = given;
      // The schema is judged itself then, by that of its dialect: it takes no longer than compiling it.
      effort = { left: Number.POSITIVE_INFINITY };
      const validate = compileUnremembered(schema);
      return {
        patternSize,
        validate(value, left) {
          effort = left;
          if (validate(value)) return null;
          // Of a failed anyOf ajv lists the branches first and what they were branches of last.
          const error = validate.errors?.at(-1);
          // It holds on to what was judged.
          validate.errors = null;
          return {
            pointer: error?.instancePath ?? '',
            keyword: error?.keyword ?? '',
            params: error?.params ?? {},
            message: error?.message ?? 'must match the schema',
            data: error?.data,
          };
        },
      };
    },
  };
}

const OPTIONS: Options = {
  strict: true,
  allowUnionTypes: true,
  // `anyOf: [{ required: [a] }, { required: [b] }]` is ordinary.
  strictRequired: false,
  // Its check for it would run the document's patterns on V8's own engine.
  allowMatchingProperties: true,
  // `required: [toString]` must not be met by what every object inherits.
  ownProperties: true,
  // Inlined, a large definition used a thousand times becomes a thousand copies of code.
  inlineRefs: false,
  verbose: true,
  logger: false,
  formats: FORMATS,
};

function exhausted(): never {
  throw new EffortExhausted();
}

/** What one keyword takes at least, told in steps of a pattern; and each reference, schema below it, or element it looks at. */
const OF_KEYWORD = 8;
const OF_REFERENCE = 100;

/** Makes every evaluation of the keyword take its steps first: what follows from the schema, and from the value. */
function countSteps(ajv: Ajv | Ajv2020, keyword: string, take: (steps: number) => void): void {
  const definition = ajv.getKeyword(keyword);
  if (typeof definition !== 'object' || !('code' in definition)) return;
  const { code } = definition as CodeKeywordDefinition;
  definition.code = (context, rule) => {
    const { gen, data } = context;
    const count = gen.scopeValue('func', { ref: take });
    const steps = stepsOf(keyword, context.schema);
    const ofValue = OF_VALUE.has(keyword) ? gen.scopeValue('func', { ref: sizeOf }) : null;
    gen.code(ofValue === null ? _`${count}(${steps})` : _`${count}(${steps} + ${ofValue}(${data}))`);
    code(context, rule);
  };
}

/** These look at each element, each field or each character. */
const OF_VALUE: ReadonlySet<string> = new Set([
  ...['items', 'additionalItems', 'unevaluatedItems', 'prefixItems', 'contains'],
  ...['additionalProperties', 'unevaluatedProperties', 'patternProperties', 'propertyNames'],
  ...['minProperties', 'maxProperties', 'minLength', 'maxLength', 'format'],
]);

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length >> 3;
  if (Array.isArray(value)) return value.length * OF_KEYWORD;
  return typeof value === 'object' && value !== null ? Object.keys(value).length * OF_KEYWORD : 0;
}

function stepsOf(keyword: string, schema: unknown): number {
  if (keyword.endsWith('Ref') || keyword === '$ref') return OF_REFERENCE;
  // Each of them may be compared, with all that is in it.
  if (keyword === 'enum' || keyword === 'const') return OF_KEYWORD + (JSON.stringify(schema).length >> 4);
  if (typeof schema !== 'object' || schema === null) return OF_KEYWORD;
  return OF_KEYWORD * (1 + Object.keys(schema).length);
}
