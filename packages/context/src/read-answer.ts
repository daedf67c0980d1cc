/**
 * Reads the answer of the model. The answer is untrusted: it is one JSON object of a known form, or the build fails
 * with a code that says why.
 */
import type { BuildErrorCode } from './build-record.ts';
import { cleanText } from './clean-text.ts';
import { firstCodePoints, isLongerThan } from './code-points.ts';
import {
  type ContextManifest,
  isQuestionType,
  type ListName,
  MOST_CODE_POINTS,
  MOST_ITEMS,
} from './manifest.ts';
import { hasRepeatedKey } from './repeated-key.ts';

/**
 * The faults of an answer.
 * - `TRUNCATED`: the model stopped at its limit of tokens.
 * - `REFUSED`: the model or its filter refused to answer.
 * - `EMPTY_ANSWER`: the answer is blank.
 * - `INVALID_JSON`: the answer is not one JSON value, or an object has a key twice.
 * - `INVALID_SHAPE`: the value is not the expected object.
 * - `INVALID_QUESTION_TYPE`: the type of question is unknown.
 */
export type AnswerFault = Extract<
  BuildErrorCode,
  'TRUNCATED' | 'REFUSED' | 'EMPTY_ANSWER' | 'INVALID_JSON' | 'INVALID_SHAPE' | 'INVALID_QUESTION_TYPE'
>;

export type ReadAnswer = { manifest: ContextManifest; fault: null } | { manifest: null; fault: AnswerFault };

/** The reasons why a model stops, in the words of the providers. */
const TRUNCATING: readonly (string | undefined)[] = ['max_tokens', 'length'];
const REFUSING: readonly (string | undefined)[] = ['refusal', 'content_filter'];

/** The maximum length of an answer that is read. The token limit makes a real answer many times shorter. */
const MOST_UNITS = 1 << 16;

/** @param stop why the model stopped, in the words of its provider */
export function readAnswer({ text, stop }: { text: string; stop?: string | undefined }): ReadAnswer {
  if (TRUNCATING.includes(stop)) return failed('TRUNCATED');
  if (REFUSING.includes(stop)) return failed('REFUSED');
  if (text.length > MOST_UNITS) return failed('INVALID_JSON');
  if (cleanText(text) === '') return failed('EMPTY_ANSWER');
  const json = withoutFence(text.trim());
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return failed('INVALID_JSON');
  }
  return hasRepeatedKey(json) ? failed('INVALID_JSON') : manifestOf(value);
}

function failed(fault: AnswerFault): ReadAnswer {
  return { manifest: null, fault };
}

/** Returns the text inside the code fence of backticks, or the whole text if it has no fence. */
function withoutFence(text: string): string {
  const ticks = /^`{3,}/.exec(text)?.[0];
  if (ticks === undefined || text.length < 2 * ticks.length || !text.endsWith(ticks)) return text;
  const inside = text.slice(ticks.length, -ticks.length);
  return inside.startsWith('`') || inside.endsWith('`')
    ? text
    : inside.replace(/^[a-z]*(?=[\s{[])/i, '').trim();
}

function manifestOf(value: unknown): ReadAnswer {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return failed('INVALID_SHAPE');
  const fields: Readonly<Record<string, unknown>> = { ...value };
  const { focus, question_type } = fields;
  const early = itemsOf(fields, 'context_early');
  const reinforce = itemsOf(fields, 'context_reinforce');
  const guidance = itemsOf(fields, 'answer_guidance');
  const about = typeof focus === 'string' ? cleanText(focus) : '';
  if (
    about === '' ||
    question_type === undefined ||
    early === null ||
    reinforce === null ||
    guidance === null
  )
    return failed('INVALID_SHAPE');
  if (!isQuestionType(question_type)) return failed('INVALID_QUESTION_TYPE');
  return {
    manifest: {
      focus: firstCodePoints(about, MOST_CODE_POINTS),
      question_type,
      context_early: early,
      context_reinforce: reinforce,
      answer_guidance: guidance,
    },
    fault: null,
  };
}

/** Returns the clean items of a list. Null if the value is not a list of texts. */
function itemsOf(fields: Readonly<Record<string, unknown>>, name: ListName): string[] | null {
  const list = fields[name] ?? [];
  if (!Array.isArray(list)) return null;
  const items = new Set<string>();
  for (const item of list) {
    if (typeof item !== 'string') return null;
    if (items.size === MOST_ITEMS[name]) continue;
    const clean = cleanText(item);
    if (clean !== '' && !isLongerThan(clean, MOST_CODE_POINTS)) items.add(clean);
  }
  return [...items];
}
