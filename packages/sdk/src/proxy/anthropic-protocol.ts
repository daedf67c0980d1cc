/** Anthropic's protocol, for a proxy. */
import { countedTokens } from '../adapters/count-tokens.ts';
import { jsonReader, streamReader } from '../anthropic/read-answer.ts';
import { ANTHROPIC_PATHS, estimatedInputTokens, messageRequestOf } from '../anthropic/requests.ts';
import { answerWatcher, type ModelProtocol } from './model-protocol.ts';

export const anthropicProtocol: ModelProtocol = {
  async plan({ path, body }, { agentId }) {
    if (!ANTHROPIC_PATHS.decided.has(path)) return null;
    const message = messageRequestOf(body);
    const { model, maxTokens } = message;
    return {
      model,
      inputTokens: await countedTokens(() => estimatedInputTokens(message), { agentId, model }),
      ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
      isStream: body.stream === true,
      hidesUsage: false,
    };
  },
  watch(call, isEvents) {
    const reader = isEvents ? streamReader() : jsonReader();
    return answerWatcher({
      piece: reader.piece,
      async end(how) {
        const { end, delivery } = reader.ended(how);
        await call.answered(end, delivery);
      },
    });
  },
};
