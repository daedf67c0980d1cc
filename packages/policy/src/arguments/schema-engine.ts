import { _, Ajv, type AnySchemaObject, type Options } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { FORMATS } from './formats.ts';
import { linearPattern } from './linear-pattern.ts';
import { uniqueItems } from './unique-items.ts';

/** One ajv for each dialect, made ready on first use, for making one takes longer than many decisions. */
export interface SchemaEngine {
  /** Throws what ajv throws; a schema that compiles holds on to nothing else. */
  compile(schema: AnySchemaObject): CompiledSchema;
}

/** Null when the value is right; else what ajv says of the outermost thing that is wrong. */
export type CompiledSchema = (value: unknown) => SchemaError | null;

export interface SchemaError {
  readonly pointer: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message: string;
  readonly data: unknown;
}

/** Patterns in one schema. */
const MOST_PATTERNS = 1_000;
/** How many references one validation may follow: a document can make their number double with each level. */
const MOST_REFERENCES = 100_000;

/** The schema follows references without end, or so many that the answer would come too late. */
class ReferencesExhausted extends Error {
  constructor() {
    super(`it takes more than ${MOST_REFERENCES} steps along $ref to judge`);
    this.name = 'ReferencesExhausted';
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
  let references = 0;
  const countedPattern = Object.assign(
    (pattern: string) => {
      patterns += 1;
      if (patterns > MOST_PATTERNS) throw new TooManyPatterns();
      return linearPattern(pattern);
    },
    { code: 'linearPattern' },
  );
  const followReference = () => {
    references += 1;
    if (references > MOST_REFERENCES) throw new ReferencesExhausted();
  };

  const ajv = new (dialect === '2020-12' ? Ajv2020 : Ajv)({ ...OPTIONS, code: { regExp: countedPattern } });
  ajv.removeKeyword('uniqueItems').addKeyword(uniqueItems);
  for (const keyword of ['$ref', '$dynamicRef']) countCalls(ajv, keyword, followReference);

  return {
    compile(schema) {
      patterns = 0;
      references = 0;
      const validate = ajv.compile(schema);
      // It is in use only through what is returned here: ajv need not remember it.
      ajv.removeSchema(schema);
      return (value) => {
        references = 0;
        if (validate(value)) return null;
        // Of a failed anyOf ajv lists the branches first and what they were branches of last.
        const error = validate.errors?.at(-1);
        return {
          pointer: error?.instancePath ?? '',
          keyword: error?.keyword ?? '',
          params: error?.params ?? {},
          message: error?.message ?? 'must match the schema',
          data: error?.data,
        };
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

/** Makes every evaluation of the keyword call `onCall` first. */
function countCalls(ajv: Ajv | Ajv2020, keyword: string, onCall: () => void): void {
  const definition = ajv.getKeyword(keyword);
  if (typeof definition !== 'object' || !('code' in definition)) return;
  const { code } = definition;
  definition.code = (context, rule) => {
    const count = context.gen.scopeValue('func', { ref: onCall });
    context.gen.code(_`${count}()`);
    code(context, rule);
  };
}
