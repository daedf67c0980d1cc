/**
 * `@mandate/context/openai`: the model of the context builder through OpenAI's SDK, also for other providers with the
 * same API. Each call is decided under the mandate of the builder's agent, and is never retried.
 */
import { wrapOpenAI } from '@mandate/sdk/openai';
import type OpenAI from 'openai';
import { boundedFetch } from '../bounded-fetch.ts';
import { type AgentSource, answerOfError, forCall } from '../governed-call.ts';
import type { BuilderModel, ModelAnswer } from '../model.ts';
import { type ModelOptions, withDefaults } from '../model-options.ts';

export type OpenAIModelOptions = ModelOptions & {
  model: string;
  /** The name of the provider in rules and prices. Default: `openai`. */
  provider?: string;
};

/** @param mandate the instance of `Mandate` that decides about the calls */
export function openaiModel(
  client: OpenAI,
  mandate: AgentSource,
  { model, provider = 'openai', ...options }: OpenAIModelOptions,
): BuilderModel {
  const { agentId, maxTokens, temperature, structuredOutput } = withDefaults(options);
  const bounded = client.withOptions({ fetch: boundedFetch(client) });
  return {
    ...{ agentId, provider, model, maxTokens, temperature },
    async ask(call) {
      const governed = wrapOpenAI(bounded, forCall(mandate, call), { agentId, provider });
      try {
        const completion = await governed.chat.completions.create(
          {
            model,
            max_completion_tokens: maxTokens,
            ...(temperature !== null && { temperature }),
            messages: [
              { role: 'system', content: call.systemPrompt },
              { role: 'user', content: call.userPrompt },
            ],
            ...(structuredOutput && {
              response_format: {
                type: 'json_schema',
                json_schema: { name: 'context_manifest', strict: true, schema: { ...call.answerSchema } },
              },
            }),
          },
          { signal: call.signal, maxRetries: 0 },
        );
        return answerOf(completion);
      } catch (error) {
        return answerOfError(error, call.signal);
      }
    },
  };
}

/** The server may be broken, so the parts are checked that a reader needs. */
function answerOf({ choices }: OpenAI.ChatCompletion): ModelAnswer {
  const [choice] = Array.isArray(choices) ? choices : [];
  if (choice?.message === undefined) return { outcome: 'failed', status: null };
  const { content, refusal } = choice.message;
  const stop = typeof refusal === 'string' && refusal !== '' ? 'refusal' : choice.finish_reason;
  return { outcome: 'answered', text: typeof content === 'string' ? content : '', stop };
}
