/**
 * Credentials, told by their own form: what the rules of secretlint's recommended preset know of some thirty vendors,
 * and what has no vendor: private keys, JSON web tokens, bearer tokens, passwords in URLs, and keys of Mandate.
 */
import { creator } from '@secretlint/secretlint-rule-preset-recommend';
import { type Finder, MASK, NO_WORD_AFTER, NO_WORD_BEFORE, type Span, spanOf } from './piece.ts';

/** As much of a rule as is used; its package's types are another package's. */
type Rule = {
  meta: { id: string };
  create(context: RuleContext, options: object): { file?(source: SourceCode): unknown };
};
type RuleContext = {
  createTranslator(): () => string;
  report(found: { range: readonly [number, number] }): void;
  ignore(): void;
  sharedOptions: object;
};
type SourceCode = { content: string; filePath: string; ext: string; contentType: 'text' };

/**
 * A comment in the text must not switch rules off; and the rule for Google's key files parses every text as JSON, for
 * private keys that are found here anyway.
 */
const LEFT_OUT: ReadonlySet<string> = new Set([
  '@secretlint/secretlint-rule-filter-comments',
  '@secretlint/secretlint-rule-gcp',
]);

const JSON_WEB_TOKEN = new RegExp(`(?<![\\w${MASK}-])eyJ[\\w-]{5,}\\.eyJ[\\w-]{5,}\\.[\\w-]*`, 'g');
/** The id that goes with a key of AWS: the rules leave it out unless they are told otherwise. */
const AWS_KEY_ID = new RegExp(
  `${NO_WORD_BEFORE}(?:A3T[A-Z0-9]|A(?:KI|GP|ID|RO|IP|NP|NV|SI)A)[A-Z0-9]{16}${NO_WORD_AFTER}`,
  'g',
);
const GOOGLE_KEY = new RegExp(`${NO_WORD_BEFORE}AIza[\\w-]{35}`, 'g');
const KEY_OF_MANDATE = new RegExp(`${NO_WORD_BEFORE}(?:sk-)?mdt_[0-9A-Za-z]{12}_[0-9A-Za-z_]{1,50}`, 'g');
/** With a digit among its first: `bearer responsibilities` is none. */
const BEARER = new RegExp(`${NO_WORD_BEFORE}bearer +(?=[a-z._~+/-]{0,64}\\d)[\\w.~+/-]{16,}=*`, 'gi');
/** To the last `@` before the path: not everybody writes one in a password as %40. */
const IN_URL = new RegExp(`(?<=://)[^\\s/:@${MASK}]{0,256}:[^\\s/?#${MASK}]{1,256}(?=@)`, 'g');
const PRIVATE_KEY = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const END_OF_KEY = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;

const vendorsIn = vendorFinder();

export const findSecrets: Finder = (text) => {
  const ours = [JSON_WEB_TOKEN, AWS_KEY_ID, GOOGLE_KEY, KEY_OF_MANDATE, BEARER, IN_URL].flatMap((pattern) =>
    Array.from(text.matchAll(pattern), spanOf),
  );
  return [...ours, ...privateKeysIn(text), ...vendorsIn(text)];
};

/** The rules answer at once, so one list is enough for all of them. */
function vendorFinder(): Finder {
  const found: Span[] = [];
  const context: RuleContext = {
    createTranslator: () => () => '',
    report: ({ range: [start, end] }) => found.push({ start, end }),
    ignore() {},
    sharedOptions: {},
  };
  const rules = (creator.rules as Rule[])
    .filter(({ meta }) => !LEFT_OUT.has(meta.id))
    .map((rule) => rule.create(context, {}));
  return (content) => {
    found.length = 0;
    for (const rule of rules) rule.file?.({ content, filePath: 'text', ext: '', contentType: 'text' });
    return [...found];
  };
}

/** To its end; where that was cut off, to the end of the text. */
function privateKeysIn(text: string): Span[] {
  const keys: Span[] = [];
  for (let begin = PRIVATE_KEY.exec(text); begin !== null; begin = PRIVATE_KEY.exec(text)) {
    END_OF_KEY.lastIndex = PRIVATE_KEY.lastIndex;
    const end = END_OF_KEY.exec(text) === null ? text.length : END_OF_KEY.lastIndex;
    keys.push({ start: begin.index, end });
    PRIVATE_KEY.lastIndex = end;
  }
  return keys;
}
