/**
 * @mandate/context: the context builder. A fast model call at the start of a chat request picks the context that
 * matters for this message, and `assemble` puts it into the stack of prompts.
 *
 * Promises: the builder decides nothing, and the packages that decide do not import it. It never throws, never retries,
 * and never waits longer than its time limit: without a manifest the chat goes on. It is governed like every other
 * agent. Text that a model wrote is escaped, stands between tags, and grants nothing.
 */
export { assemble, type PromptBlock } from './assemble.ts';
export type { BuildError, BuildErrorCode, BuildRecord, PromptDebug } from './build-record.ts';
export { cleanText } from './clean-text.ts';
export { type ConfidenceGate, warnsOfLowConfidence } from './confidence-gate.ts';
export { asksFollowUp } from './follow-up.ts';
export type { ContextManifest, QuestionType } from './manifest.ts';
export type { BuilderModel, ModelAnswer, ModelCall, Person } from './model.ts';
export {
  type ContextRecords,
  type ContextRecordsOptions,
  contextRecords,
  type RecordCounts,
} from './plane-records.ts';
export { type AnswerFault, type ReadAnswer, readAnswer } from './read-answer.ts';
export {
  type BuilderConfig,
  type BuilderDeps,
  type BuilderRequest,
  type BuildFailure,
  type BuiltContext,
  runManifestBuilder,
} from './run-manifest-builder.ts';
export { type ContextRequest, type ContextSizes, cutContext, type Turn } from './sent-context.ts';
export { type SkipReason, skipReasonOf } from './skip.ts';
export type { Timing } from './timing.ts';
