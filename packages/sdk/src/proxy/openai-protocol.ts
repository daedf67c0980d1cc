/** OpenAI's protocol, for a proxy. */
import { OPENAI_PATHS } from '../openai/paths.ts';
import { planCall } from '../openai/plan-call.ts';
import { replyWatcher, streamWatcher } from '../openai/watch-reply.ts';
import { answerWatcher, type ModelProtocol } from './model-protocol.ts';

export const openaiProtocol: ModelProtocol = {
  async plan({ path, body }, { agentId, includeUsage }) {
    const kind = OPENAI_PATHS.decided.get(path);
    if (kind === undefined) return null;
    const planned = await planCall({ method: 'POST', path, body }, kind, {
      agentId,
      options: { includeUsage },
    });
    const { model, inputTokens, maxOutputTokens, isStream, hidesUsage } = planned;
    return {
      ...{ model, inputTokens, isStream, hidesUsage },
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    };
  },
  watch: (call, isEvents) => answerWatcher(isEvents ? streamWatcher(call) : replyWatcher(call, () => false)),
};
