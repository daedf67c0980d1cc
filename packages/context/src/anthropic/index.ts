/**
 * `@mandate/context/anthropic`: the model of the context builder through Anthropic's SDK. Each call is decided under the
 * mandate of the builder's agent, and is never retried.
 */
import type Anthropic from '@anthropic-ai/sdk';
import { wrapAnthropic } from '@mandate/sdk/anthropic';
import { boundedFetch } from '../bounded-fetch.ts';
import { type AgentSource, answerOfError, forCall } from '../governed-call.ts';
import type { BuilderModel, ModelAnswer } from '../model.ts';
import { type ModelOptions, withDefaults } from '../model-options.ts';

export type AnthropicModelOptions = ModelOptions & {
  /** Default: `claude-haiku-4-5`. */
  model?: string;
};

/** @param mandate the instance of `Mandate` that decides about the calls */
export function anthropicModel(
  client: Anthropic,
  mandate: AgentSource,
  { model = 'claude-haiku-4-5', ...options }: AnthropicModelOptions = {},
): BuilderModel {
  const { agentId, maxTokens, temperature, structuredOutput } = withDefaults(options);
  const bounded = client.withOptions({ fetch: boundedFetch(client) });
  return {
    ...{ agentId, provider: 'anthropic', model, maxTokens, temperature },
    async ask(call) {
      const governed = wrapAnthropic(bounded, forCall(mandate, call), { agentId });
      try {
        const message = await governed.messages.create(
          {
            model,
            max_tokens: maxTokens,
            ...(temperature !== null && { temperature }),
            system: call.systemPrompt,
            messages: [{ role: 'user', content: call.userPrompt }],
            ...(structuredOutput && {
              output_config: { format: { type: 'json_schema', schema: { ...call.answerSchema } } },
            }),
          },
          { signal: call.signal, maxRetries: 0 },
        );
        return answerOf(message);
      } catch (error) {
        return answerOfError(error, call.signal);
      }
    },
  };
}

/** The server may be broken, so the parts are checked that a reader needs. */
function answerOf(message: Anthropic.Message): ModelAnswer {
  const { content, stop_reason: stop } = message;
  if (!Array.isArray(content)) return { outcome: 'failed', status: null };
  const text = content.map((block) => (block.type === 'text' ? String(block.text) : '')).join('');
  const isCut = stop === 'max_tokens' || stop === 'model_context_window_exceeded';
  return { outcome: 'answered', text, stop: isCut ? 'max_tokens' : (stop ?? undefined) };
}
