/** Mutations of the context builder and of its records. */
import { inFile, type Mutation } from '../mutation.ts';

const CONTEXT = 'packages/context/src';

export const CONTEXT_MUTATIONS: readonly Mutation[] = [
  ...inFile(`${CONTEXT}/run-manifest-builder.ts`, [
    ['context: the builder never throws', 'broken(request, deps, cause),', 'Promise.reject(cause),'],
    ['context: a late answer does not count', 'latencyMs >= timeoutMs && ', 'false && '],
    ['context: the call is aborted when its time is over', '    stop.abort();\n', ''],
    ['context: the conversation is recorded on demand only', 'config.promptDebug === true', 'true'],
    ['context: the environment turns the builder off', ' && isEnabledIn()', ''],
  ]),
  ...inFile(`${CONTEXT}/governed-call.ts`, [
    ['context: nobody waits for an approval', "onDefer: 'throw' as const,", ''],
    ['context: without a decision there is no call', "{ outcome: 'undecided' }", "{ outcome: 'cancelled' }"],
  ]),
  ...inFile(`${CONTEXT}/anthropic/index.ts`, [
    ['context: Anthropic is never asked again', 'maxRetries: 0', 'maxRetries: 2'],
    ['context: the call of Anthropic is governed', 'await governed.messages', 'await bounded.messages'],
  ]),
  ...inFile(`${CONTEXT}/openai/index.ts`, [
    ['context: OpenAI is never asked again', 'maxRetries: 0', 'maxRetries: 2'],
    ['context: the call of OpenAI is governed', 'await governed.chat', 'await bounded.chat'],
  ]),
  ...inFile(`${CONTEXT}/assemble.ts`, [
    ['context: an item cannot close its tag', 'escapeTags(item)', 'item'],
    ['context: the second time replaces', '({ p }) => p !== EARLY && p !== LATE', '() => true'],
  ]),
  ...inFile(`${CONTEXT}/read-answer.ts`, [
    ['context: no key of an answer is read twice', 'hasRepeatedKey(json) ?', 'false ?'],
    ['context: hidden characters go', 'const clean = cleanText(item)', 'const clean = item'],
  ]),
  ...inFile(`${CONTEXT}/plane-records.ts`, [
    ['context: records that wait are bounded', 'waiting.length >= maxWaiting', 'false'],
    ['context: a refused record stops no other', 'alone = batch.length;\n          continue;', ''],
  ]),
  ...inFile('services/gateway/src/context-builds/redact-build.ts', [
    ['context: a record is forgotten with its person', 'changeTexts(manifest, seal)', 'manifest'],
    ['context: an erased person is not named', 'principal: null };', 'principal: person };'],
  ]),
  ...inFile('services/recorder/src/read-batch.ts', [
    ['context: a record is kept for the days of its tenant', 'keepContextDays(record.build.tenant)', '30'],
  ]),
];
