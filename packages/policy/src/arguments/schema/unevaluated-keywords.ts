import type { KeywordCompiler } from './keyword-compiler.ts';
import type { Members } from './keywords.ts';
import { namesOf, noSuchField } from './object-keywords.ts';
import { type Check, PER_ELEMENT } from './run.ts';

/**
 * Keywords that check the fields or elements that no other keyword of their schema checked. The checks of an
 * accepting subschema count as checks of the schema.
 */
export const UNEVALUATED_KEYWORDS = {
  unevaluatedItems: (part: unknown, { compiler }): Check => {
    const check = compiler.compile(part);
    return (value, run, seen) => {
      const items = value as readonly unknown[];
      run.spend(PER_ELEMENT * items.length);
      for (const [at, item] of items.entries()) {
        if (!seen?.hasItem(at) && !check(item, run, null)) return run.failedWithin(at);
      }
      seen?.everyItem();
      return true;
    };
  },
  unevaluatedProperties: (part: unknown, { compiler }): Check => {
    const check = part === false ? noSuchField : compiler.compile(part);
    return (value, run, seen) => {
      const object = value as Members;
      for (const name of namesOf(object, run)) {
        if (!seen?.hasName(name) && !check(object[name], run, null)) return run.failedWithin(name);
      }
      seen?.everyName();
      return true;
    };
  },
} satisfies Record<string, KeywordCompiler>;
